/**
 * CPU times of `solve` of ml-matrix, and of the same by the factors of sparlane (`sparse-solve.mjs`), for the matrices of grids of 5 points.
 *
 * usage: node examples/ml-matrix/ml-matrix.mjs [SIDE,…]
 *   SIDE   of the grids; default 8,10,15,20,30
 */
import * as mlMatrix from 'ml-matrix';
import { createEngine, gallery } from 'sparlane';
import { sparseSolve } from './sparse-solve.mjs';

const ROUNDS = 9;
/** Solves before those that are timed, until their code is compiled. ml-matrix runs the same loops for each matrix. */
const WARM_UP = 100;
const { Matrix, solve } = mlMatrix;

const print = (line) => void process.stdout.write(`${line}\n`);
const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

function denseGrid(side) {
  const { rows, rowPtr, colIdx, values } = gallery('laplace2d5', { nx: side, ny: side });
  const A = Matrix.zeros(rows, rows);
  for (let i = 0; i < rows; i++) for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) A.set(i, colIdx[k], values[k]);
  return A;
}

function timed(work) {
  const begin = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(begin);
  return { result, ms: (user + system) / 1000 };
}

const engine = await createEngine({ threads: 1 });
const fast = sparseSolve(engine, mlMatrix, { minRows: 0 });
print('rows  ml-matrix, ms  sparlane, ms  ratio  greatest difference of X');
for (const side of (process.argv[2] ?? '8,10,15,20,30').split(',').map(Number)) {
  const A = denseGrid(side);
  const B = Matrix.ones(A.rows, 1);
  for (let k = 0; k < WARM_UP; k++) fast(A, B);
  const rounds = Array.from({ length: ROUNDS }, () => [timed(() => solve(A, B)), timed(() => fast(A, B))]);
  const [own, ours] = [0, 1].map((k) => median(rounds.map((round) => round[k].ms)));
  const ratio = median(rounds.map(([a, b]) => a.ms / b.ms));
  const difference = Matrix.sub(rounds[0][0].result, rounds[0][1].result).abs().max();
  print(`${A.rows}  ${own.toFixed(2)}  ${ours.toFixed(2)}  ${ratio.toFixed(2)}  ${difference.toExponential(1)}`);
}
await engine.dispose();
