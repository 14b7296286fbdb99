/** A rank of the checks of ranks: the sum of A 1 over all of them. As a program, a process of mpirun, whose rank 0 prints it. */
import { gallery, joinRanks, partition, rowsOfRank } from 'sparlane';

export function main(comm) {
  const matrix = gallery('laplace2d5', { nx: 300, ny: 300 });
  const A = comm.operator(rowsOfRank(matrix, partition(matrix, comm.size), comm.rank));
  const y = comm.vector(A.rows);
  A.apply(comm.vector(A.cols).fill(1), y);
  const sums = comm.allgather(Float64Array.of(y.toArray().reduce((total, value) => total + value, 0)));
  return sums.reduce((total, value) => total + value, 0);
}

if (process.env.OMPI_COMM_WORLD_SIZE !== undefined) {
  const comm = await joinRanks({ threads: 1 });
  const sum = main(comm);
  if (comm.rank === 0) process.stdout.write(`${comm.size} ranks: ${sum}\n`);
}
