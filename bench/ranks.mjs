/**
 * Products by ranks of one thread, in turn with one process of as many threads: ms, median of the products of a turn. Also the time of an
 * allreduce of one number. The product of ranks includes the exchange of the halo.
 *
 * usage: npm run bench:ranks -- [--ranks 2] [--turns 2] [--matrices URL,URL …]
 */
import { parseArgs } from 'node:util';
import { isMainThread } from 'node:worker_threads';
import { createEngine, gallery, parseGalleryUrl, partition, rowsOfRank, runRanks } from '../dist/index.node.js';

const PRODUCTS = 30;
const MATRICES = 'gallery:laplace2d5?nx=2000&ny=2000,gallery:laplace3d27?nx=80&ny=80&nz=80';

/** The program of a rank. */
export function main(comm, url) {
  const matrix = matrixOf(url);
  const dealt = partition(matrix, comm.size, { order: 'natural' });
  const A = comm.operator(rowsOfRank(matrix, dealt, comm.rank), { format: 'auto', products: 'many' });
  const x = comm.vector(A.cols).fill(1);
  const y = comm.vector(A.rows);
  const productMs = median(() => {
    comm.barrier();
    return timed(() => {
      A.apply(x, y);
      comm.barrier();
    });
  });
  // The first calls are not compiled yet.
  const reduceOften = () => times(5000, () => comm.allreduce(1));
  reduceOften();
  const allreduceUs = (1e3 * timed(reduceOften)) / 5000;
  return { productMs, allreduceUs, format: A.own.format, halo: A.explain().halo.total };
}

function matrixOf(url) {
  const { name, given } = parseGalleryUrl(url);
  return gallery(name, given);
}

async function alone(url, threads) {
  const engine = await createEngine({ threads });
  const A = engine.operator(matrixOf(url), { products: 'many' });
  const x = engine.vector(A.cols).fill(1);
  const y = engine.vector(A.rows);
  const productMs = median(() => timed(() => A.apply(x, y)));
  const { format } = A;
  await engine.dispose();
  return { productMs, format };
}

function timed(run) {
  const begin = performance.now();
  run();
  return performance.now() - begin;
}

function times(count, run) {
  for (let i = 0; i < count; i++) run();
}

function median(sample) {
  times(5, sample);
  const all = Array.from({ length: PRODUCTS }, sample).sort((a, b) => a - b);
  return all[PRODUCTS >> 1];
}

async function run() {
  const { values } = parseArgs({
    options: {
      ranks: { type: 'string', default: '2' },
      turns: { type: 'string', default: '2' },
      matrices: { type: 'string', default: MATRICES },
    },
  });
  const ranks = Number(values.ranks);
  for (const url of values.matrices.split(',')) {
    for (let turn = 0; turn < Number(values.turns); turn++) {
      const one = await alone(url, ranks);
      const [first] = await runRanks(import.meta.url, { ranks, threads: 1, data: url });
      const ratio = one.productMs / first.productMs;
      process.stdout.write(
        `${url}: ${ranks} threads ${one.productMs.toFixed(3)} ms (${one.format}), ${ranks} ranks ${first.productMs.toFixed(3)} ms (${first.format}), ` +
          `${ratio.toFixed(2)} ×, halo ${first.halo}, allreduce ${first.allreduceUs.toFixed(1)} µs\n`,
      );
    }
  }
}

if (isMainThread) await run();
