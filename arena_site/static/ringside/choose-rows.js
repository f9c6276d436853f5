// Choosing rows of an operators' list: all of a page at once, and how many are chosen.

const form = document.querySelector("#rows-form");
const all = form?.querySelector("[data-choose-all]");
const said = form?.querySelector("[data-chosen]");
const boxes = [...(form?.querySelectorAll("input.action-select") ?? [])];

function tell() {
  const chosen = boxes.filter((box) => box.checked).length;
  said.textContent = chosen ? `${chosen} chosen` : "";
  all.checked = chosen > 0 && chosen === boxes.length;
  all.indeterminate = chosen > 0 && chosen < boxes.length;
}

if (all && said) {
  all.addEventListener("change", () => {
    for (const box of boxes) box.checked = all.checked;
    tell();
  });
  form.addEventListener("change", tell);
  tell();
}
