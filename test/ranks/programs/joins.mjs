/** A program of ranks, for node and for mpirun. Arguments: the ranks, or 0 for those of mpirun; what rank 1 does. */
import { cg, gallery, joinRanks, partition, rowsOfRank } from 'sparlane';

const [ranks, deed] = process.argv.slice(2);
const comm = await joinRanks({ ...(ranks !== '0' && { ranks: Number(ranks) }), threads: 1 });
if (comm.rank === 1) {
  if (deed === 'throws') throw new Error('boom');
  if (deed === 'exits') process.exit(3);
}
if (comm.rank === Number(deed?.match(/^(\d) ends$/)?.[1])) process.exit(0);
const matrix = gallery('laplace2d5', { nx: 40, ny: 40 });
const A = comm.operator(rowsOfRank(matrix, partition(matrix, comm.size), comm.rank));
const { x, converged } = cg(A, comm.vector(A.rows).fill(1), { preconditioner: comm.precondition(A, 'ic0') });
const total = comm.allreduce(x.data.reduce((sum, value) => sum + value, 0));
if (comm.rank === 0) process.stdout.write(`${comm.size} ranks by ${comm.transport}: ${converged} ${total}\n`);
