/**
 * A A by rows beside Eigen and PETSc, each contender in turn, in every round. The table has the median over rounds of the least time of a
 * turn, and the same relative to sparlane's. Verified before timed: A A of each, times a vector.
 *
 * Ours: `multiplyOnTeam`, from the heap to the heap. Eigen's product has one thread. PETSc's has
 * ranks of MPI, which first exchange the rows that they need. A peer whose product takes longer than the limit is out.
 *
 * usage: npx bench spgemm [--threads 1,2] [--rounds 3] [--scale 1] [--cases 5-point,27-point,rmat] [--limit 60]
 *        (after `npm run build`; peers: bench/peers/setup)
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createEngine, gallery } from '../dist/index.node.js';
import { multiplyOnTeam } from '../dist/matrices/multiplication.js';
import { benchVector, print } from './contenders.mjs';
import { checkSame, forEachCase, least, printMachine, printRow, readFlags, side } from './operations.mjs';
import { PEERS, temporaryFolder, writeMatrixFile } from './peers/index.mjs';
import { median } from './times.mjs';

const CASES = {
  '5-point': (scale) => gallery('laplace2d5', { nx: side(scale, 1000), ny: side(scale, 1000) }),
  '27-point': (scale) => gallery('laplace3d27', { nx: side(scale, 50), ny: side(scale, 50), nz: side(scale, 50) }),
  rmat: (scale) => gallery('rmat', { scale: Math.round(16 + 2 * Math.log2(scale)), edgeFactor: 16 }),
};

const flags = readFlags(CASES, { rounds: '3', limit: '60' });
const rounds = Number(flags.rounds);
/** Seconds of a product. */
const limit = Number(flags.limit);

const NAMES = ['Eigen', 'PETSc'];
const PRODUCTS_PER_TURN = 1;
const WIDTH = 22;

printMachine();
for (const name of NAMES) {
  const reason = peerNamed(name).missing();
  if (reason !== undefined) print(`without ${name}: ${reason}`);
}
printRow(['case', 'threads', 'contender', 'A A ms', '/ sparlane'], WIDTH);
await forEachCase(CASES, flags, compare);

function peerNamed(name) {
  return PEERS.find((peer) => peer.name === name);
}

async function compare(name, matrix, threads) {
  const x = benchVector(matrix.cols);
  const matrixFile = join(temporaryFolder(), 'spgemm-matrix');
  writeMatrixFile(matrix, matrixFile);
  const engine = await createEngine({ threads });
  const contenders = [onTeam(engine, matrix, x), ...(await peers({ matrix, matrixFile, threads, x }))];
  for (const { name: who, y } of contenders) if (y !== undefined) checkSame(who, y, contenders[0].y);
  const times = contenders.map(() => []);
  for (let round = -1; round < rounds; round++) {
    for (const [place, { y, time }] of contenders.entries()) {
      const isOut = y === undefined || times[place] === undefined;
      const ms = isOut ? undefined : await time();
      if (ms === undefined) times[place] = undefined;
      else if (round >= 0) times[place].push(ms);
    }
  }
  const ours = times[0];
  for (const [place, { name: who, close }] of contenders.entries()) {
    const own = times[place];
    const ratio = own && median(own.map((ms, round) => ms / ours[round])).toFixed(2);
    const figures = own ? [median(own).toFixed(1), ratio] : [`did not finish in ${limit} s`];
    printRow([name, threads, who, ...figures], WIDTH);
    await close();
  }
  rmSync(matrixFile);
  await engine.dispose();
}

function onTeam(engine, matrix, x) {
  const scope = engine.heap.scope();
  const entries = {
    ...matrix,
    rowPtr: scope.copy(Uint32Array, matrix.rowPtr),
    colIdx: scope.copy(Uint32Array, matrix.colIdx),
    values: scope.copy(Float64Array, matrix.values),
  };
  const square = (use) => {
    const room = engine.heap.scope();
    try {
      return use(multiplyOnTeam(engine.context, room, entries, entries));
    } finally {
      room[Symbol.dispose]();
    }
  };
  return {
    name: 'sparlane',
    y: square((product) => times(product, x)),
    time: () => least(() => square(() => {}), PRODUCTS_PER_TURN),
    close: () => {},
  };
}

async function peers({ matrix, matrixFile, threads, x }) {
  const found = NAMES.map(peerNamed).filter((peer) => peer.missing() === undefined);
  const opened = [];
  for (const peer of found) opened.push(await openPeer(peer, { matrix, matrixFile, dtype: 'f64', threads, x }));
  return opened;
}

/** `y`, and what `time` resolves to, is undefined if the product takes too long. */
async function openPeer(peer, options) {
  const product = new Float64Array(options.matrix.rows);
  const verified = await peer.open({ ...options, env: { PEER_VERB: 'squared' } });
  const y = await inTime(verified.product(product).then(() => product));
  await verified.close();
  const { time, close } = await peer.open({ ...options, env: { PEER_VERB: 'square' } });
  const turn = async () => Math.min(...(await time(PRODUCTS_PER_TURN)));
  return { name: peer.name, y, time: () => inTime(turn()), close };
}

/** The result, or undefined after the limit: a process that is closed meanwhile may then fail. */
async function inTime(result) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, limit * 1000);
  });
  try {
    return await Promise.race([result, late]);
  } finally {
    clearTimeout(timer);
    result.catch(() => {});
  }
}

function times({ rows, rowPtr, colIdx, values }, x) {
  const y = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    let sum = 0;
    for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) sum += values[k] * x[colIdx[k]];
    y[i] = sum;
  }
  return y;
}
