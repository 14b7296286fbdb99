/**
 * Products with Aᵀ, and the transposition, beside Eigen, PETSc, librsb and SciPy. Every contender times three things in turn, in every
 * round: the product with A, the product with Aᵀ, and the transposition of the entries. Each is divided by the contender's own product
 * with A of the same round; the table has the median over rounds. Products with Aᵀ are compared first.
 *
 * Ours: `csr`, Aᵀ of its own as csr, by the team; and `memory: 'shared'`, which needs no transposition. PETSc's product with Aᵀ scatters.
 *
 * usage: node bench/transpose.mjs [--threads 1,2] [--rounds 9] [--scale 1] [--cases 5-point,fem,rmat]
 *        (after `npm run build`; peers: bench/peers/setup)
 */
import { rmSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { transposeOnTeam } from '#dist/backends/team/transposition.js';
import { createEngine, gallery } from '#dist/index.node.js';
import { benchVector, print } from './contenders.mjs';
import { PEERS, temporaryFolder, writeMatrixFile } from './peers/index.mjs';

const side = (scale, full) => Math.max(4, Math.round(full * scale));
const CASES = {
  '5-point': (scale) => gallery('laplace2d5', { nx: side(scale, 1000), ny: side(scale, 1000) }),
  fem: (scale) => gallery('laplace3d27', { nx: side(scale, 30), ny: side(scale, 30), nz: side(scale, 30), block: 3 }),
  rmat: (scale) => gallery('rmat', { scale: Math.round(18 + 2 * Math.log2(scale)) }),
};

const { values: flags } = parseArgs({
  options: {
    threads: { type: 'string', default: `1,${availableParallelism()}` },
    rounds: { type: 'string', default: '9' },
    scale: { type: 'string', default: '1' },
    cases: { type: 'string', default: Object.keys(CASES).join() },
  },
});
const rounds = Number(flags.rounds);

const VERBS = ['product', 'transposed', 'transpose'];
const NAMES = ['Eigen', 'PETSc', 'librsb', 'SciPy'];
const PRODUCTS_PER_TURN = 10;
const WARM_UP_ROUNDS = 2;
const TOLERANCE = 1e-10;

print(`${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, Node ${process.version}`);
for (const name of NAMES) {
  const reason = PEERS.find((peer) => peer.name === name).missing();
  if (reason !== undefined) print(`without ${name}: ${reason}`);
}
print(['case', 'threads', 'contender', 'A x ms', 'Aᵀx / A x', 'transposition / A x'].map(column).join(' '));
for (const name of flags.cases.split(',')) {
  // As a matrix that is not known to be symmetric.
  const matrix = { ...CASES[name](Number(flags.scale)), symmetry: 'general' };
  for (const threads of new Set(flags.threads.split(',').map(Number))) await compare(name, matrix, threads);
}

function column(text) {
  return String(text).padEnd(20);
}

async function compare(name, matrix, threads) {
  const x = benchVector(matrix.cols);
  const matrixFile = join(temporaryFolder(), 'transpose-matrix');
  writeMatrixFile(matrix, matrixFile);
  const engine = await createEngine({ threads });
  const contenders = [...ours(engine, matrix, x), ...(await peers({ matrix, matrixFile, threads, x }))];
  const expected = contenders[0].y;
  for (const { name: who, y } of contenders) checkSame(who, y, expected);
  const times = contenders.map(() => []);
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    for (const [place, { time }] of contenders.entries()) {
      const turn = [];
      for (const verb of VERBS) turn.push(await time(verb));
      if (round >= 0) times[place].push(turn);
    }
  }
  for (const [place, { name: who, close }] of contenders.entries()) {
    const own = times[place];
    const ratio = (verb) =>
      own[0][verb] === undefined ? '–' : median(own.map((turn) => turn[verb] / turn[0])).toFixed(2);
    print([name, threads, who, median(own.map(([ms]) => ms)).toFixed(2), ratio(1), ratio(2)].map(column).join(' '));
    await close();
  }
  rmSync(matrixFile);
  await engine.dispose();
}

function ours(engine, matrix, x) {
  const operator = engine.operator(matrix, { format: 'csr?values=full' });
  const { rowPtr, colIdx, values } = operator.matrix;
  const entries = { ...matrix, rowPtr, colIdx, values };
  const from = engine.vector(x);
  const to = engine.vector(matrix.cols);
  const product = (some) => () => some.apply(from, to);
  const transpose = () => {
    const scope = engine.heap.scope();
    transposeOnTeam(engine.context, scope, entries);
    scope[Symbol.dispose]();
  };
  const contender = (name, transposed, more) => {
    transposed.apply(from, to);
    const run = { product: product(operator), transposed: product(transposed), ...more };
    return { name, y: to.toArray(), time: (verb) => run[verb] && best(run[verb], verb), close: () => {} };
  };
  return [
    contender('sparlane csr', operator.transposed({ format: 'csr?values=full' }), { transpose }),
    contender('sparlane shared', operator.transposed({ memory: 'shared' }), {}),
  ];
}

async function peers({ matrix, matrixFile, threads, x }) {
  const found = PEERS.filter((peer) => NAMES.includes(peer.name) && peer.missing() === undefined);
  const able = found.filter((peer) => threads === 1 || peer.threads === 'many');
  return Promise.all(able.map((peer) => openPeer(peer, { matrix, matrixFile, dtype: 'f64', threads, x })));
}

/** A process for each verb. */
async function openPeer(peer, options) {
  const processes = {};
  for (const verb of VERBS) processes[verb] = await peer.open({ ...options, env: { PEER_VERB: verb } });
  const y = new Float64Array(options.matrix.cols);
  await processes.transposed.product(y);
  return {
    name: peer.name,
    y,
    time: async (verb) => Math.min(...(await processes[verb].time(timesOf(verb)))),
    close: () => Promise.all(VERBS.map((verb) => processes[verb].close())),
  };
}

/** A transposition takes as long as several products. */
function timesOf(verb) {
  return verb === 'transpose' ? 2 : PRODUCTS_PER_TURN;
}

function best(run, verb) {
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < timesOf(verb); turn++) {
    const start = performance.now();
    run();
    least = Math.min(least, performance.now() - start);
  }
  return least;
}

function checkSame(name, y, expected) {
  const scale = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const wrong = y.findIndex((value, i) => !(Math.abs(value - expected[i]) <= TOLERANCE * scale));
  if (wrong >= 0) throw new Error(`${name}: expected y[${wrong}] = ${expected[wrong]}, got ${y[wrong]}`);
}

function median(numbers) {
  return numbers.sort((a, b) => a - b)[numbers.length >> 1];
}
