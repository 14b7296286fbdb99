/** Times products in turns, next to each other: what disturbs one then disturbs the other. */
import { TURN_MS } from '../backends/team/trial.js';

/** A product that takes so long counts itself, without one before it: it reads more than is left in a cache. Chosen: 30 MB on one thread. */
const UNCACHED_MS = 3;

/**
 * Products are timed for so long at least before a time counts: a kernel starts in V8's baseline tier, 2 to 3 times as slow, and threads that slept may
 * share a core (`bench/contenders.mjs`).
 */
const WARM_UP_MS = 10;
const WAKE_UP_MS = 60;

/**
 * A kernel that was not timed before may still be in the baseline tier if it is slower than predicted by the factor SURPRISING, and V8's own threads,
 * which optimize it, may wait for a core: then it is timed for longer (5-point to FEM, 10⁵ entries, two threads on two cores of an AMD
 * EPYC: up to 200 ms, November 2026; in most cases less than 40).
 */
const SURPRISING = 1.3;
const SURPRISED_MS = 100;

/** A round is undisturbed if no time is far above the least of its format. */
const UNDISTURBED = 1.2;

/** So many undisturbed rounds are enough, by the factor at least by which one format is slower. */
const ENOUGH: readonly (readonly [factor: number, rounds: number])[] = [
  [1.3, 2],
  [1.1, 4],
  [1, 7],
];

/** After so many rounds and so long nobody waits for undisturbed ones. */
const MOST_ROUNDS = 14;
const LONG_MS = 100;

/** With fewer undisturbed rounds, on a busy machine, the least times are compared, which may be wrong by so much. Chosen. */
const FEWEST = 2;
const DISTURBED_NOISE = 0.1;

/** A product, and the least time of all its turns so far. */
export interface TimedTurn {
  readonly product: { time(): number };
  leastMs: number;
}

/** The time of one product relative to that of another. */
export interface Ratio {
  /** The median of the undisturbed rounds; if there are none, that of the least times. */
  readonly ratio: number;
  /** By how much the median may be wrong, as rounds differ from one another. */
  readonly noise: number;
}

/** Milliseconds of a product on its own, once threads and kernels have warmed up. */
export function warmMs(one: TimedTurn): number {
  return median(roundsOf([one], (_, ms) => ms >= WAKE_UP_MS).map(([ms]) => ms!));
}

/**
 * The time of a product of `rival` relative to one of `best`.
 *
 * @param predicted what it is expected to be
 * @param isNew whether the kernel of one of them was not timed before
 * @param mostRounds after so many, if they are long, nobody waits for undisturbed ones
 */
export function ratioOf(
  best: TimedTurn,
  rival: TimedTurn,
  predicted: number,
  isNew: boolean,
  mostRounds: number = MOST_ROUNDS,
): Ratio {
  const isOver: Ends = (undisturbed, ms) => {
    if (ms < WARM_UP_MS) return false;
    const ratio = rival.leastMs / best.leastMs;
    if (isNew && ratio / predicted > SURPRISING && ms < SURPRISED_MS) return false;
    return undisturbed >= ENOUGH.find(([factor]) => Math.max(ratio, 1 / ratio) >= factor)![1];
  };
  const rounds = roundsOf([best, rival], isOver, mostRounds);
  if (rounds.length < FEWEST) return { ratio: rival.leastMs / best.leastMs, noise: DISTURBED_NOISE };
  const ratios = rounds.map(([bestMs, rivalMs]) => rivalMs! / bestMs!);
  const ratio = median(ratios);
  const deviation = median(ratios.map((one) => Math.abs(one - ratio)));
  return { ratio, noise: (TWICE_SIGMA * deviation) / Math.sqrt(ratios.length) };
}

/** Two standard deviations of a median, in median deviations of its numbers over the root of their count: 2 · 1.25 · 1.48 for a normal distribution. */
const TWICE_SIGMA = 3.7;

type Ends = (undisturbed: number, ms: number) => boolean;

/** Milliseconds of a product of each, in turn, in the undisturbed rounds: at least one if there is one product. */
function roundsOf(trials: readonly TimedTurn[], isOver: Ends, mostRounds: number = MOST_ROUNDS): number[][] {
  const rounds: number[][] = [];
  const undisturbed = () => rounds.filter((times) => times.every((ms, k) => ms < UNDISTURBED * trials[k]!.leastMs));
  const begin = performance.now();
  for (let ms = 0; !isOver(undisturbed().length, ms); ms = performance.now() - begin) {
    if (ms > LONG_MS && rounds.length >= mostRounds) break;
    const times = trials.map(({ product }) => product.time());
    for (const [k, time] of times.entries()) trials[k]!.leastMs = Math.min(trials[k]!.leastMs, time);
    rounds.push(times);
  }
  return undisturbed();
}

export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!;
}

/** Milliseconds of a run. */
export function time(run: () => void): number {
  const begin = performance.now();
  run();
  return performance.now() - begin;
}

/** Mean milliseconds of a product; the first product of a turn counts only if it is long. `run` computes so many products and waits for them. */
export function turn(run: (count: number) => void): number {
  const firstMs = time(() => run(1));
  if (firstMs >= UNCACHED_MS) return firstMs;
  const begin = performance.now();
  let count = 0;
  let elapsed = 0;
  for (let next = 1; elapsed < TURN_MS; next = count) {
    run(next);
    count += next;
    elapsed = performance.now() - begin;
  }
  return elapsed / count;
}
