/** Solves a system on ranks. `data`: `order` of the partition and the preconditioner. Returns x of all ranks in the order of the matrix. */
import { cg, gallery, inversePermutation, partition, permuteVector, rowsOfRank } from 'sparlane';

export function main(comm, { order, preconditioner }) {
  const matrix = gallery('laplace2d5', { nx: 60, ny: 50 });
  const dealt = partition(matrix, comm.size, { order });
  const ones = Float64Array.from({ length: matrix.rows }, (_, i) => 1 + (i % 7));
  const b = dealt.order === undefined ? ones : permuteVector(ones, dealt.order);
  const A = comm.operator(rowsOfRank(matrix, dealt, comm.rank));
  const M = comm.precondition(A, preconditioner);
  const { x, iterations } = cg(A, b.slice(dealt.bounds[comm.rank], dealt.bounds[comm.rank + 1]), { preconditioner: M });
  const all = comm.allgather(x.data);
  const report = A.explain();
  const inOrder = dealt.order === undefined ? all : permuteVector(all, inversePermutation(dealt.order));
  return { x: inOrder, iterations, report, halo: dealt.halo };
}
