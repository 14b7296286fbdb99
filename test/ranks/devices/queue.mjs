/** A queue of a device that is none: a thread that does one operation after the other, some of them late. */
import { parentPort, workerData } from 'node:worker_threads';

const done = workerData;
const nothing = new Int32Array(new SharedArrayBuffer(4));
/** One of so many operations is late, by up to this time. */
const LATE = 20;
const LATE_MS = 2;

const elements = (width, { buffer, byteOffset, byteLength }) => {
  const length = byteLength / width;
  return width === 4 ? new Float32Array(buffer, byteOffset, length) : new Float64Array(buffer, byteOffset, length);
};
const numbers = (bytes) => elements(8, bytes);
const indices = ({ buffer, byteOffset, byteLength }) => new Uint32Array(buffer, byteOffset, byteLength / 4);
const factorOf = ({ slot, times }) => (slot === undefined ? times : times * numbers(slot)[0]);
const COMPUTE = [(a, b) => a + b, (a, b) => a - b, (a, b) => a * b, (a, b) => a / b, (a) => Math.sqrt(a)];

const sumByHalves = (of, begin, end) => {
  if (end - begin === 1) return of(begin);
  const middle = (begin + end) >>> 1;
  return sumByHalves(of, begin, middle) + sumByHalves(of, middle, end);
};

const DO = {
  copy: ({ to, from }) => to.set(from),
  fill: ({ to }) => to.fill(0),
  record({ words, turn }) {
    Atomics.store(words, 1, turn);
    Atomics.notify(words, 1);
  },
  await({ words, turn }) {
    for (let now = Atomics.load(words, 1); now < turn; now = Atomics.load(words, 1)) Atomics.wait(words, 1, now);
  },
  scatter({ width, length, y, x, places }) {
    const [to, from, order] = [elements(width, y), elements(width, x), indices(places)];
    for (let i = 0; i < length; i++) to[order[i]] = from[i];
  },
  copyStrided({ width, length, y, yOffset, yStride, x, xOffset, xStride }) {
    const [to, from] = [elements(width, y), elements(width, x)];
    for (let i = 0; i < length; i++) to[yOffset + i * yStride] = from[xOffset + i * xStride];
  },
  dot({ width, x, y, slot }) {
    const [xs, ys] = [elements(width, x), elements(width, y)];
    let sum = 0;
    for (let i = 0; i < xs.length; i++) sum += xs[i] * ys[i];
    numbers(slot)[0] = sum;
  },
  multiply({ width, d, x, y }) {
    const [ds, xs, ys] = [elements(width, d), elements(width, x), elements(width, y)];
    for (let i = 0; i < xs.length; i++) ys[i] = ds[i] * xs[i];
  },
  axpby({ width, a, x, b, y }) {
    const [xs, ys, alpha, beta] = [elements(width, x), elements(width, y), factorOf(a), factorOf(b)];
    for (let i = 0; i < xs.length; i++) ys[i] = beta === 0 ? alpha * xs[i] : alpha * xs[i] + beta * ys[i];
  },
  compute({ operation, a, b, slot }) {
    numbers(slot)[0] = COMPUTE[operation](factorOf(a), factorOf(b));
  },
  product({ matrix, x, y, alpha, beta }) {
    const { rows, width, valueBytes } = matrix;
    const [rowPtr, colIdx] = [indices(matrix.rowPtr), indices(matrix.colIdx)];
    const values = matrix.values && elements(valueBytes, matrix.values);
    const [xs, ys] = [elements(width, x), elements(width, y)];
    for (let i = 0; i < rows; i++) {
      let sum = 0;
      for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) sum += (values?.[k] ?? 1) * xs[colIdx[k]];
      ys[i] = beta === 0 ? alpha * sum : alpha * sum + beta * ys[i];
    }
  },
  pick({ width, length, y, x, places }) {
    const [to, from, order] = [elements(width, y), elements(width, x), indices(places)];
    for (let i = 0; i < length; i++) to[i] = from[order[i]];
  },
  addAt({ width, length, y, x, places }) {
    const [to, from, order] = [elements(width, y), elements(width, x), indices(places)];
    for (let i = 0; i < length; i++) to[order[i]] += from[i];
  },
  spread({ offset, slots, targets }) {
    const values = slots.map((slot) => numbers(slot)[0]);
    for (const target of targets) numbers(target).set(values, offset);
  },
  addRanks({ frames, offset, ranks, stride, slots }) {
    const all = numbers(frames);
    slots.forEach((slot, s) => {
      numbers(slot)[0] = sumByHalves((rank) => all[offset + rank * stride + s], 0, ranks);
    });
  },
};

parentPort.on('message', ({ kind, ...operation }) => {
  if (Math.random() < 1 / LATE) Atomics.wait(nothing, 0, 0, Math.random() * LATE_MS);
  DO[kind](operation);
  Atomics.add(done, 0, 1);
  Atomics.notify(done, 0);
});
