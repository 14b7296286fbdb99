/**
 * Verifies every installed peer, in each dtype and number of threads, and prints its GFLOP/s on a few matrices: shows
 * in a minute whether the peers work on this machine. These figures are not for comparison: that needs contenders in
 * turns.
 *
 * usage: npx bench peers/check [--threads 1,2] [--peers NAME,…] [gallery:… …]        (after `npm run build`)
 */
import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadMatrix } from '../../dist/cli/load.js';
import { compareProduct, expectedProduct } from '../../dist/conformance/expected.js';
import { benchVector, print } from '../contenders.mjs';
import { median } from '../times.mjs';
import { PEERS, temporaryFolder, writeMatrixFile } from './index.mjs';

const MATRICES = ['gallery:laplace2d5?nx=700&ny=700&values=real', 'gallery:rmat?scale=16', 'gallery:qcd'];
const ARRAYS = { f64: Float64Array, f32: Float32Array };
const WARM_UP_PRODUCTS = 3;
const TIMED_MS = 150;

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    threads: { type: 'string', default: `1,${availableParallelism()}` },
    peers: { type: 'string', default: 'all' },
  },
});
const sources = positionals.length > 0 ? positionals : MATRICES;
const peers = PEERS.filter(({ name }) => flags.peers === 'all' || flags.peers.split(',').includes(name));
const threadCounts = [...new Set(flags.threads.split(',').map(Number))];

const there = peers.filter(({ name, missing }) => {
  const reason = missing();
  if (reason !== undefined) print(`${name}: ${reason}`);
  return reason === undefined;
});
const runs = there.flatMap((peer) =>
  peer.dtypes.flatMap((dtype) =>
    (peer.threads === 'many' ? threadCounts : [1]).map((threads) => ({ peer, dtype, threads, cells: [], version: '' })),
  ),
);

for (const source of sources) {
  const matrix = await loadMatrix(source);
  const matrixFile = join(temporaryFolder(), 'checked');
  writeMatrixFile(matrix, matrixFile);
  print(`${source}: ${matrix.rows} × ${matrix.cols}, ${matrix.nnz} entries`);
  for (const run of runs) run.cells.push(await check(run, matrix, matrixFile));
  rmSync(matrixFile);
}

print(`\nGFLOP/s (setup, ms; max. error relative to |A||x|)`);
for (const { peer, dtype, threads, cells, version } of runs) {
  print(`${peer.name.padEnd(22)} ${dtype} ${threads}  ${cells.map((cell) => cell.padEnd(28)).join(' ')} ${version}`);
}

async function check(run, matrix, matrixFile) {
  const { peer, dtype, threads } = run;
  const x = ARRAYS[dtype].from(benchVector(matrix.cols));
  const y = new ARRAYS[dtype](matrix.rows).fill(Number.NaN);
  try {
    const opened = await peer.open({ matrix, matrixFile, dtype, threads, x });
    run.version = opened.version;
    await opened.product(y);
    const { maxError, firstWrong } = compareProduct(expectedProduct(matrix, dtype, x, y, 1, 0), y);
    const early = await opened.time(WARM_UP_PRODUCTS);
    const times = await opened.time(Math.max(1, Math.ceil(TIMED_MS / Math.max(early.at(-1), 0.01))));
    await opened.close();
    if (firstWrong >= 0) return `WRONG in row ${firstWrong}`;
    const gflops = (2 * matrix.nnz) / median(times) / 1e6;
    return `${gflops.toFixed(gflops < 0.1 ? 3 : 2)} (${opened.setupMs.toFixed(1)}; ${maxError.toExponential(0)})`;
  } catch (error) {
    return error.message.slice(0, 60);
  }
}
