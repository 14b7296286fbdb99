/** Ranks compute on fake devices (`../devices/`), which with `?apart` in the URL do not reach each other, and with `?shared` are fewer than the ranks. */
import { register } from 'node:module';
import { checkRankVectors } from '#dist/conformance/rank-call-checks.js';
import { checkRankProducts, DEALS, dealt } from '#dist/conformance/rank-checks.js';
import { createEngine, gallery, precondition, rowsOfRank } from '#dist/index.node.js';
import { PRECONDITIONERS } from '#dist/preconditioners/registry.js';
import { solveWith } from '#dist/solvers/iterate.js';
import { METHODS, methodOf } from '#dist/solvers/methods.js';

const [how] = new URL(import.meta.url).search.slice(1).split('&');
const ARE_LINKED = how === '';
process.env.DEVICES_ARE_LINKED = how === 'apart' ? 'no' : 'yes';
process.env.DEVICES = how === 'shared' ? '2' : '3';
register('../devices/hooks.mjs', import.meta.url);

export async function main(comm, { checks, every }) {
  const { hasPeers, place } = comm.space;
  const found = [];
  for (const check of checks) found.push({ hasPeers, place, ...(await CHECKS[check](comm, every)) });
  return found;
}

const CHECKS = {
  vectors: (comm) => reportOf(checkRankVectors(comm)),
  products: (comm, every) => reportOf(checkRankProducts(comm, ['csr'], { brief: every > 1, every })),
  sequences,
  recorded,
  unrecorded,
  solves,
  refused,
};

function reportOf({ checks, failed, refused, failures }) {
  return { checks, failed, refused, failures: failures.slice(0, 5) };
}

const CSR = { format: 'csr', ghostFormat: 'csr' };

/** Makes an operator and x, whose products are exact. `numbers` has x of all ranks, and `first` is the first row of this one. */
function exactProblem(comm) {
  const matrix = gallery('laplace2d5', { nx: 9, ny: 12 });
  const deal = dealt(matrix, DEALS.even, comm.size);
  const [first, end] = [deal.bounds[comm.rank], deal.bounds[comm.rank + 1]];
  const A = comm.operator(rowsOfRank(matrix, deal, comm.rank), CSR);
  const numbers = Float64Array.from({ length: matrix.rows }, (_, i) => (i % 5) - 2);
  const x = comm.vector(numbers.slice(first, end));
  return { matrix, first, A, x, y: comm.vector(A.rows), numbers };
}

/** Counts the elements that differ after products y ← α A x, x ← y of which none is waited for. */
function sequences(comm) {
  const { matrix, first, A, x, y, numbers } = exactProblem(comm);
  let all = numbers;
  const start = x.toArray();
  for (let step = 0; step < STEPS; step++) all = eighthOfProduct(matrix, all);
  let wrong = 0;
  for (let round = 0; round < ROUNDS; round++) {
    x.set(start);
    for (let step = 0; step < STEPS; step++) A.apply(step % 2 === 0 ? x : y, step % 2 === 0 ? y : x, 1 / 8);
    wrong += x.toArray().filter((value, i) => value !== all[first + i]).length;
  }
  return { wrong };
}

/** An even number: three bits each, of the 53 that numbers have. */
const STEPS = 14;
const ROUNDS = 20;

function eighthOfProduct({ rows, rowPtr, colIdx, values }, x) {
  return Float64Array.from({ length: rows }, (_, i) => {
    let sum = 0;
    for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) sum += values[k] * x[colIdx[k]];
    return sum / 8;
  });
}

/** Counts elements and sums that differ if two of three products are by a recording, so that it has even turns and odd ones. */
function recorded(comm) {
  const { matrix, first, A, x, y, numbers } = exactProblem(comm);
  const ones = comm.vector(A.rows).fill(1);
  let all = numbers;
  const sum = comm.scalar();
  const step = () => {
    A.apply(x, y, 1 / 8);
    y.dot(ones, sum);
    x.axpby(1, y, 0);
  };
  const recording = comm.space.record(step);
  let wrong = 0;
  for (let k = 0; k < STEPS; k++) {
    all = eighthOfProduct(matrix, all);
    if (k % 3 === 2) step();
    else recording.launch();
    if (k % 4 === 3 && sum.value !== all.reduce((of, value) => of + value, 0)) wrong++;
  }
  wrong += x.toArray().filter((value, i) => value !== all[first + i]).length;
  recording.dispose();
  return { wrong };
}

/** Returns the errors of what a step must not do, of ranks that record different steps, and of a launch by one rank alone. */
function unrecorded(comm) {
  const [x, sum] = [comm.vector(10), comm.scalar()];
  const messageOf = (call) => {
    try {
      call();
      return '';
    } catch (error) {
      return error.message;
    }
  };
  const refused = messageOf(() => comm.space.record(() => x.dot(x, sum).value));
  const different = messageOf(() => comm.space.record(() => comm.rank === 0 || x.dot(x, sum)));
  const step = comm.space.record(() => x.dot(x, sum));
  const alone = messageOf(() => (comm.rank === 0 ? step.launch() : comm.barrier()));
  return { refused, different, alone };
}

/**
 * Every method, without a preconditioner and with those that are the same on any number of ranks. These exchange nothing, so devices that do not
 * reach each other solve without.
 */
const SOLVES = METHODS.flatMap((method) => {
  const kinds = ARE_LINKED ? PRECONDITIONERS.filter(({ isOfDiagonal }) => isOfDiagonal && method.solves !== 'any') : [];
  return [undefined, ...kinds.map(({ name }) => name)].map((kind) => [method, kind]);
});

/** Solves on all ranks, and the same in one process without a device: iterations of both, and x. */
async function solves(comm) {
  const matrix = gallery('laplace2d5', { nx: 14, ny: 9 });
  const right = Float64Array.from({ length: matrix.rows }, (_, i) => 1 + (i % 7));
  const { bounds } = dealt(matrix, DEALS.uneven, comm.size);
  const A = comm.operator(rowsOfRank(matrix, dealt(matrix, DEALS.uneven, comm.size), comm.rank), CSR);
  const b = comm.vector(right.slice(bounds[comm.rank], bounds[comm.rank + 1]));
  const engine = await createEngine({ threads: 1 });
  const alone = engine.operator(matrix, { format: 'csr' });
  const all = SOLVES.map(([method, kind]) => {
    const solveOn = (operator, rightSide, M) => {
      const options = { checkEvery: 1, ...(M && { preconditioner: M }) };
      const At = method.solves === 'any' ? operator.transposed() : undefined;
      return solveWith(methodOf(method.name).steps, operator, rightSide, options, At);
    };
    const M = kind && comm.precondition(A, kind);
    const one = kind && precondition(engine, matrix, kind);
    const found = solveOn(A, b, M);
    const expected = solveOn(alone, right, one);
    const x = [...comm.allgather(found.x.toArray())];
    const { iterations, converged } = found;
    const name = `${method.name} ${kind ?? ''}`;
    return { name, iterations, expected: expected.iterations, isErratic: method.isErratic === true, converged, x };
  });
  return { all, data: right };
}

/** What cannot be done on a device is refused on all ranks. */
function refused(comm) {
  const matrix = gallery('laplace2d5', { nx: 6, ny: 6 });
  const A = comm.operator(rowsOfRank(matrix, dealt(matrix, DEALS.even, comm.size), comm.rank), CSR);
  try {
    comm.precondition(A, 'jacobi', { overlap: 1 });
    return {};
  } catch (error) {
    return { message: error.message };
  }
}
