// How many votes a question takes.
(() => {
  "use strict";
  const { play, percent } = window.ringside;
  const drawing = document.querySelector("[data-plan]");
  const { nat, detect, halfWidth, others, roundRobin, pairs, fewest, lowest, highest, least, most, steps } = Object.fromEntries(
    Object.entries(drawing.dataset).map(([name, value]) => [name, Number(value)]),
  );

  const votesFor = (goal, points, ties, factor = 1) => {
    const isWidth = goal === "half-width";
    const chance = 1 / (1 + 10 ** (-(isWidth ? 0 : points) / 400));
    const needed = ((isWidth ? halfWidth : detect) * nat) / points;
    return Math.round((factor * needed ** 2) / (chance * (1 - chance)) / (1 - ties / 100));
  };
  const across = (points) => percent(points, lowest, highest, true);
  const down = (votes) => 100 - percent(Math.max(1, votes), least, most, true);

  play(({ goal, points, ties }) => {
    const direct = votesFor(goal, points, ties);
    const robin = votesFor(goal, points, ties, roundRobin);
    const corners = Array.from({ length: steps + 1 }, (_, step) => lowest * (highest / lowest) ** (step / steps));
    const [x, y] = [`${across(points)}%`, `${down(direct)}%`];
    return {
      numbers: {
        "head-to-head": direct,
        newcomer: direct,
        pool: votesFor(goal, points, ties, others),
        "round-robin": robin,
        "each-pair": Math.round(robin / pairs),
        half: votesFor(goal, points / 2, ties),
        points,
        double: votesFor(goal, 2 * points, ties),
        "ties-factor": 1 / (1 - ties / 100),
      },
      holds: { gap: goal === "gap", rough: direct < fewest },
      marks: {
        curve: { points: corners.map((at) => `${across(at)},${down(votesFor(goal, at, ties))}`).join(" ") },
        spot: { cx: x, cy: y },
        "spot-across": { y1: y, y2: y, x2: x },
        "spot-down": { x1: x, x2: x, y1: y },
      },
    };
  });
})();
