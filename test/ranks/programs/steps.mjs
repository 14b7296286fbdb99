/**
 * Ranks that take steps of cg until they are stopped. Arguments: the ranks, or 0 for those of mpirun; a rank that dies in a step, and how: `is killed`, `exits`.
 * Rank 0 prints a line when all are in their steps, and a rank that dies prints the time.
 */
import { writeSync } from 'node:fs';
import { cg, gallery, joinRanks, partition, rowsOfRank } from 'sparlane';

const [ranks, dies, how] = process.argv.slice(2);
const comm = await joinRanks({ ...(ranks !== '0' && { ranks: Number(ranks) }), threads: 1 });
const matrix = gallery('laplace2d5', { nx: 40, ny: 40 });
const A = comm.operator(rowsOfRank(matrix, partition(matrix, comm.size), comm.rank));
const b = comm.vector(A.rows).fill(1);
for (let solves = 0; ; solves++) {
  const isLast = solves === 2 && comm.rank === Number(dies);
  const onStep = ({ iteration }) => {
    if (isLast && iteration === 5) die();
    return true;
  };
  cg(A, b, { onStep });
  if (solves === 1 && comm.rank === 0) process.stdout.write('steps\n');
  // Signals are heard between solves.
  await new Promise(setImmediate);
}

function die() {
  writeSync(1, `${Date.now()}\n`);
  if (how === 'exits') process.exit(3);
  process.kill(process.pid, 'SIGKILL');
}
