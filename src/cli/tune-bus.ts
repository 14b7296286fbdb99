/**
 * Measures the memory bandwidth of this machine. For a large matrix it determines the gain of a format that moves fewer
 * bytes.
 */
import type { BusTuning } from '../core/tuning.js';
import { createEngine } from '../index.node.js';
import type { Engine } from '../operators/engine.js';
import { createReadStream } from './bandwidth.js';
import { timeInTurn } from './timing.js';

const TIME_MS = 500;

/** One thread and all of an engine's, in turn. */
export async function measureBus(engine: Engine): Promise<BusTuning> {
  await using alone = await createEngine({ threads: 1, binary: engine.binary, tuning: 'built-in' });
  using ownScope = alone.heap.scope();
  using scope = engine.heap.scope();
  const streams = [createReadStream(alone, ownScope), createReadStream(engine, scope)];
  const timings = await timeInTurn(streams.map(({ run }) => ({ run, timeMs: TIME_MS })));
  const [oneGbps, allGbps] = streams.map(({ bytes }, k) => bytes / timings[k]!.medianMs / 1e6);
  return { oneGbps: oneGbps!, allGbps: allGbps! };
}
