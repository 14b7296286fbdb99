/**
 * Peers in JavaScript, on the calling thread: a program without a library, and libraries by their own sparse × vector
 * calls. None has threads, and all libraries compute in f64.
 *
 * The matrices here are canonical: columns ascend, without duplicates. The behaviour of each peer with other matrices:
 *
 * loop              uses CSR unchanged: explicit zeros are multiplied, duplicates summed, in any order.
 * mathjs            `multiply(SparseMatrix, vector)`. Compressed columns, converted here, since its own constructors go
 *                   through a dense array. Explicit zeros stay, duplicates are summed, in any order within a column.
 *                   Elements of x that it considers zero (|x| < 1e-15, its `absTol`) are skipped with their columns.
 *                   The result is a sparse column whose entries are in the order in which rows were met.
 * ml-sparse-matrix  `mmul` with a sparse matrix of one column; it has no other product. A hash table by row · columns + column:
 *                   `set` drops explicit zeros, the last of duplicates stays, and sums follow the order of the table.
 * numeric           `cdotMV`: coordinates. Explicit zeros are multiplied, duplicates summed, in any order. The result
 *                   ends with the last row that has an entry; later rows are missing.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { resolve } = createRequire(import.meta.url);
const ARRAYS = { f64: Float64Array, f32: Float32Array };

/** As in peer.h. */
const EVICTING_WORDS = 2 ** 25;
const WORDS_OF_A_LINE = 8;
let evictingWords;

export const JAVASCRIPT = [
  { name: 'typed-array loop', dtypes: ['f64', 'f32'], prepare: prepareLoop },
  { name: 'mathjs', package: 'mathjs', dtypes: ['f64'], prepare: prepareMathjs },
  { name: 'ml-sparse-matrix', package: 'ml-sparse-matrix', dtypes: ['f64'], prepare: prepareMlSparseMatrix },
  { name: 'numeric', package: 'numeric', dtypes: ['f64'], prepare: prepareNumeric },
].map(inProcess);

/** `prepare` resolves to { run, read }: run multiplies, read(y) copies the result of the last run to y. */
function inProcess({ name, package: needed, dtypes, prepare }) {
  return {
    ...{ name, language: 'javascript', dtypes, threads: 'one' },
    missing: () => (needed && !versionOf(needed) ? `no ${needed}: run npm install` : undefined),
    async open({ matrix, dtype, x }) {
      const library = needed && (await import(needed));
      const start = performance.now();
      const { run, read } = prepare(matrix, dtype, x, library);
      const setupMs = performance.now() - start;
      return {
        setupMs,
        version: needed ? `${needed} ${versionOf(needed)}` : `V8 ${process.versions.v8}`,
        async product(y) {
          run();
          read(y);
        },
        time: async (products, { cold = false } = {}) => Array.from({ length: products }, () => timed(run, cold)),
        close() {},
      };
    },
  };
}

function timed(run, cold) {
  if (cold) evict();
  const start = performance.now();
  run();
  return performance.now() - start;
}

function evict() {
  evictingWords ??= new Float64Array(EVICTING_WORDS).fill(1);
  let sum = 0;
  for (let k = 0; k < EVICTING_WORDS; k += WORDS_OF_A_LINE) sum += evictingWords[k];
  evictingWords[0] = sum;
}

function prepareLoop(matrix, dtype, given) {
  const Floats = ARRAYS[dtype];
  const inDtype = (array) => (array instanceof Floats ? array : Floats.from(array));
  const values = inDtype(matrix.values);
  const x = inDtype(given);
  const result = new Floats(matrix.rows);
  return { run: () => plainLoop(matrix, values, x, result), read: (y) => y.set(result) };
}

function plainLoop({ rows, rowPtr, colIdx }, values, x, y) {
  for (let i = 0; i < rows; i++) {
    let sum = 0;
    for (let k = rowPtr[i], end = rowPtr[i + 1]; k < end; k++) sum += values[k] * x[colIdx[k]];
    y[i] = sum;
  }
}

function prepareMathjs(matrix, _dtype, given, { DenseMatrix, multiply, SparseMatrix }) {
  const { rows, cols } = matrix;
  const A = new SparseMatrix({ ...compressedColumns(matrix), size: [rows, cols], datatype: 'number' });
  const x = new DenseMatrix({ data: Array.from(given), size: [cols], datatype: 'number' });
  let result;
  return {
    run: () => {
      result = multiply(A, x);
    },
    read: (y) => {
      y.fill(0);
      result.forEach((value, [row]) => {
        y[row] = value;
      }, true);
    },
  };
}

/** Plain arrays: mathjs accepts no others. */
export function compressedColumns({ rows, cols, nnz, rowPtr, colIdx, values }) {
  const ptr = new Array(cols + 1).fill(0);
  for (let k = 0; k < nnz; k++) ptr[colIdx[k] + 1]++;
  for (let j = 0; j < cols; j++) ptr[j + 1] += ptr[j];
  const free = ptr.slice();
  const columns = { index: new Array(nnz).fill(0), values: new Array(nnz).fill(0), ptr };
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) {
      const at = free[colIdx[k]]++;
      columns.index[at] = i;
      columns.values[at] = values[k];
    }
  }
  return columns;
}

function prepareMlSparseMatrix({ rows, cols, nnz, rowPtr, colIdx, values }, _dtype, given, { SparseMatrix }) {
  const A = new SparseMatrix(rows, cols, { initialCapacity: nnz });
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) A.set(i, colIdx[k], values[k]);
  }
  const x = new SparseMatrix(cols, 1, { initialCapacity: cols });
  for (let j = 0; j < cols; j++) x.set(j, 0, given[j]);
  let result;
  return {
    run: () => {
      result = A.mmul(x);
    },
    read: (y) => {
      for (let i = 0; i < rows; i++) y[i] = result.get(i, 0);
    },
  };
}

function prepareNumeric({ rows, nnz, rowPtr, colIdx, values }, _dtype, given, { default: numeric }) {
  const rowIdx = new Array(nnz).fill(0);
  for (let i = 0; i < rows; i++) rowIdx.fill(i, rowPtr[i], rowPtr[i + 1]);
  const A = [rowIdx, Array.from(colIdx), Array.from(values)];
  const x = Array.from(given);
  let result = [];
  return {
    run: () => {
      result = numeric.cdotMV(A, x);
    },
    read: (y) => {
      y.fill(0);
      y.set(result);
    },
  };
}

/** The version of an installed package, or undefined. Its exports need not include its package.json. */
export function versionOf(name) {
  for (const folder of resolve.paths(name)) {
    try {
      return JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8')).version;
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
  }
  return undefined;
}
