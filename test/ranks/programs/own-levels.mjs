/** Solves with multigrid of each rank's own rows. `data`: the cases. */
import { cg, galleryRows } from 'sparlane';

export function main(comm, cases) {
  const inUse = comm.engine.heap.bytesInUse;
  const solved = cases.map(([name, given, spec]) => {
    const A = comm.operator(galleryRows(comm, name, given), { format: 'csr', ghostFormat: 'csr' });
    const b = comm.vector(Float64Array.from({ length: A.rows }, (_, i) => 1 + (i % 7)));
    try {
      const M = comm.precondition(A, spec);
      const { x, converged, iterations } = cg(A, b, { preconditioner: M });
      x.dispose();
      const levels = M.explain().levels?.length;
      M.dispose();
      return { converged, iterations, levels };
    } catch (error) {
      return { message: error.message };
    } finally {
      for (const used of [A, b]) used.dispose();
    }
  });
  return { solved, leaked: comm.engine.heap.bytesInUse - inUse };
}
