/**
 * The ranks of `network.mjs`, under mpirun: a chain in which each rank has a line of a grid. Rank 0 prints milliseconds as JSON: of an allreduce, and, for each
 * length of a line, of a product, which exchanges that line with each neighbour, and of a step of cg.
 */
import { galleryRows, joinRanks } from '../../dist/index.node.js';
import { conjugateGradients, spaceOf } from '../cg/solver.mjs';
import { time } from '../times.mjs';

const ROUNDS = 4;
const DIAGONAL = 4;

const [lengths, calls] = process.argv.slice(2).map((text) => JSON.parse(text));
const comm = await joinRanks({ threads: 1 });

/** Returns the mean time of a call in the fastest of some rounds: other work of the cores only makes it longer. Calls in a row wait for neighbours only. */
function meanMs(run) {
  const round = () => {
    comm.barrier();
    return time(() => {
      for (let k = 0; k < calls; k++) run();
    });
  };
  round();
  return Math.min(...Array.from({ length: ROUNDS }, round)) / calls;
}

function ofLines(length) {
  const A = comm.operator(galleryRows(comm, 'laplace2d5', { nx: length, ny: comm.size }), { format: 'csr' });
  const b = new Float64Array(A.rows).fill(1);
  const { step } = conjugateGradients(spaceOf(comm.engine), A, {
    b,
    d: new Float64Array(A.rows).fill(1 / DIAGONAL),
    iterations: 1,
  });
  const [x, y] = [comm.vector(b), comm.vector(A.rows)];
  return { length, productMs: meanMs(() => A.apply(x, y)), stepMs: meanMs(step) };
}

const measured = { allreduceMs: meanMs(() => comm.allreduce(1)), lines: lengths.map(ofLines) };
if (comm.rank === 0) process.stdout.write(`${JSON.stringify(measured)}\n`);
