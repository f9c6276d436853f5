"use strict";

const swap = document.getElementById("swap");
if (swap) {
  swap.hidden = false;
  swap.addEventListener("click", () => {
    const from = document.getElementById("from");
    const to = document.getElementById("to");
    [from.value, to.value] = [to.value, from.value];
  });
}
