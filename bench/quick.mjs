/**
 * Checks whether a product became slower: the speed of a few products over that of plain C CSR measured in turn with
 * them (over a plain JavaScript loop without a compiler), against the ratios recorded in `baseline.json`. Fails only if
 * a ratio falls by more than the noise of this run and of the recorded one. Under three minutes.
 *
 * usage: node bench/quick.mjs [--record]     (after `npm run build`; --record writes the baseline)
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadMatrix } from '#dist/cli/load.js';
import { print } from './contenders.mjs';
import { PEERS, writeMatrixFile } from './peers/index.mjs';
import { measureMatrix } from './run-matrix.mjs';

const MATRICES = [
  'gallery:laplace2d5?nx=500&ny=500',
  'gallery:laplace3d27?nx=50&ny=50&nz=50&values=real',
  'gallery:rmat?scale=16&edgeFactor=16',
  'gallery:rgg?n=100000&order=grid',
  'gallery:qcd?nx=8&ny=8&nz=8&nt=8',
  'gallery:circuit?n=200000&hubLength=100000',
];
const FORMATS = ['csr', 'auto'];
const ROUNDS = 9;

const YARDSTICKS = ['gcc -O3 -march=native', 'typed-array loop'];

/** Smaller falls do not count: they compare two noisy ratios of different runs. */
const MIN_NOISE = 0.08;

const BASELINE = new URL('./baseline.json', import.meta.url);

const { values: flags } = parseArgs({ options: { record: { type: 'boolean', default: false } } });
const yardstick = YARDSTICKS.map((name) => PEERS.find((peer) => peer.name === name)).find(
  (peer) => peer?.missing() === undefined,
);
const matrixFile = join(tmpdir(), `sparlane-${process.pid}.matrix`);
const machine = `${cpus()[0]?.model.trim()}, ${availableParallelism()} cores`;
const found = {};
try {
  for (const source of MATRICES) Object.assign(found, await ratiosOf(source));
} finally {
  rmSync(matrixFile, { force: true });
}
if (flags.record) record();
else compare();

async function ratiosOf(source) {
  const matrix = await loadMatrix(source);
  writeMatrixFile(matrix, matrixFile);
  const ratios = {};
  for (const threads of yardstick.threads === 'one' ? [1] : [...new Set([1, availableParallelism()])]) {
    const request = {
      matrix,
      matrixFile,
      dtype: 'f64',
      threads,
      formats: FORMATS,
      peers: [yardstick],
      rounds: ROUNDS,
      cold: false,
    };
    const products = [];
    for await (const line of measureMatrix(request)) if (line.kind === 'product') products.push(line);
    const base = products.find(({ contender }) => contender === yardstick.name);
    for (const { contender, medianMs, spreadPercent } of products.filter((one) => one !== base)) {
      ratios[`${source} ${threads} ${contender}`] = {
        ratio: base.medianMs / medianMs,
        noise: Math.max(MIN_NOISE, Math.hypot(spreadPercent, base.spreadPercent) / 100),
      };
    }
  }
  return ratios;
}

function record() {
  const rounded = (_, value) => (typeof value === 'number' ? Number(value.toPrecision(3)) : value);
  const content = { machine, yardstick: yardstick.name, date: new Date().toISOString().slice(0, 10), ratios: found };
  writeFileSync(BASELINE, `${JSON.stringify(content, rounded, 2)}\n`);
  print(`recorded ${Object.keys(found).length} ratios`);
}

function compare() {
  const baseline = existsSync(BASELINE) ? JSON.parse(readFileSync(BASELINE, 'utf8')) : { ratios: {} };
  const comparable = baseline.machine === machine && baseline.yardstick === yardstick.name;
  print(`over ${yardstick.name}; recorded on ${baseline.machine} over ${baseline.yardstick}`);
  let falls = 0;
  for (const [name, { ratio, noise }] of Object.entries(found)) {
    const before = baseline.ratios[name];
    const change = before === undefined ? 0 : Math.log(ratio / before.ratio);
    const hasFallen = comparable && before !== undefined && change < -Math.hypot(noise, before.noise);
    if (hasFallen) falls++;
    const was = before === undefined ? '' : `, was ${before.ratio.toFixed(2)}`;
    print(`${name.padEnd(64)} ${ratio.toFixed(2)} ± ${noise.toFixed(2)}${was}${hasFallen ? '  FALLEN' : ''}`);
  }
  if (!comparable) print('another machine or yardstick: nothing is judged');
  if (falls > 0) process.exitCode = 1;
}
