// The standard normal distribution, to the last digits that a page could show.
// Sources: Abramowitz and Stegun 7.1.5 and 7.1.14 (series and continued fraction); Acklam 2003 for the start of quantile.
(() => {
  "use strict";
  const LOW = 0.02425; // where Acklam's middle ends
  const A = [-39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716, 2.506628277459239];
  const B = [-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572, 1];
  const C = [-0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968, 2.938163982698783];
  const D = [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1];
  const REFINEMENTS = 2;
  // E[max of k] is an integral of a function that is flat beyond ten: evenly spaced sums of such are exact.
  const ENDS = 10;
  const STEPS = 800;

  const density = (x) => Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI);

  /** Upper tail for x of 0 or more. */
  const upperTail = (x) => {
    if (x < 3) {
      let term = x;
      let sum = x;
      for (let n = 1; Math.abs(term) > 1e-17 * sum; n += 1) {
        term *= (x * x) / (2 * n + 1);
        sum += term;
      }
      return 0.5 - density(x) * sum;
    }
    let fraction = x;
    for (let n = 60; n > 0; n -= 1) fraction = x + n / fraction;
    return density(x) / fraction;
  };

  /** P(Z > x). */
  const tail = (x) => (x >= 0 ? upperTail(x) : 1 - upperTail(-x));

  const polynomial = (coefficients, x) => coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0);

  /** The x with P(Z <= x) = share. */
  const quantile = (share) => {
    if (share > 0.5) return -quantile(1 - share);
    let x;
    if (share < LOW) {
      const root = Math.sqrt(-2 * Math.log(share));
      x = polynomial(C, root) / polynomial(D, root);
    } else {
      const middle = share - 0.5;
      x = (middle * polynomial(A, middle * middle)) / polynomial(B, middle * middle);
    }
    for (let step = 0; step < REFINEMENTS; step += 1) {
      const off = (tail(-x) - share) / density(x);
      x -= off / (1 + (x * off) / 2);
    }
    return x;
  };

  /** Expected maximum of k independent standard normals. */
  const expectedMaximum = (k) => {
    if (k === 1) return 0;
    const width = (2 * ENDS) / STEPS;
    let sum = 0;
    for (let step = 0; step <= STEPS; step += 1) {
      const x = -ENDS + step * width;
      sum += x * k * density(x) * (1 - tail(x)) ** (k - 1);
    }
    return sum * width;
  };

  window.ringside = { ...window.ringside, normalTail: tail, normalQuantile: quantile, expectedMaximum };
})();
