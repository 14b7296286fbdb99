/** Multiplies and solves with a stencil of the gallery of which each rank makes its rows. `data`: nx, and the bytes of a memory. */
import { cg, createEngine, gallery, galleryRows } from 'sparlane';

export async function main(comm, { nx, maximumBytes }) {
  const grid = { nx, ny: nx, nz: nx };
  const whole = await refusal(maximumBytes, grid);
  const A = comm.operator(galleryRows(comm, 'laplace3d27', grid), { format: 'csr', ghostFormat: 'csr' });
  const { firstRow } = A.explain();
  const x = comm.vector(Float64Array.from({ length: A.rows }, (_, i) => (firstRow + i) % 10));
  const mine = comm.vector(new Float64Array(A.rows));
  A.apply(x, mine);
  const y = comm.allgather(mine.toArray());
  const { converged } = cg(A, comm.vector(new Float64Array(A.rows).fill(1)));
  return { y, converged, whole, bytes: comm.engine.heap.byteLength };
}

/** What one memory of as many bytes says to the whole matrix. */
async function refusal(maximumBytes, grid) {
  const alone = await createEngine({ threads: 1, maximumBytes });
  try {
    alone.operator(gallery('laplace3d27', grid), { format: 'csr' });
    return 'it fits';
  } catch (error) {
    return error.code;
  } finally {
    await alone.dispose();
  }
}
