/** Eigenvalues on ranks. `data`: `which` and `k`. Returns the values, the residuals, and the vectors of all ranks, row by row. */
import { eigs, gallery, rowsOfRank } from 'sparlane';

export function main(comm, { which, k }) {
  // A square grid, in two equal parts for two ranks: with the same numbers on both, no vector would be odd across the middle.
  const matrix = gallery('laplace2d5', { nx: 24, ny: 24 });
  const bounds = Uint32Array.from({ length: comm.size + 1 }, (_, rank) => Math.round((rank * matrix.rows) / comm.size));
  const A = comm.operator(rowsOfRank(matrix, { bounds }, comm.rank));
  const { values, vectors, residualNorms, reason, converged, decision } = eigs(comm.engine, A, k, { which });
  return { values, residualNorms, reason, converged, decision, vectors: comm.allgather(vectors.toArray()) };
}
