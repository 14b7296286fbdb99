/**
 * A matrix beyond one memory of 4 GiB in one operator, over several memories, beside its first rows in one memory, in turn in one run: time of a product per
 * entry. All of y is compared with direct sums first; numbers are whole, so that no order of the sums rounds.
 *
 * usage: npx bench memories [--entries 420e6] [--alone 240e6] [--format csr] [--dtype f64] [--rounds 7]
 */
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { createEngine } from '../dist/index.node.js';
import { print } from './contenders.mjs';
import { median, takeTurns, time } from './times.mjs';

const { values: flags } = parseArgs({
  options: {
    entries: { type: 'string', default: '420e6' },
    alone: { type: 'string', default: '240e6' },
    format: { type: 'string', default: 'csr' },
    dtype: { type: 'string', default: 'f64' },
    rounds: { type: 'string', default: '7' },
  },
});
const { format, dtype } = flags;

/** The neighbours of a point of a grid of planes of 140 × 140 points, in a plane, and above and below it. */
const [LINE, PLANE] = [140, 140 * 140];
const OFFSETS = [-1, 0, 1].flatMap((z) => [-1, 0, 1].flatMap((y) => [-1, 0, 1].map((x) => z * PLANE + y * LINE + x)));

const whole = neighbours(Math.round(Number(flags.entries) / OFFSETS.length));
const first = firstRows(whole, Math.round(Number(flags.alone) / OFFSETS.length));
print(`${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, Node ${process.version}, ${format}, ${dtype}`);

const engine = await createEngine();
const x = engine.vector(
  Float64Array.from({ length: whole.cols }, (_, j) => (j % 13) - 6),
  { dtype },
);
const contenders = [contender('several memories', whole, {}), contender('one memory', first, { memories: 1 })];
await takeTurns(contenders, Number(flags.rounds));
const [several, one] = contenders.map(({ name, A, samples, setupMs }) => {
  const ms = median(samples);
  const { bytes } = A.matrix;
  const [gb, rate] = [(bytes / 1e9).toFixed(2), (bytes / 1e6 / ms).toFixed(1)];
  print(`${name}: ${A}: ${gb} GB, ${ms.toFixed(0)} ms, ${rate} GB/s; set-up ${(setupMs / 1000).toFixed(1)} s`);
  return ms / A.nnz;
});
print(`time per entry: ${(several / one).toFixed(3)} × that in one memory`);
await engine.dispose();

function contender(name, matrix, options) {
  const bytesBefore = process.memoryUsage().rss;
  const start = performance.now();
  const A = engine.operator(matrix, { format, dtype, ...options });
  const setupMs = performance.now() - start;
  const { rss } = process.memoryUsage();
  print(`${name}: the process grew by ${((rss - bytesBefore) / A.matrix.bytes).toFixed(2)} × the layout's bytes`);
  const y = engine.vector(matrix.rows, { dtype });
  A.apply(x, y);
  const wrong = y.data.findIndex((sum, i) => sum !== directSum(matrix, x.data, i));
  if (wrong >= 0)
    throw new Error(`${name}: expected y[${wrong}] = ${directSum(matrix, x.data, wrong)}, got ${y.data[wrong]}`);
  const samples = [];
  return { name, A, setupMs, samples, turn: () => samples.push(time(() => A.apply(x, y))) };
}

function directSum({ rowPtr, colIdx, values }, x, i) {
  let sum = 0;
  for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) sum += values[k] * x[colIdx[k]];
  return sum;
}

/** Each row has the neighbours of its point that exist. The values are whole, and more than 8-bit codes tell apart. */
function neighbours(rows) {
  const rowPtr = new Uint32Array(rows + 1);
  const colIdx = new Uint32Array(rows * OFFSETS.length);
  const values = new Float64Array(rows * OFFSETS.length);
  let nnz = 0;
  for (let i = 0; i < rows; i++) {
    for (const offset of OFFSETS) {
      const j = i + offset;
      if (j < 0 || j >= rows) continue;
      colIdx[nnz] = j;
      values[nnz++] = ((nnz * 7) % 1021) - 510;
    }
    rowPtr[i + 1] = nnz;
  }
  return { rows, cols: rows, rowPtr, colIdx: colIdx.subarray(0, nnz), values: values.subarray(0, nnz) };
}

function firstRows({ cols, rowPtr, colIdx, values }, rows) {
  const nnz = rowPtr[rows];
  return {
    rows,
    cols,
    rowPtr: rowPtr.slice(0, rows + 1),
    colIdx: colIdx.subarray(0, nnz),
    values: values.subarray(0, nnz),
  };
}
