/**
 * Products with blocks of vectors, Y ← A X: GFLOP/s by the number of columns, with both `blockSums`, beside C with a fixed number of columns, Eigen, librsb
 * and, on one thread, SciPy, in turn. Column 0 of every product is compared with that of the reference before it is timed.
 *
 * usage: npx bench blocks [--small] [--threads 1,2] [--columns 1,2,4] [--format auto] [--rounds 5]
 *        (after `npm run build`; peers: bench/peers/setup)
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadMatrix } from '../dist/cli/load.js';
import { createEngine } from '../dist/index.node.js';
import { print } from './contenders.mjs';
import { describeMachine } from './machine.mjs';
import { temporaryFolder } from './peers/compile.mjs';
import { writeMatrixFile } from './peers/matrix-file.mjs';
import { blockPeers } from './peers/native.mjs';

const { values: flags } = parseArgs({
  options: {
    small: { type: 'boolean', default: false },
    threads: { type: 'string', default: '1,2' },
    columns: { type: 'string' },
    format: { type: 'string', default: 'auto' },
    rounds: { type: 'string', default: '5' },
  },
});

const MATRICES = flags.small
  ? ['gallery:laplace2d5?nx=60&ny=60', 'gallery:rmat?scale=10', 'gallery:qcd?nx=4&ny=4&nz=4&nt=4']
  : [
      'gallery:laplace2d5?nx=1000&ny=1000',
      'gallery:laplace3d27?nx=30&ny=30&nz=30&block=3',
      'gallery:rmat?scale=18&edgeFactor=16',
      'gallery:qcd?nx=8&ny=8&nz=8&nt=8',
      'gallery:circuit?n=80000&hubs=20&hubLength=3000',
    ];
const COLUMNS = flags.columns?.split(',').map(Number) ?? (flags.small ? [2, 16] : [1, 2, 4, 8, 16, 32, 64]);
const ROUNDS = Number(flags.rounds);
const TURN = 5;
const RELATIVE = { f64: 1e-12, f32: 1e-4 };

function ownContender(engine, matrix, dtype, columns, x, blockSums) {
  const expanded = Float64Array.from(
    { length: matrix.cols * columns },
    (_, k) => x[Math.floor(k / columns)] + (k % columns),
  );
  const options = flags.format === 'auto' ? { columns } : { format: flags.format };
  const operator = engine.operator(matrix, { dtype, blockSums, ...options });
  const from = engine.vector(expanded, { columns, dtype });
  const to = engine.vector(matrix.rows, { columns, dtype });
  return {
    name: `sparlane ${operator.format}${blockSums === 'fast' ? ', fast sums' : ''}`,
    time: (products) =>
      Array.from({ length: products }, () => {
        const start = performance.now();
        operator.apply(from, to);
        return performance.now() - start;
      }),
    product: (y) => {
      operator.apply(from, to);
      for (let i = 0; i < y.length; i++) y[i] = to.data[i * to.stride];
    },
    close: () => {
      for (const one of [operator, from, to]) one.dispose();
    },
  };
}

async function peerContender(peer, given) {
  if (peer.missing() || (peer.threads === 'one' && given.threads > 1)) return undefined;
  return { ...(await peer.open(given)), name: peer.name };
}

function checkColumn(name, y, expected, dtype) {
  const scale = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 1);
  const wrong = y.findIndex((value, i) => !(Math.abs(value - expected[i]) <= RELATIVE[dtype] * scale));
  if (wrong >= 0) throw new Error(`${name}: y[${wrong}] is ${y[wrong]}, not ${expected[wrong]}`);
}

async function measure(matrix, matrixFile, dtype, columns, threads) {
  const engine = await createEngine({ threads });
  const x = Float64Array.from({ length: matrix.cols }, (_, i) => ((i % 13) - 6) / 8);
  const expected = new Float64Array(matrix.rows);
  engine.operator(matrix, { device: 'reference', format: 'csr' }).apply(x, expected);
  const given = { matrixFile, dtype, threads, x };
  const peers = await Promise.all(blockPeers(columns).map((peer) => peerContender(peer, given)));
  const own = ['single', 'fast'].map((sums) => ownContender(engine, matrix, dtype, columns, x, sums));
  const contenders = [...own, ...peers.filter(Boolean)];
  const best = contenders.map(() => Infinity);
  for (const one of contenders) {
    const y = dtype === 'f64' ? new Float64Array(matrix.rows) : new Float32Array(matrix.rows);
    await one.product(y);
    checkColumn(one.name, y, expected, dtype);
  }
  for (let round = 0; round < ROUNDS; round++)
    for (const [c, one] of contenders.entries()) best[c] = Math.min(best[c], ...(await one.time(TURN)));
  for (const one of contenders) await one.close();
  await engine.dispose();
  return contenders.map(({ name }, c) => `${name} ${((2 * matrix.nnz * columns) / best[c] / 1e6).toFixed(2)}`);
}

print(JSON.stringify(await describeMachine()));
for (const name of MATRICES) {
  const matrix = await loadMatrix(name);
  const matrixFile = join(temporaryFolder(), 'matrix');
  writeMatrixFile(matrix, matrixFile);
  for (const dtype of ['f64', 'f32'])
    for (const threads of flags.threads.split(',').map(Number))
      for (const columns of COLUMNS) {
        const speeds = await measure(matrix, matrixFile, dtype, columns, threads);
        print(`${name} ${dtype}, ${threads} threads, ${columns} columns, GFLOP/s: ${speeds.join(', ')}`);
      }
}
