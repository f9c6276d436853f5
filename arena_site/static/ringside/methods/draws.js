// Seeded draws, word for word those of the server: NumPy's SeedSequence and the PCG64 generator (XSL-RR 128/64).
// Sources: O'Neill 2014, "PCG"; the seeding is documented with NumPy's SeedSequence.
(() => {
  "use strict";
  const POOL = 4;
  const MULTIPLIER = 0x2360ed051fc65da44385df649fccf645n;
  const HASHES = { mix: [0x43b0d7e5, 0x931e8875], state: [0x8b51f9dd, 0x58f38ded] };
  const MANTISSA = 2 ** -53;

  const hasher = ([start, multiplier]) => {
    let constant = start;
    return (word) => {
      let value = word ^ constant;
      constant = Math.imul(constant, multiplier);
      value = Math.imul(value, constant);
      return (value ^ (value >>> 16)) >>> 0;
    };
  };

  const mixed = (one, other) => {
    const value = Math.imul(0xca01f9dd, one) - Math.imul(0x4973f715, other);
    return (value ^ (value >>> 16)) >>> 0;
  };

  /** Four 64-bit words from a seed below 2^32. */
  const wordsOfSeed = (seed) => {
    const hash = hasher(HASHES.mix);
    const pool = [];
    for (let place = 0; place < POOL; place += 1) pool.push(hash(place === 0 ? seed : 0));
    for (let from = 0; from < POOL; from += 1) {
      for (let to = 0; to < POOL; to += 1) if (from !== to) pool[to] = mixed(pool[to], hash(pool[from]));
    }
    const out = hasher(HASHES.state);
    const halves = Array.from({ length: 2 * POOL }, (_, place) => BigInt(out(pool[place % POOL])));
    return Array.from({ length: POOL }, (_, place) => halves[2 * place] | (halves[2 * place + 1] << 32n));
  };

  class SeededDraws {
    constructor(seed) {
      const [high, low, streamHigh, streamLow] = wordsOfSeed(seed);
      this.increment = BigInt.asUintN(128, (((streamHigh << 64n) | streamLow) << 1n) | 1n);
      this.state = BigInt.asUintN(128, this.increment + ((high << 64n) | low));
      this.step();
    }

    step() {
      this.state = BigInt.asUintN(128, this.state * MULTIPLIER + this.increment);
    }

    /** One raw 64-bit word. */
    word() {
      this.step();
      const value = BigInt.asUintN(64, (this.state >> 64n) ^ this.state);
      const turn = this.state >> 122n;
      return turn === 0n ? value : BigInt.asUintN(64, (value >> turn) | (value << (64n - turn)));
    }

    /** Uniform draws strictly between 0 and 1. */
    uniforms(count) {
      return Float64Array.from({ length: count }, () => (Number(this.word() >> 11n) + 0.5) * MANTISSA);
    }

    /** One random order of 0 to length - 1. */
    order(length) {
      const high = new Uint32Array(length);
      const low = new Uint32Array(length);
      for (let place = 0; place < length; place += 1) {
        const word = this.word();
        high[place] = Number(word >> 32n);
        low[place] = Number(word & 0xffffffffn);
      }
      return Uint16Array.from({ length }, (_, place) => place).sort((a, b) => high[a] - high[b] || low[a] - low[b] || a - b);
    }
  }

  window.ringside = { ...window.ringside, SeededDraws };
})();
