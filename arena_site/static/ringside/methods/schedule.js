// Three equals who beat each other in a circle, on a schedule that is not even.
(() => {
  "use strict";
  const { play, scaleOf, fitTable } = window.ringside;
  const drawing = document.querySelector("[data-cycle]");
  const scale = scaleOf(drawing);
  const thinnest = Number(drawing.dataset.thinnest);
  const widening = Number(drawing.dataset.widening);
  const PAIRS = { ab: [0, 1], bc: [1, 2], ca: [2, 0] };
  const LEVEL = 0.5; // points; less is written as none

  const fitCycle = (shares, win) => {
    const table = [0, 1, 2].map(() => [0, 0, 0]);
    for (const [name, [one, other]] of Object.entries(PAIRS)) {
      table[one][other] = shares[name] * win;
      table[other][one] = shares[name] * (1 - win);
    }
    return fitTable(table).ratings;
  };

  play(({ share, win }) => {
    const rest = (1 - share / 100) / 2;
    const shares = { ab: share / 100, bc: rest, ca: rest };
    const fitted = fitCycle(shares, win / 100);
    const adjusted = fitCycle({ ab: 1 / 3, bc: 1 / 3, ca: 1 / 3 }, win / 100);
    const numbers = { share, win, gap: fitted[0] - fitted[1] };
    const marks = {};
    [..."abc"].forEach((name, at) => {
      numbers[`fitted-${name}`] = fitted[at];
      numbers[`adjusted-${name}`] = adjusted[at];
      marks[`fitted-${name}`] = { cx: scale(fitted[at]) };
      marks[`adjusted-${name}`] = { cx: scale(adjusted[at]) };
    });
    for (const [name, part] of Object.entries(shares)) {
      numbers[`share-${name}`] = 100 * part;
      marks[`line-${name}`] = { "stroke-width": thinnest + widening * part };
    }
    return { numbers, marks, holds: { ordered: Math.abs(numbers.gap) >= LEVEL } };
  });
})();
