/** All ranks make the same calls, but rank 1 with other arguments, or its function throws. `deeds`: what differs, one after the other. Returns the errors. */
import {
  bicgstab,
  cg,
  chebyshev,
  fgmres,
  gallery,
  gmres,
  partition,
  powerIteration,
  rowsOfRank,
  solveRows,
} from 'sparlane';

class OwnError extends Error {
  name = 'OwnError';
}

export function main(comm, deeds) {
  const matrix = gallery('laplace2d5', { nx: 8, ny: 8 });
  const rows = rowsOfRank(matrix, partition(matrix, comm.size, { order: 'natural' }), comm.rank);
  const [A, B] = [comm.operator(rows), comm.operator(rows)];
  const b = new Float64Array(A.rows).fill(1);
  const differs = comm.rank === 1;
  const M = () => comm.precondition(A, 'jacobi');
  const throws = (error) => () => {
    if (differs) throw error;
  };
  const calls = {
    dtype: () => comm.operator(rows, { dtype: differs ? 'f32' : 'f64' }),
    symmetry: () => comm.operator({ ...rows, symmetry: differs ? 'symmetric' : 'general' }),
    preconditioner: () => comm.precondition(A, differs ? 'jacobi' : 'ic0'),
    'parameter of a preconditioner': () => comm.precondition(A, differs ? 'block-jacobi?size=4' : 'block-jacobi'),
    'dtype of a preconditioner': () => comm.precondition(A, 'ic0', differs ? { dtype: 'f64' } : {}),
    overlap: () => comm.precondition(A, 'ic0', { overlap: differs ? 1 : 0 }),
    'preconditioned operator': () => comm.precondition(differs ? B : A, 'ic0'),
    maxIterations: () => cg(A, b, { maxIterations: differs ? 5 : 7 }),
    'default of maxIterations': () => cg(A, b, differs ? { maxIterations: 5 } : {}),
    rtol: () => cg(A, b, { rtol: differs ? 1e-3 : 1e-8 }),
    atol: () => cg(A, b, { atol: differs ? 1 : 0 }),
    checkEvery: () => cg(A, b, { checkEvery: differs ? 2 : 1 }),
    timing: () => cg(A, b, { timing: differs }),
    'use of a preconditioner': () => {
      const made = M();
      cg(A, b, differs ? {} : { preconditioner: made });
    },
    method: () => (differs ? bicgstab : cg)(A, b),
    restart: () => gmres(A, b, { restart: differs ? 5 : 30 }),
    flexibility: () => (differs ? fgmres : gmres)(A, b),
    bounds: () => chebyshev(A, b, { bounds: [differs ? 0.01 : 0.02, 8] }),
    powers: () => powerIteration(A, { maxIterations: differs ? 5 : 7 }),
    'method of solveRows': () => solveRows(comm, rows, b, { method: differs ? 'minres' : 'cg' }),
    'preconditioner of solveRows': () => solveRows(comm, rows, b, { preconditioner: differs ? 'jacobi' : 'auto' }),
    'type of elements': () => comm.allgather(differs ? new Uint32Array(2) : new Float32Array(2)),
    'type of what is told': () => comm.broadcast(differs ? new Float64Array(1) : new Float32Array(1)),
    'a plain error': () => comm.together(throws(new Error('boom'))),
    'a RangeError': () => comm.together(throws(new RangeError('boom'))),
    'an error of its own class': () => comm.together(throws(new OwnError('boom'))),
    'a string': () => comm.together(throws('boom')),
    'a promise': () => comm.together(differs ? async () => throws('boom')() : () => 1),
  };
  return deeds.map((deed) => {
    try {
      calls[deed]();
      return ['no error'];
    } catch (error) {
      const kind = error instanceof RangeError ? 'RangeError' : error.constructor === Error ? 'Error' : error.code;
      return [`${error}`, kind, error.rank ?? error.detail?.rank];
    }
  });
}
