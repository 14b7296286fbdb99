/** The team alone: the time of its start, of a fork-join, and of the first one after a pause; C's fork-join beside it. */
import { setTimeout as pause } from 'node:timers/promises';
import { createEngine } from '../../dist/index.node.js';
import { median, time } from '../times.mjs';
import { C, openPeer, PINNED_C } from './peer.mjs';

export const EMPTY = {
  rows: 0,
  cols: 1,
  nnz: 0,
  rowPtr: new Uint32Array(1),
  colIdx: new Uint32Array(0),
  values: new Float64Array(0),
};

const STARTS = 3;
const FORK_JOINS = 5000;
/** Until V8 has compiled what a product runs; C is compiled before. */
const WARM_UP_MS = 100;
const PAUSE_MS = 300;

/** Lines of kind `team`. `matrixFile`: of the matrix EMPTY. */
export async function measureTeam({ matrixFile, program, threads, settings }) {
  const lines = [{ kind: 'team', contender: 'sparlane', threads, ...(await measureOurs(threads, settings)) }];
  if (program === undefined) return lines;
  for (const contender of [C, PINNED_C]) {
    const peer = await openPeer(program, contender, { matrixFile, threads, x: Float64Array.of(1), readBytes: 0 });
    const forkJoin = async (runs) => 1000 * median(await peer.time(runs));
    const forkJoinUs = await forkJoin(FORK_JOINS);
    const afterPauseUs = await afterPauses(settings.pauses, () => forkJoin(1));
    lines.push({ kind: 'team', contender, threads, forkJoinUs, afterPauseUs });
    await peer.close();
  }
  return lines;
}

async function measureOurs(threads, { pauses }) {
  const starts = [];
  for (let k = 1; k < STARTS; k++) {
    const { engine, ms } = await started(threads);
    starts.push(ms);
    await engine.dispose();
  }
  const { engine, ms } = await started(threads);
  starts.push(ms);
  // A part per thread, so that the team is asked although there is no work.
  const operator = engine.operator(EMPTY, { format: 'csr', parts: threads });
  const [x, y] = [engine.vector(1), engine.vector(0)];
  const run = () => operator.apply(x, y);
  for (const end = performance.now() + WARM_UP_MS; performance.now() < end; ) run();
  const forkJoinUs = 1000 * median(Array.from({ length: FORK_JOINS }, () => time(run)));
  const afterPauseUs = await afterPauses(pauses, () => 1000 * time(run));
  await engine.dispose();
  return { startMs: median(starts), forkJoinUs, afterPauseUs };
}

async function started(threads) {
  const start = performance.now();
  const engine = await createEngine({ threads, onHint: () => {} });
  return { engine, ms: performance.now() - start };
}

async function afterPauses(pauses, once) {
  const times = [];
  for (let k = 0; k < pauses; k++) {
    await pause(PAUSE_MS);
    times.push(await once());
  }
  return median(times);
}
