/**
 * Timing in turn: the contenders take short slices one after the other, A B C A B C …, so that what slows the machine down
 * for a second slows all of them down. Within a slice tinybench calls and times a contender again and again, or a device does.
 */
import { setImmediate } from 'node:timers/promises';
import { Bench } from 'tinybench';

export interface Timed {
  /** Once, waited for. */
  readonly run: () => void;
  /** Milliseconds of so many calls by a clock of their own, where that of this thread would count the way there and back too. */
  readonly clock?: (calls: number) => Iterable<number>;
}

export interface Contender extends Timed {
  /** How long, over all slices; at least one call each. Not where `repeat` says how often. */
  readonly timeMs?: number;
  /** How often, over all slices. */
  readonly repeat?: number;
}

export interface Timing {
  readonly samples: number;
  readonly medianMs: number;
  readonly minMs: number;
  /** The middle half of the samples: the distance of its ends, in percent of the median. */
  readonly spreadPercent: number;
}

const ROUNDS = 6;

/** Calls asked of a clock of their own at a time. */
const CALLS_AT_ONCE = 10;

/** The timings of the contenders, in their order. Each has been called before, so it starts warm. */
export async function timeInTurn(contenders: readonly Contender[]): Promise<Timing[]> {
  const samples = contenders.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [k, contender] of contenders.entries()) {
      for (const sample of timeSlice(contender, round)) samples[k]!.push(sample);
      // Threads that have died are noticed, and spinners turn, only when the event loop does.
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

/** At least so many calls, for at least so long. */
function timeHere(run: () => void, calls: number, time: number): readonly number[] {
  const bench = new Bench({ time, iterations: calls, warmup: false, retainSamples: true, throws: true });
  const [task] = bench.add('slice', run).runSync();
  const { result } = task!;
  return result.state === 'completed' ? (result.latency.samples ?? []) : [];
}

/** The same by the clock of the calls. */
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

function summarize(samples: number[]): Timing {
  const sorted = Float64Array.from(samples).sort();
  const medianMs = median(sorted);
  const spreadPercent = (100 * (quantile(sorted, 0.75) - quantile(sorted, 0.25))) / medianMs;
  return { samples: sorted.length, medianMs, minMs: sorted[0]!, spreadPercent };
}

/** Of at least one number in order: the one that this share of them is before. */
export function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.floor(share * (sorted.length - 1))]!;
}

/** The same in the middle: of two, their mean. */
export function median(sorted: Float64Array): number {
  return (quantile(sorted, 0.5) + sorted[Math.ceil(0.5 * (sorted.length - 1))]!) / 2;
}
