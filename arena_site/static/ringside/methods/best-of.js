// The best of many equal variants.
(() => {
  "use strict";
  const { play, scaleOf, SeededDraws, normalQuantile, expectedMaximum } = window.ringside;
  const drawing = document.querySelector("[data-best]");
  const scale = scaleOf(drawing);
  const dots = [...drawing.querySelectorAll("circle[data-dot]")];
  const usual = drawing.dataset.usual.split(" ").map(Number);

  play(({ k, error, seed }) => {
    const measured = Array.from(new SeededDraws(seed).uniforms(k), normalQuantile);
    const best = Math.max(...measured);
    const expected = expectedMaximum(k);
    dots.forEach((dot, at) => {
      dot.setAttribute("visibility", at < k ? "visible" : "hidden");
      if (at < k) dot.setAttribute("cx", scale(measured[at]));
    });
    const numbers = { k, "in-errors": expected, inflation: error * expected, best: error * best };
    for (const tries of usual) {
      numbers[`errors-${tries}`] = expectedMaximum(tries);
      numbers[`points-${tries}`] = error * expectedMaximum(tries);
    }
    return {
      numbers,
      marks: { best: { cx: scale(best), cy: dots[measured.indexOf(best)].getAttribute("cy") }, expected: { x1: scale(expected), x2: scale(expected) } },
    };
  });
})();
