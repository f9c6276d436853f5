// Solves one challenge: finds the number whose SHA-256, with salt and nonce before it, begins as asked.
// One block of SHA-256 for every guess, since what is hashed has 36 bytes. (FIPS 180-4)
"use strict";

const REPORT_EVERY = 4000;
const FIRST_PRIMES = 64;

// The first 32 bits of the fractional parts of roots of the first primes, as the standard defines its constants.
const fraction = (root) => ((root - Math.floor(root)) * 2 ** 32) | 0;
const primes = [];
for (let candidate = 2; primes.length < FIRST_PRIMES; candidate += 1) {
  if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
}
const ROUND = Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime)));
const START = Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

const schedule = new Int32Array(64);

// Compresses the block in schedule[0..15] into `state`, which has eight words.
const compress = (state) => {
  for (let i = 16; i < 64; i += 1) {
    const x = schedule[i - 15];
    const y = schedule[i - 2];
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    schedule[i] = (schedule[i - 16] + s0 + schedule[i - 7] + s1) | 0;
  }
  let [a, b, c, d, e, f, g, h] = START;
  for (let i = 0; i < 64; i += 1) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUND[i] + schedule[i]) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] = START[0] + a;
  state[1] = START[1] + b;
  state[2] = START[2] + c;
  state[3] = START[3] + d;
  state[4] = START[4] + e;
  state[5] = START[5] + f;
  state[6] = START[6] + g;
  state[7] = START[7] + h;
};

const words = (hex) => Int32Array.from(hex.match(/.{8}/g), (part) => parseInt(part, 16) | 0);
const inHex = (state) => Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");

const solve = ({ algorithm, cost, salt, nonce, keyPrefix, data }) => {
  if (algorithm !== "SHA-256" || cost !== 1 || salt.length !== 32 || nonce.length !== 32) throw new Error("other sum");
  const before = [...words(salt), ...words(nonce)];
  const wanted = words(keyPrefix);
  const state = new Int32Array(8);
  for (let counter = 0; counter <= data.most; counter += 1) {
    schedule.set(before, 0);
    schedule.fill(0, 9, 16);
    schedule[8] = counter | 0;
    schedule[9] = 0x80000000 | 0;
    schedule[15] = 36 * 8;
    compress(state);
    if (state[0] === wanted[0] && wanted.every((word, i) => word === state[i])) {
      return { counter, derivedKey: inHex(state) };
    }
    if (counter % REPORT_EVERY === 0) postMessage({ progress: counter / data.most });
  }
  throw new Error("no solution");
};

onmessage = ({ data }) => postMessage({ solution: solve(data.parameters) });
