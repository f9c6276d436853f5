// Time that is left: a lease's minutes and the clock of a saved vote. The server decides; this only counts along.
(() => {
  "use strict";
  const { clockWords } = window.ringside;
  const began = new WeakMap();

  const write = (element, words) => {
    if (element && element.textContent !== words) element.textContent = words;
  };

  const tick = () => {
    for (const element of document.querySelectorAll("[data-countdown]")) {
      if (!began.has(element)) began.set(element, performance.now());
      const left = Number(element.dataset.countdown) - (performance.now() - began.get(element)) / 1000;
      if (left <= 0) {
        write(element, element.dataset.over);
        continue;
      }
      write(element.querySelector("[data-minutes]"), String(Math.max(1, Math.round(left / 60))));
      write(element.querySelector("[data-clock-left]"), clockWords(left));
    }
  };

  document.addEventListener("DOMContentLoaded", () => {
    if (!document.querySelector(".replay")) return;
    tick();
    setInterval(tick, 1000);
  });
  document.addEventListener("htmx:afterSwap", tick);
})();
