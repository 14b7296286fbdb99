/**
 * The papers' tables, measured here: every matrix of some suites, our formats and the peers side by side, verified,
 * then timed in turn. Writes JSON lines, for the page of `bench/report/report.mjs` and for `bench/compare.mjs`.
 *
 * usage: npx bench run --suite NAME,… --out RESULTS.jsonl     (after `npm run build`)
 *        --scale 1         1: as large as published; 0.1: a tenth of it
 *        --only NAME,…     matrices of the suites by name
 *        --folder DIR      real matrices (NAME.mtx, .mtx.gz, .tar.gz), which replace stand-ins of the same name
 *        --threads 1,N     --dtypes f64     --rounds 5     --cold (also with everything evicted from the caches)
 *        --formats …       of `sparlane formats`, or auto; default: auto, and all with some parameters
 *        --order natural   or rcm, bandk: of the rows and columns of square matrices
 *        --ahead DIR       all matrices are made first, by several processes, into this folder, which a later run finds again
 *        --until SECONDS   of the clock (date +%s): no matrix begins after it
 *        --commit NAME     of the build, if git is not available
 *        --append          these lines go on with the run of --out: without another line of the machine
 *        --peers all       or none, or names
 */
import { appendFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FORMATS } from '../dist/formats/registry.js';
import { print } from './contenders.mjs';
import { describeMachine } from './machine.mjs';
import { made, makeAhead, ORDERS } from './matrices/made.mjs';
import { loadSuite, SUITES } from './matrices/suites/index.mjs';
import { PEERS, temporaryFolder, writeMatrixFile } from './peers/index.mjs';
import { measureMatrix } from './run-matrix.mjs';

/** These are measured by default: every format, and parameters that are often worth choosing. */
const SPECS = [
  'auto',
  ...FORMATS.map(({ name }) => name),
  'csr?partition=merge',
  'csrk?index=16',
  'sell?index=16',
  'sell?index=16&values=table',
  'dia?values=table',
];

const { values: flags } = parseArgs({
  options: {
    suite: { type: 'string', default: 'bell-garland-3' },
    out: { type: 'string', default: 'results.jsonl' },
    scale: { type: 'string', default: '1' },
    only: { type: 'string' },
    folder: { type: 'string' },
    threads: { type: 'string', default: [...new Set([1, availableParallelism()])].join() },
    dtypes: { type: 'string', default: 'f64' },
    rounds: { type: 'string', default: '5' },
    formats: { type: 'string', default: SPECS.join() },
    order: { type: 'string', default: 'natural' },
    peers: { type: 'string', default: 'all' },
    ahead: { type: 'string' },
    until: { type: 'string', default: 'Infinity' },
    commit: { type: 'string' },
    append: { type: 'boolean', default: false },
    cold: { type: 'boolean', default: false },
  },
});

if (!(flags.order in ORDERS))
  throw new Error(`--order: expected ${Object.keys(ORDERS).join(' | ')}, got ${flags.order}`);
const emit = (line) => appendFileSync(flags.out, `${JSON.stringify(line)}\n`);
const only = flags.only?.split(',');
const peers = wantedPeers().filter(isThere);

const how = { scale: Number(flags.scale), order: flags.order, ahead: flags.ahead, folder: flags.folder };
const entries = flags.suite.split(',').flatMap(entriesOf);
if (flags.ahead !== undefined) await makeAhead(entries, how);
if (!flags.append) {
  const machine = await describeMachine();
  emit({ kind: 'machine', ...machine, commit: flags.commit ?? machine.commit });
}
for (const peer of wantedPeers()) if (!isThere(peer)) reportMissing(peer);
for (const [suite, entry] of entries) {
  if (Date.now() / 1000 > Number(flags.until)) print(`no time for ${suite} ${entry.name}`);
  else await runEntry(suite, entry);
}

function entriesOf(suite) {
  if (SUITES[suite] === undefined)
    throw new Error(`--suite: expected ${Object.keys(SUITES).join(' | ')}, got ${suite}`);
  const wanted = loadSuite(suite, how).filter(({ name }) => only === undefined || only.includes(name));
  return wanted.map((entry) => [suite, entry]);
}

function wantedPeers() {
  if (flags.peers === 'all') return PEERS;
  const names = flags.peers === 'none' ? [] : flags.peers.split(',');
  return PEERS.filter(({ name }) => names.includes(name));
}

function isThere(peer) {
  return peer.missing() === undefined;
}

function reportMissing(peer) {
  const reason = peer.missing();
  emit({ kind: 'missing', contender: peer.name, reason });
  print(`${peer.name} is missing: ${reason}`);
}

async function runEntry(suite, entry) {
  const { matrix, about: description, file } = await made(suite, entry, how);
  const about = { suite, matrix: entry.name, ...(flags.order !== 'natural' && { order: flags.order }) };
  emit({ kind: 'matrix', ...about, ...description });
  print(
    `${suite} ${entry.name}${entry.standIn ? ' (stand-in)' : ''}: ${matrix.rows} × ${matrix.cols}, ${matrix.nnz} entries`,
  );
  const matrixFile = file ?? join(temporaryFolder(), 'matrix');
  if (peers.length > 0 && file === undefined) writeMatrixFile(matrix, matrixFile);
  for (const dtype of flags.dtypes.split(',')) {
    for (const threads of flags.threads.split(',').map(Number)) {
      const request = {
        ...{ matrix, matrixFile, dtype, threads, peers },
        ...{ formats: flags.formats.split(','), rounds: Number(flags.rounds), cold: flags.cold },
      };
      for await (const line of measureMatrix(request)) {
        emit({ ...line, ...about });
        if (line.kind === 'product') printProduct(line);
        if (line.kind === 'failed' && !line.isRefusal) print(`  ${line.contender}: ${line.error}`);
      }
    }
  }
}

function printProduct({ contender, threads, dtype, cache, gflops, medianMs, spreadPercent }) {
  const figures = `${gflops.toFixed(2).padStart(7)} GFLOP/s ${medianMs.toFixed(3).padStart(9)} ms ± ${spreadPercent.toFixed(0)} %`;
  print(`  ${`${threads}`.padStart(2)} ${dtype} ${cache.padEnd(4)} ${contender.padEnd(42)} ${figures}`);
}
