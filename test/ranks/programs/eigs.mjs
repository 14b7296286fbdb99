/**
 * Eigenvalues on ranks. `data`: `k`, options, and the name of a preconditioner for lobpcg. Returns the values, the residuals, and the vectors of all
 * ranks, row by row.
 */
import { eigs, gallery, rowsOfRank } from 'sparlane';

export function main(comm, { k, preconditioner, ...options }) {
  // A square grid, in two equal parts for two ranks: with the same numbers on both, no vector would be odd across the middle.
  const matrix = gallery('laplace2d5', { nx: 24, ny: 24 });
  const bounds = Uint32Array.from({ length: comm.size + 1 }, (_, rank) => Math.round((rank * matrix.rows) / comm.size));
  const A = comm.operator(rowsOfRank(matrix, { bounds }, comm.rank));
  const M = preconditioner === undefined ? {} : { preconditioner: comm.precondition(A, preconditioner) };
  const { values, vectors, residualNorms, reason, converged, decision } = eigs(comm.engine, A, k, { ...options, ...M });
  return { values, residualNorms, reason, converged, decision, vectors: comm.allgather(vectors.toArray()) };
}
