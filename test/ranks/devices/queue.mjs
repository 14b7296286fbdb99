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

/** At most so many ranks have so many dot products in a frame, and a place stands for 0, as in `cuda/api/ranks.h`. */
const MOST = 16;
const NO_PLACE = 2 ** 32 - 1;
/** An element of a frame is waited for so many milliseconds. */
const MOST_WAIT_MS = 20_000;

const halvesOf = ({ buffer, byteOffset, byteLength }) => new Int32Array(buffer, byteOffset, byteLength / 4);

/** Writes an element of a frame: each 4 bytes, then the turn. */
function write(width, frame, place, value, turn) {
  const element = width === 4 ? Float32Array.of(value) : Float64Array.of(value);
  const halves = halvesOf(frame);
  new Int32Array(element.buffer).forEach((half, h) => {
    const at = (2 * width * place) / 4 + 2 * h;
    Atomics.store(halves, at, half);
    Atomics.store(halves, at + 1, turn);
    Atomics.notify(halves, at + 1);
  });
}

/** Returns an element of a frame, when that of the turn has arrived. A frame that already has that of a later turn is an error. */
function arrived(width, frame, place, turn) {
  const halves = halvesOf(frame);
  const element = new Int32Array(width / 4).map((_, h) => {
    const at = (2 * width * place) / 4 + 2 * h;
    for (let then = Atomics.load(halves, at + 1); then !== turn; then = Atomics.load(halves, at + 1)) {
      if (then > turn) throw new Error(`an element of turn ${then} in place of one of turn ${turn}`);
      if (Atomics.wait(halves, at + 1, then, MOST_WAIT_MS) === 'timed-out')
        throw new Error('an element does not arrive');
    }
    return Atomics.load(halves, at);
  });
  return elements(width, new Uint8Array(element.buffer))[0];
}

function sumOverRanks({ frames, rank, count }, sum) {
  const turn = ++count[0];
  const placeOf = (r) => (turn % MOST) * MOST + r;
  for (const frame of frames) write(8, frame, placeOf(rank), sum, turn);
  return sumByHalves((r) => arrived(8, frames[rank], placeOf(r), turn), 0, frames.length);
}

const DO = {
  copy: ({ to, from }) => to.set(from),
  fill: ({ to }) => to.fill(0),
  signal({ happened }) {
    Atomics.store(happened, 0, 1);
    Atomics.notify(happened, 0);
  },
  await({ happened }) {
    while (Atomics.load(happened, 0) === 0) Atomics.wait(happened, 0, 0);
  },
  scatter({ width, length, y, x, places }) {
    const [to, from, order] = [elements(width, y), elements(width, x), indices(places)];
    for (let i = 0; i < length; i++) to[order[i]] = from[i];
  },
  copyStrided({ width, length, y, yOffset, yStride, x, xOffset, xStride }) {
    const [to, from] = [elements(width, y), elements(width, x)];
    for (let i = 0; i < length; i++) to[yOffset + i * yStride] = from[xOffset + i * xStride];
  },
  dot({ width, x, y, slot, ranks }) {
    const [xs, ys] = [elements(width, x), elements(width, y)];
    let sum = 0;
    for (let i = 0; i < xs.length; i++) sum += xs[i] * ys[i];
    numbers(slot)[0] = ranks === undefined ? sum : sumOverRanks(ranks, sum);
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
  push({ width, turns, x, places, ends, frames }) {
    const [counts, from, order] = [indices(turns), elements(width, x), indices(places)];
    const turn = ++counts[1];
    if (turn !== counts[0] + 1) throw new Error('a turn begins before the last one has ended');
    let i = 0;
    ends.forEach((end, d) => {
      for (let at = 0; i < end; i++, at++)
        write(width, frames[2 * d + (turn % 2)], at, order[i] === NO_PLACE ? 0 : from[order[i]], turn);
    });
  },
  take({ width, turns, y, length, frames }) {
    const [counts, to] = [indices(turns), elements(width, y)];
    const turn = counts[1];
    const frame = frames[turn % 2];
    for (let i = 0; i < frame.byteLength / (2 * width); i++) {
      const value = arrived(width, frame, i, turn);
      if (i < length) to[i] = value;
    }
    counts[0] = turn;
  },
};

parentPort.on('message', ({ kind, ...operation }) => {
  if (Math.random() < 1 / LATE) Atomics.wait(nothing, 0, 0, Math.random() * LATE_MS);
  DO[kind](operation);
  Atomics.add(done, 0, 1);
  Atomics.notify(done, 0);
});
