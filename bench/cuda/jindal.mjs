/**
 * Jindal's methods in the four launch shapes of his tables, and in our default shape: one thread for each entry, or one
 * block for each slice.
 *
 * Source: Jindal, "Sparse Matrix-Vector Multiplication on GPU", tables of §1.2, §2.2 and §3. His matrices have 1 to 60 million entries; a
 * tenth of those of `matrices.mjs` has 1 to 12 million.
 */

import { MATRICES } from './matrices.mjs';
import { table } from './table.mjs';

const SCALE = 0.1;

const HIS = [
  { blocks: 512, threads: 32 },
  { blocks: 512, threads: 64 },
  { blocks: 512, threads: 128 },
  { blocks: 256, threads: 256 },
];

const METHODS = [
  { title: 'atomic adds, by columns (§1.1)', format: 'coo?adds=atomic&order=column', method: 'atomic' },
  { title: 'atomic adds, by rows (§1.2)', format: 'coo?adds=atomic', method: 'atomic' },
  { title: 'segmented scan in shared memory (§2)', format: 'coo', method: 'shared' },
  { title: 'reordered components (§3)', format: 'components', method: 'slices' },
];

/** Methods as a kernel is asked for them; his shapes, then ours. */
const inShapes = (method) => [
  ...HIS.map(({ blocks, threads }) => `${method}?blocks=${blocks}&threads=${threads}`),
  method,
];

const SHAPES = [...HIS.map(({ blocks, threads }) => `${blocks} × ${threads}`), 'ours'];

export const JINDAL = {
  matrices: MATRICES.map(({ name }) => name).filter((name) => !name.endsWith('-own')),
  products: METHODS.map(({ format, method }) => ({ format, methods: inShapes(method) })),
  cases: (names) => names.map((name) => ({ name, scale: SCALE })),
  report,
};

/** `lines`: a product each, in any order: { matrix, title, nnz, format, requested, us }. */
function* report(lines) {
  yield `Matrices at a scale of ${SCALE}; µs, f64, L2 cold; blocks × threads.`;
  for (const { title, format, method } of METHODS) {
    const rows = rowsOf(lines, format, inShapes(method));
    yield* ['', `#### ${title}`, '', ...table(['matrix', 'entries', ...SHAPES, 'best'], rows.map(cellsOf))];
    if (rows.length > 0) yield* ['', found(rows)];
  }
}

/** Matrices on which all shapes were measured. */
function rowsOf(lines, format, methods) {
  const own = lines.filter((line) => line.format === format);
  return [...new Set(own.map(({ matrix }) => matrix))].flatMap((matrix) => {
    const measured = methods.map((method) => own.find((line) => line.matrix === matrix && line.requested === method));
    if (measured.includes(undefined)) return [];
    return [{ title: measured[0].title, nnz: measured[0].nnz, us: measured.map(({ us }) => us) }];
  });
}

function cellsOf({ title, nnz, us }) {
  const best = SHAPES[us.indexOf(Math.min(...us))];
  return [title, nnz.toLocaleString('en-US'), ...us.map((one) => one.toFixed(1)), best];
}

/** His two observations: more threads are faster, and the same number of threads in other blocks is as fast. */
function found(rows) {
  const faster = rows.filter(({ us: [a, b, c] }) => a > b && b > c).length;
  const apart = rows.map(({ us: [, , narrow, wide] }) => Math.max(narrow / wide, wide / narrow));
  const gains = rows.map(({ us }) => Math.min(...us.slice(0, HIS.length)) / us.at(-1));
  const range = (numbers) => `${Math.min(...numbers).toFixed(2)} to ${Math.max(...numbers).toFixed(2)}`;
  return (
    `More threads in 512 blocks are faster on ${faster} of ${rows.length}; 512 × 128 and 256 × 256, the same number of threads, differ by ` +
    `factors of ${range(apart)}; ours is ${range(gains)} × as fast as the best of his.`
  );
}
