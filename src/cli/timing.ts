/**
 * Timing in turn: the contenders run in short slices one after the other, A B C A B C …, so that a disturbance of the
 * machine for a second affects all of them. Within a slice tinybench, or a device, calls and times a contender
 * repeatedly.
 */
import { setImmediate } from 'node:timers/promises';
import { Bench } from 'tinybench';

export interface Timed {
  /** One call; resolves when it is done. */
  readonly run: () => void;
  /**
   * Milliseconds of that many calls by a separate clock, if the clock of this thread would include the transfer there
   * and back.
   */
  readonly clock?: (calls: number) => Iterable<number>;
}

export interface Contender extends Timed {
  /** Total time over all slices; at least one call each. Ignored if `repeat` gives the number of calls. */
  readonly timeMs?: number;
  /** Total number of calls over all slices. */
  readonly repeat?: number;
}

export interface SampleTimes {
  readonly samples: number;
  readonly medianMs: number;
  readonly minMs: number;
  /** The middle half of the samples: the distance of its ends, in percent of the median. */
  readonly spreadPercent: number;
}

const ROUNDS = 6;

/** Calls per request to a separate clock. */
const CALLS_AT_ONCE = 10;

/** The timings of the contenders, in their order. Each has been called before, so it is warm. */
export async function timeInTurn(contenders: readonly Contender[]): Promise<SampleTimes[]> {
  const samples = contenders.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [k, contender] of contenders.entries()) {
      for (const sample of timeSlice(contender, round)) samples[k]!.push(sample);
      // The event loop must turn for dead threads to be noticed and for spinners to move.
      await setImmediate();
    }
  }
  return samples.map(summarize);
}

/** Milliseconds of each call. */
function timeSlice({ run, clock, timeMs = 0, repeat }: Contender, round: number): readonly number[] {
  const calls = repeat === undefined ? 1 : share(repeat, round + 1) - share(repeat, round);
  if (calls === 0) return [];
  const time = repeat === undefined ? timeMs / ROUNDS : 0;
  return clock === undefined ? timeHere(run, calls, time) : timeThere(clock, calls, time);
}

/** At least that many calls, for at least that long. */
function timeHere(run: () => void, calls: number, time: number): readonly number[] {
  const bench = new Bench({ time, iterations: calls, warmup: false, retainSamples: true, throws: true });
  const [task] = bench.add('slice', run).runSync();
  const { result } = task!;
  return result.state === 'completed' ? (result.latency.samples ?? []) : [];
}

/** The same with the clock of the calls. */
function timeThere(clock: NonNullable<Timed['clock']>, calls: number, time: number): readonly number[] {
  const end = performance.now() + time;
  const samples = [...clock(calls)];
  while (performance.now() < end) samples.push(...clock(CALLS_AT_ONCE));
  return samples;
}

/** Calls due by the beginning of a round. */
function share(repeat: number, round: number): number {
  return Math.floor((repeat * round) / ROUNDS);
}

function summarize(samples: number[]): SampleTimes {
  const sorted = Float64Array.from(samples).sort();
  const medianMs = median(sorted);
  const spreadPercent = (100 * (quantile(sorted, 0.75) - quantile(sorted, 0.25))) / medianMs;
  return { samples: sorted.length, medianMs, minMs: sorted[0]!, spreadPercent };
}

/** The quantile of at least one sorted number: the one with this share of them before it. */
export function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.floor(share * (sorted.length - 1))]!;
}

/** The median; of two middle numbers, their mean. */
export function median(sorted: Float64Array): number {
  return (quantile(sorted, 0.5) + sorted[Math.ceil(0.5 * (sorted.length - 1))]!) / 2;
}
