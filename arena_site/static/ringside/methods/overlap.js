// Two intervals that overlap, and the test of the gap.
(() => {
  "use strict";
  const { play, percent, normalTail } = window.ringside;
  const drawing = document.querySelector("[data-overlap]");
  const reach = Number(drawing.dataset.reach);
  const margin = Number(drawing.dataset.margin);
  const leastP = Number(drawing.dataset.leastP);
  const SIDES = ["one", "other"];

  const plain = (value) => value.toLocaleString("en-GB", { maximumFractionDigits: 1, useGrouping: false }).replace(/^-0$/, "0");

  const marksOf = (name, lower, point, upper, scale) => ({
    [`${name}-line`]: { x1: scale(lower), x2: scale(upper) },
    [`${name}-point`]: { x1: scale(point), x2: scale(point) },
    [`${name}-lower`]: { x: scale(lower), text: plain(lower) },
    [`${name}-middle`]: { x: scale(point), text: plain(point) },
    [`${name}-upper`]: { x: scale(upper), text: plain(upper) },
  });

  play((values) => {
    const sides = SIDES.map((side) => ({ side, point: values[side], lower: values[`${side}_lower`], upper: values[`${side}_upper`] }));
    if (!sides.every(({ point, lower, upper }) => lower < upper && lower <= point && point <= upper)) {
      throw new Error("A rating lies inside its interval, which goes from its lower to its upper end.");
    }
    const [one, other] = sides;
    const errors = sides.map(({ lower, upper }) => (upper - lower) / (2 * reach));
    const gap = one.point - other.point;
    const error = Math.sqrt(errors[0] ** 2 + errors[1] ** 2 - 2 * values.correlation * errors[0] * errors[1]);
    const z = gap / error;
    const p = 2 * normalTail(Math.abs(z));
    const [lower, upper] = [gap - reach * error, gap + reach * error];
    const ends = sides.flatMap((side) => [side.lower, side.upper]);
    const [least, most] = [Math.min(...ends), Math.max(...ends)];
    const room = margin * (most - least);
    const ratingScale = (value) => `${percent(value, least - room, most + room)}%`;
    const farthest = Math.max(Math.abs(lower), Math.abs(upper)) * (1 + 2 * margin);
    const gapScale = (value) => `${percent(value, -farthest, farthest)}%`;
    return {
      numbers: { "error-one": errors[0], "error-other": errors[1], gap, error, z, p, lower, upper, correlation: values.correlation },
      holds: { settled: lower > 0 || upper < 0, overlapping: one.lower <= other.upper && other.lower <= one.upper, tiny: p < leastP },
      marks: {
        ...marksOf("one", one.lower, one.point, one.upper, ratingScale),
        ...marksOf("other", other.lower, other.point, other.upper, ratingScale),
        ...marksOf("gap", lower, gap, upper, gapScale),
      },
    };
  });
})();
