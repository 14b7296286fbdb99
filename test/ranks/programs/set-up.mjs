/** Sets up a distributed operator, and returns by how much its heap grows, and a product. */
import { galleryRows } from 'sparlane';

export function main(comm, { side }) {
  const rows = galleryRows(comm, 'laplace3d27', { nx: side, ny: side, nz: side });
  const A = comm.operator(rows, { format: 'csr', ghostFormat: 'csr' });
  const { bytes } = A;
  const peak = comm.engine.heap.byteLength;
  const x = comm.vector(Float64Array.from({ length: A.cols }, (_, i) => Math.sin(rows.firstRow + i)));
  const y = comm.vector(A.rows);
  A.apply(x, y);
  return { bytes, peak, y: comm.allgather(y.data) };
}
