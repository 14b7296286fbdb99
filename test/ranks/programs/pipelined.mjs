/** A solve by pipelined cg. Returns what it found, how many sums were awaited at once and how many were started, and how many products were made before these were awaited. */
import { gallery, partition, pipelinedCg, rowsOfRank } from 'sparlane';

export function main(comm, { preconditioner }) {
  const matrix = gallery('laplace2d5', { nx: 40, ny: 30 });
  const A = comm.operator(rowsOfRank(matrix, partition(matrix, comm.size, { order: 'natural' }), comm.rank));
  const M = comm.precondition(A, preconditioner);
  const b = comm.vector(A.rows).fill(1);
  let [waits, started, products] = [0, 0, 0];
  /** Products while a sum is on its way. */
  const during = new Set();
  const apply = A.apply.bind(A);
  A.apply = (...product) => {
    products++;
    apply(...product);
  };
  const { ranks } = comm.space;
  if (ranks !== undefined) {
    const [sum, startSums] = [ranks.sum.bind(ranks), ranks.startSums.bind(ranks)];
    ranks.sum = (numbers) => {
      waits++;
      sum(numbers);
    };
    ranks.startSums = (dots) => {
      started++;
      const [finish, before] = [startSums(dots), products];
      return () => {
        during.add(products - before);
        finish();
      };
    };
  }
  const { x, iterations, converged } = pipelinedCg(A, b, { preconditioner: M });
  return { x: comm.allgather(x.toArray()), iterations, converged, waits, started, during: [...during] };
}
