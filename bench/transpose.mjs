/**
 * Products with Aᵀ, and the transposition, beside Eigen, PETSc, librsb and SciPy. Every contender times three things in turn, in every
 * round: the product with A, the product with Aᵀ, and the transposition of the entries. Each is divided by the contender's own product
 * with A of the same round; the table has the median over rounds. Products with Aᵀ are compared first.
 *
 * Ours: `csr`, Aᵀ of its own as csr, by the team; and `memory: 'shared'`, which needs no transposition. PETSc's product with Aᵀ scatters.
 *
 * usage: npx bench transpose [--threads 1,2] [--rounds 9] [--scale 1] [--cases 5-point,fem,rmat]
 *        (after `npm run build`; peers: bench/peers/setup)
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createEngine } from '../dist/index.node.js';
import { transposeOnTeam } from '../dist/matrices/transposition.js';
import { benchVector, print } from './contenders.mjs';
import { CASES, checkSame, forEachCase, least, printMachine, printRow, readFlags } from './operations.mjs';
import { PEERS, temporaryFolder, writeMatrixFile } from './peers/index.mjs';
import { median } from './times.mjs';

const flags = readFlags(CASES, { rounds: '9' });
const rounds = Number(flags.rounds);

const VERBS = ['product', 'transposed', 'transpose'];
const NAMES = ['Eigen', 'PETSc', 'librsb', 'SciPy'];
const PRODUCTS_PER_TURN = 10;
const WARM_UP_ROUNDS = 2;
const WIDTH = 20;

printMachine();
for (const name of NAMES) {
  const reason = PEERS.find((peer) => peer.name === name).missing();
  if (reason !== undefined) print(`without ${name}: ${reason}`);
}
printRow(['case', 'threads', 'contender', 'A x ms', 'Aᵀx / A x', 'transposition / A x'], WIDTH);
await forEachCase(CASES, flags, compare);

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
    printRow([name, threads, who, median(own.map(([ms]) => ms)).toFixed(2), ratio(1), ratio(2)], WIDTH);
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
    return { name, y: to.toArray(), time: (verb) => run[verb] && least(run[verb], timesOf(verb)), close: () => {} };
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
