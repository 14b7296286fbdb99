/**
 * Singular values and the trace on ranks. `data`: `matrix`, `k`, options, and whether seeds differ. Returns the values, the residuals, and the vectors of all ranks, row by row;
 * for a square matrix estimates of the trace, and the exact one.
 */
import { rowsOfRank, svds, trace } from 'sparlane';

export function main(comm, { matrix, k, differs, ...given }) {
  const options = differs ? { ...given, seed: 1 + comm.rank } : given;
  // Parts of different sizes: a fifth of the rows less for the first rank.
  const share = (rank) => Math.round(matrix.rows * (rank / comm.size) ** 1.2);
  const bounds = Uint32Array.from({ length: comm.size + 1 }, (_, rank) => share(rank));
  const A = comm.operator(rowsOfRank(matrix, { bounds }, comm.rank));
  const { values, U, V, residualNorms, reason, converged, decision } = svds(comm.engine, A, k, options);
  const [left, right] = [U, V].map((block) => comm.allgather(block.toArray()));
  const traces = matrix.rows === matrix.cols ? [trace(A), trace(A, { products: matrix.rows })] : [];
  return { values, residualNorms, reason, converged, decision, U: left, V: right, traces };
}
