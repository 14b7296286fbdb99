/** Eigenvalues of convection and diffusion on ranks. `data`: `which` and `k`. Returns what is found. */
import { eigsGeneral, gallery, rowsOfRank } from 'sparlane';

export function main(comm, { which, k }) {
  const matrix = gallery('convection2d', { nx: 20, ny: 20 });
  const bounds = Uint32Array.from({ length: comm.size + 1 }, (_, rank) => Math.round((rank * matrix.rows) / comm.size));
  const A = comm.operator(rowsOfRank(matrix, { bounds }, comm.rank));
  const { values, residualNorms, reason, converged, left } = eigsGeneral(comm.engine, A, k, { which, left: true });
  return { ...values, residualNorms, reason, converged, conditions: left.conditions, ofLeft: left.converged };
}
