/** Solves stencils without overlap and with it. `data`: the cases. */
import { cg, galleryRows, gmres } from 'sparlane';

export function main(comm, cases) {
  const inUse = comm.engine.heap.bytesInUse;
  const solved = cases.map(([name, given, spec]) => {
    const A = comm.operator(galleryRows(comm, name, given), { format: 'csr', ghostFormat: 'csr' });
    const b = comm.vector(new Float64Array(A.rows).fill(4));
    const both = [0, 1].map((overlap) => {
      const M = comm.precondition(A, spec, { overlap, dtype: 'f64' });
      const z = comm.vector(new Float64Array(A.rows));
      M.apply(b, z);
      const { x, iterations, converged } = (M.isSymmetric ? cg : gmres)(A, b, { preconditioner: M });
      const all = { z: comm.allgather(z.toArray()), x: comm.allgather(x.toArray()) };
      for (const used of [M, z, x]) used.dispose();
      return { ...all, iterations, converged };
    });
    for (const used of [A, b]) used.dispose();
    return both;
  });
  return { solved, leaked: comm.engine.heap.bytesInUse - inUse };
}
