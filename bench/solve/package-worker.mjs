/** One solve by something written in JavaScript: see `packages.mjs`. Posts `{ x, iterations, ms }`. */
import { parentPort, workerData } from 'node:worker_threads';
import { compressedColumns } from '../peers/javascript.mjs';
import { jacobiCg } from './loops.mjs';

/** By solver: loads what it needs, and returns the solve. */
const SOLVERS = {
  loops: async () => jacobiCg,
  'conjugate-gradient': async () => {
    const { default: pcg } = await import('conjugate-gradient');
    return (matrix, b, limits) => conjugateGradient(pcg, matrix, b, limits);
  },
  mathjs: async () => {
    const { lusolve, slu, SparseMatrix } = await import('mathjs');
    return (matrix, b) => {
      const size = [matrix.rows, matrix.cols];
      const A = new SparseMatrix({ ...compressedColumns(matrix), size, datatype: 'number' });
      const x = lusolve(slu(A, 1, 1), Array.from(b));
      return { x: Float64Array.from(x.toArray ? x.toArray().flat() : x.flat()), iterations: 1 };
    };
  },
  numeric: async () => {
    const { default: numeric } = await import('numeric');
    return (matrix, b) => {
      const { ptr, index, values } = compressedColumns(matrix);
      const factors = numeric.ccsLUP([ptr, index, values]);
      return { x: Float64Array.from(numeric.ccsLUPSolve(factors, Array.from(b))), iterations: 1 };
    };
  },
};

function conjugateGradient(pcg, { rows, rowPtr, colIdx, values }, b, { rtol, maxIterations }) {
  let products = 0;
  const A = {
    rowCount: rows,
    get(row, col) {
      for (let k = rowPtr[row]; k < rowPtr[row + 1]; k++) if (colIdx[k] === col) return values[k];
      return 0;
    },
    apply(x, y) {
      products++;
      for (let i = 0; i < rows; i++) {
        let sum = 0;
        for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) sum += values[k] * x[colIdx[k]];
        y[i] = sum;
      }
    },
  };
  const tolerance = (rtol * Math.sqrt(b.reduce((sum, value) => sum + value * value, 0))) / Math.sqrt(rows);
  const x = pcg(A, b, new Float64Array(rows), tolerance, maxIterations);
  return { x, iterations: products - 1 };
}

const { solver, matrix, b, rtol, maxIterations } = workerData;
const solve = await SOLVERS[solver]();
const begin = performance.now();
const { x, iterations } = solve(matrix, b, { rtol, maxIterations });
parentPort.postMessage({ x, iterations, ms: performance.now() - begin });
