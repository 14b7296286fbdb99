import { cg, gallery, joinRanks, partition, rowsOfRank } from 'sparlane';

// Two ranks, each with half of the rows and a memory of its own: threads here, processes under `mpirun -n 2 node ranks.mjs`.
const comm = await joinRanks({ ranks: 2, threads: 1 });
const matrix = gallery('laplace2d5', { nx: 100, ny: 100 });
const A = comm.operator(rowsOfRank(matrix, partition(matrix, comm.size, { order: 'natural' }), comm.rank));
const M = comm.precondition(A, 'ic0');
const { x, converged } = cg(A, comm.vector(A.rows).fill(1), { preconditioner: M, rtol: 1e-10 });
const all = comm.allgather(x.toArray()); // the parts of both, one after the other
if (comm.rank === 0)
  console.log(`rows of rank 0: ${A.rows}, converged: ${converged}, in the middle: ${all[5050].toFixed(4)}`);
