/**
 * Measures what kernels for blocks of vectors do in the cost model (`COSTS` in `src/choice/blocks.ts`): per register of columns, the cost of an entry, of a row and of a
 * step of each layout, in times of an entry of a single product of `csr` in f64. Matrices, and all that a product reads, are in the cache; 4 to 64 columns, one thread.
 *
 * The costs, none of them negative, have the least squares of the relative errors. All are scaled so that an entry of `csr` in f64 costs `CSR_ENTRY`, as when it was measured from memory.
 *
 * usage: npx bench fit-blocks     (a minute; the mean of Node 20 and 24 stands in the model)
 */

import { group } from 'd3-array';
import {
  baseOf,
  FAST_FROM_F32,
  FAST_FROM_F64,
  MANY_VECTORS,
  multipliesBlocks,
  registersOf,
} from '../dist/choice/blocks.js';
import { familyOf } from '../dist/choice/kernels.js';
import { examine } from '../dist/features/features.js';
import { prospectsOf } from '../dist/formats/registry.js';
import { CsrBuilder, createEngine, csrMatrix, gallery, kroneckerProduct } from '../dist/index.node.js';
import { print } from './contenders.mjs';
import { solve } from './judge/solve.mjs';

const CSR_ENTRY = 0.6;
const COLUMNS = { f64: [4, 8, 16, 32], f32: [4, 8, 16, 64] };
const WARM_UP = 150;
const ROUNDS = 100;

/** Layouts whose steps do not follow from their rows and entries. */
const STEPS = new Set(['components', 'panels', 'sell']);

const engine = await createEngine({ threads: 1 });
const times = [];
for (const matrix of matrices()) {
  for (const dtype of ['f64', 'f32'])
    for (const columns of COLUMNS[dtype]) times.push(...measured(matrix, dtype, columns));
}
await engine.dispose();

const costs = group(times, ({ name }) => name);
const [unit] = fitted(costs.get('csr, f64')).map((cost) => cost / CSR_ENTRY);
for (const [name, some] of costs) {
  const [entry, row, step] = fitted(some).map((cost) => (cost / unit).toPrecision(3));
  print(`${name}: entry ${entry}, row ${row}${step === undefined ? '' : `, step ${step}`}   (${some.length} times)`);
}

/** Matrices with rows of one length and of many, with empty ones, and with blocks, of few thousand rows. */
function* matrices() {
  yield gallery('laplace2d5', { nx: 60, ny: 60 });
  yield gallery('laplace2d9', { nx: 60, ny: 60 });
  for (const size of [2, 3, 4]) {
    const grid = gallery('laplace2d9', { nx: 24, ny: 24 });
    yield kroneckerProduct(grid, ones(size));
  }
  yield kroneckerProduct(gallery('laplace3d27', { nx: 8, ny: 8, nz: 8 }), ones(3));
  yield gallery('road', { nx: 60, ny: 60, extra: 0.3, seed: 5 });
  yield gallery('rgg', { n: 3000, degree: 14, seed: 3 });
  for (const [every, entries] of [
    [1, 1],
    [2, 5],
    [20, 10],
  ])
    yield spread(4000, every, entries);
}

function ones(size) {
  const rowIdx = Array.from({ length: size * size }, (_, k) => Math.floor(k / size));
  const colIdx = Array.from({ length: size * size }, (_, k) => k % size);
  return csrMatrix({ rows: size, cols: size, rowIdx, colIdx, values: new Float64Array(size * size).fill(1) });
}

/** Returns a square matrix of which one row in `every` has entries, `entries` of them. */
function spread(rows, every, entries) {
  const builder = new CsrBuilder(rows, rows);
  for (let row = 0; row < rows; row += every)
    for (let k = 0; k < entries; k++) builder.add(row, (row * 7 + k * 109) % rows, 1 + k);
  return builder.build();
}

/** The least time of each layout with full values and columns that the model knows, in nanoseconds per register. */
function measured(matrix, dtype, columns) {
  const known = prospectsOf(examine(matrix), dtype).filter(
    ({ kernel }) => familyOf(kernel) === kernel && multipliesBlocks(kernel),
  );
  const prospects = [...new Map(known.toReversed().map((prospect) => [baseOf(prospect.kernel), prospect])).values()];
  const options = { columns, ...(dtype === 'f32' && { dtype }) };
  const x = engine.vector(matrix.cols, options).fill(1);
  const y = engine.vector(matrix.rows, options);
  const registers = registersOf(dtype, columns);
  const turns = prospects.flatMap((prospect) => {
    const layout = baseOf(prospect.kernel);
    const turn = (name, options) => ({
      name,
      terms: [prospect.entries, matrix.rows, ...(STEPS.has(layout) ? [prospect.steps] : [])],
      A: engine.operator(matrix, { format: prospect.spec, dtype, ...options }),
      ns: Number.POSITIVE_INFINITY,
    });
    const isInOrder = layout === 'csr' && registers % (dtype === 'f32' ? FAST_FROM_F32 : FAST_FROM_F64) === 0;
    return [turn(layout), ...(isInOrder ? [turn('csr_fast', { blockSums: 'fast' })] : [])];
  });
  for (let round = 0; round < WARM_UP; round++) for (const { A } of turns) A.apply(x, y);
  for (let round = 0; round < ROUNDS; round++) {
    for (const turn of turns) {
      const start = performance.now();
      turn.A.apply(x, y);
      turn.A.apply(x, y);
      turn.ns = Math.min(turn.ns, ((performance.now() - start) * 1e6) / 2);
    }
  }
  for (const { A } of turns) A.dispose();
  x.dispose();
  y.dispose();
  const regime = registers < MANY_VECTORS ? '' : ', many vectors';
  return turns.map(({ name, terms, ns }) => ({ name: `${name}, ${dtype}${regime}`, terms, ns: ns / registers }));
}

/** Costs of the terms: the best ones of those least squares, over each set of terms, that are not negative. */
function fitted(some) {
  const count = some[0].terms.length;
  let best;
  for (let set = 1; set < 1 << count; set++) {
    const places = [...Array(count).keys()].filter((term) => (set >> term) & 1);
    const rows = some.map(({ terms, ns }) => places.map((term) => terms[term] / ns));
    const normal = places.map((_, i) => places.map((_, j) => rows.reduce((sum, row) => sum + row[i] * row[j], 0)));
    const right = places.map((_, i) => rows.reduce((sum, row) => sum + row[i], 0));
    const found = solve(normal, right, 0);
    const error = rows.reduce((sum, row) => sum + (row.reduce((s, a, i) => s + a * found[i], 0) - 1) ** 2, 0);
    if (found.every((cost) => cost >= 0) && !(best?.error <= error)) best = { error, places, found };
  }
  return Array.from({ length: count }, (_, term) => best.found[best.places.indexOf(term)] ?? 0);
}
