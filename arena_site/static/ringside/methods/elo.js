// Elo in another order: the same votes a hundred times over, each time shuffled.
(() => {
  "use strict";
  const { play, scaleOf, SeededDraws, fitTable } = window.ringside;
  const START = 1000;
  const drawing = document.querySelector("[data-elo]");
  const scale = scaleOf(drawing);
  const votesWanted = Number(drawing.dataset.votes);
  const ordersWanted = Number(drawing.dataset.orders);
  const stream = Number(drawing.dataset.stream);
  const reach = Number(drawing.dataset.reach);
  const truth = drawing.dataset.truth.split(" ").map(Number);
  const pairs = truth.flatMap((_, one) => truth.map((__, other) => [one, other])).filter(([one, other]) => one < other);
  const bands = [...drawing.querySelectorAll("[data-band]")].map((band) => [...band.querySelectorAll("circle")]);
  const kept = { votes: {}, orders: {} };

  const expected = (rating, other) => 1 / (1 + 10 ** ((other - rating) / 400));

  /** What `make` makes of the seed, made again only for another seed. */
  const keep = (name, seed, make) => {
    if (kept[name].seed !== seed) kept[name] = { seed, made: make() };
    return kept[name].made;
  };

  const drawVotes = (seed) => {
    const draws = new SeededDraws(stream + seed);
    const pair = draws.uniforms(votesWanted);
    const luck = draws.uniforms(votesWanted);
    return Array.from(pair, (uniform, at) => {
      const [a, b] = pairs[Math.floor(uniform * pairs.length)];
      return { a, b, points: Number(luck[at] < expected(truth[a], truth[b])) };
    });
  };

  const drawOrders = (seed) => {
    const draws = new SeededDraws(seed);
    return Array.from({ length: ordersWanted }, () => draws.order(votesWanted));
  };

  const runElo = (votes, order, k) => {
    const ratings = truth.map(() => START);
    for (const at of order) {
      const { a, b, points } = votes[at];
      const change = k * (points - expected(ratings[a], ratings[b]));
      ratings[a] += change;
      ratings[b] -= change;
    }
    return ratings;
  };

  const fit = (votes) => {
    const table = truth.map(() => truth.map(() => 0));
    for (const { a, b, points } of votes) {
      table[a][b] += points;
      table[b][a] += 1 - points;
    }
    return fitTable(table);
  };

  play(({ k, votes: votesSeed, orders: ordersSeed }) => {
    const votes = keep("votes", votesSeed, () => drawVotes(votesSeed));
    const orders = keep("orders", ordersSeed, () => drawOrders(ordersSeed));
    const finals = orders.map((order) => runElo(votes, order, k));
    const { ratings, errors } = fit(votes);
    const numbers = { "in-order": finals.filter((row) => row.every((value, at) => at === 0 || value < row[at - 1])).length };
    const marks = {};
    truth.forEach((_, model) => {
      const ends = finals.map((row) => row[model]);
      const mean = ends.reduce((sum, value) => sum + value, 0) / ends.length;
      const lower = ratings[model] - reach * errors[model];
      const upper = ratings[model] + reach * errors[model];
      numbers[`mean-${model}`] = mean;
      numbers[`spread-${model}`] = Math.sqrt(ends.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (ends.length - 1));
      numbers[`lowest-${model}`] = Math.min(...ends);
      numbers[`highest-${model}`] = Math.max(...ends);
      numbers[`fit-${model}`] = ratings[model];
      numbers[`lower-${model}`] = lower;
      numbers[`upper-${model}`] = upper;
      bands[model].forEach((dot, at) => dot.setAttribute("cx", scale(ends[at])));
      marks[`fit-${model}`] = { x1: scale(lower), x2: scale(upper) };
      marks[`point-${model}`] = { x1: scale(ratings[model]), x2: scale(ratings[model]) };
    });
    return { numbers, marks };
  });
})();
