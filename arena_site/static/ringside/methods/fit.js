// The Bradley-Terry fit of a table of points, as the server makes it: Newton steps, and the inverse information.
(() => {
  "use strict";
  const POINTS_PER_NAT = 400 / Math.LN10;
  const ANCHOR = 1000;
  const CLOSE = 1e-12;
  const MOST_STEPS = 100;

  const inverse = (matrix) => {
    const size = matrix.length;
    const rows = matrix.map((row, at) => [...row, ...row.map((_, column) => Number(column === at))]);
    for (let at = 0; at < size; at += 1) {
      const best = rows.slice(at).reduce((most, row, place) => (Math.abs(row[at]) > Math.abs(rows[most][at]) ? at + place : most), at);
      [rows[at], rows[best]] = [rows[best], rows[at]];
      const pivot = rows[at][at];
      rows[at] = rows[at].map((value) => value / pivot);
      for (let other = 0; other < size; other += 1) {
        if (other === at) continue;
        const factor = rows[other][at];
        rows[other] = rows[other].map((value, column) => value - factor * rows[at][column]);
      }
    }
    return rows.map((row) => row.slice(size));
  };

  /**
   * Ratings and standard errors in points, their mean at the anchor, from the points of the row agent against the
   * column agent. A maximum must exist: nobody may have won, or lost, everything.
   */
  const fitTable = (points) => {
    const size = points.length;
    const strengths = new Array(size).fill(0);
    let spread;
    for (let step = 0; step < MOST_STEPS; step += 1) {
      const gradient = new Array(size).fill(0);
      const information = points.map((row) => row.map(() => 1 / size));
      for (let i = 0; i < size; i += 1) {
        for (let j = 0; j < size; j += 1) {
          if (i === j) continue;
          const weight = points[i][j] + points[j][i];
          const chance = 1 / (1 + Math.exp(strengths[j] - strengths[i]));
          gradient[i] += points[i][j] - weight * chance;
          information[i][i] += weight * chance * (1 - chance);
          information[i][j] -= weight * chance * (1 - chance);
        }
      }
      // With the mean's direction put in, the information has an inverse; taken out again, it is that of the contrasts.
      spread = inverse(information);
      const moves = spread.map((row) => row.reduce((sum, value, at) => sum + value * gradient[at], 0));
      moves.forEach((move, at) => { strengths[at] += move; });
      if (Math.max(...moves.map(Math.abs)) < CLOSE) break;
    }
    const mean = strengths.reduce((sum, value) => sum + value, 0) / size;
    return {
      ratings: strengths.map((value) => ANCHOR + POINTS_PER_NAT * (value - mean)),
      errors: spread.map((row, at) => POINTS_PER_NAT * Math.sqrt(row[at] - 1 / size)),
    };
  };

  window.ringside = { ...window.ringside, fitTable };
})();
