/** What multigrid over ranks refuses, on all ranks. Returns the errors by name; after each of them the ranks go on. */
import { galleryRows } from 'sparlane';

export function main(comm) {
  const isSecond = comm.rank === 1;
  const A = comm.operator(galleryRows(comm, 'laplace2d5', { nx: 21, ny: 20 }));
  const wrong = comm.operator(negative(comm, isSecond));
  const inUse = comm.engine.heap.bytesInUse;
  const zeros = () => new Float64Array(A.rows);
  const values = () => galleryRows(comm, 'laplace2d5', { nx: 21, ny: 20 }).values.slice();
  const updated = (spec, others) => {
    const M = comm.precondition(A, spec);
    try {
      M.update(others);
    } finally {
      M.dispose();
    }
  };
  const attempts = {
    'a smoother of triangles': () => comm.precondition(A, 'amg?smoother=ssor'),
    overlap: () => comm.precondition(A, 'amg', { overlap: 1 }),
    'a block that cuts nodes': () => comm.precondition(A, 'amg?block=3'),
    'a parameter': () => comm.precondition(A, 'amg?theta=2'),
    'different numbers of modes': () =>
      comm.precondition(A, 'amg', { nearNullSpace: isSecond ? [zeros(), zeros()] : [zeros()] }),
    'a vector of another length on one rank': () =>
      comm.precondition(A, 'amg', { nearNullSpace: [isSecond ? zeros().subarray(1) : zeros()] }),
    'a dtype': () => comm.precondition(A, 'amg', { dtype: 'f16' }),
    'a negative diagonal entry on one rank': () => comm.precondition(wrong, 'amg?smoother=chebyshev&coarsest=50'),
    'an infinite number on one rank': () => {
      const others = values();
      if (isSecond) others[3] = Number.POSITIVE_INFINITY;
      updated('amg?smoother=chebyshev&coarsest=50', others);
    },
    'too few values on one rank': () => updated('amg', new Float64Array(isSecond ? 3 : values().length)),
  };
  const errors = Object.entries(attempts).map(([name, attempt]) => {
    try {
      attempt();
      return [name, 'no error'];
    } catch (error) {
      return [name, `${error}`];
    }
  });
  const leaked = comm.engine.heap.bytesInUse - inUse;
  const M = comm.precondition(A, 'amg?coarsest=50');
  return { errors, leaked, levels: M.explain().levels.length };
}

/** The rows, with a diagonal of −4 in one of rank 1. */
function negative(comm, isHere) {
  const rows = galleryRows(comm, 'laplace2d5', { nx: 21, ny: 20 });
  const values = rows.values.slice();
  if (isHere)
    for (let k = rows.rowPtr[7]; k < rows.rowPtr[8]; k++) if (rows.colIdx[k] === rows.firstRow + 7) values[k] = -4;
  return { ...rows, values };
}
