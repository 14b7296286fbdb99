/**
 * Ranks on GPUs as processes of MPI: the checks of `cuda/ranks`, then products in sequence and recorded steps of cg. Rank 0 prints what all found.
 *
 * usage: mpirun -n 2 node bench/cuda/ranks/processes.mjs [TASK …]     TASK: vectors, products, solvers, sequence or step; default: all
 */
import { joinRanks } from '../../../dist/index.node.js';
import { print } from '../../contenders.mjs';
import { matrixByName } from '../matrices.mjs';
import { main } from './program.mjs';

const MATRIX = '27-point';
const STEPS = 100;
const SAMPLES = 5;
const ALL = ['vectors', 'products', 'solvers', 'sequence', 'step'];
const MEASURED = ['sequence', 'step'];

const comm = await joinRanks({ device: 'cuda', threads: 1 });
const wanted = process.argv.slice(2);
for (const task of wanted.length > 0 ? wanted : ALL) {
  const matrix = MEASURED.includes(task) ? matrixByName(MATRIX).make(1) : undefined;
  const done = await main(comm, { task, matrix, specs: ['csr'], format: 'csr', steps: STEPS, samples: SAMPLES });
  const failed = comm.allreduce(done.failed ?? done.wrong ?? 0);
  if (comm.rank === 0) print(`${task}, ${comm.size} processes: ${JSON.stringify({ ...done, failed })}`);
}
await comm.dispose();
