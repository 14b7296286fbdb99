/** Times products in turns, next to each other: what disturbs one then disturbs the other. */

/**
 * Minimum length of a turn, which has at least two products: far longer than the clock's resolution, even in a browser.
 */
const TURN_MS = 1;
const FEWEST = 2;

/**
 * Formats are timed in rounds, for so long at least: a kernel starts in V8's baseline tier, 2 to 3 times as slow, and threads that slept may share a
 * core (`bench/contenders.mjs`). If their ratio differs from the predicted one by the factor SURPRISING, the cause may be that V8's own threads, which
 * optimize kernels and collect garbage, wait for a core: then they get longer (5-point to FEM, 10⁵ entries, two threads on two cores of an AMD
 * EPYC: up to 200 ms, November 2026).
 */
const WARM_UP_MS = 40;
const WAKE_UP_MS = 100;
const LONG_MS = 200;
const SURPRISING = 1.3;

/** A round is undisturbed if no time is far above the least of its format. So many are enough, fewer if one format is clearly slower. */
const UNDISTURBED = 1.2;
const UNDISTURBED_ROUNDS = 9;
const CLEAR_ROUNDS = 2;
const MOST_ROUNDS = 20;
const CLEARLY = 1.3;

/** Several threads must take at most so much of the time of one: after a pause they are woken, which one is spared. */
export const WORTH_SHARING = 0.8;
/** In so many turns, and within so long. */
const AWAKE_TURNS = 5;
const AWAKE_MS = 300;

/** A product, and the least time of all its turns so far. */
export interface TimedTurn {
  readonly product: { time(): number };
  leastMs: number;
}

/** Milliseconds of a product on its own, once threads and kernels have warmed up. */
export function warmMs(one: TimedTurn): number {
  return median(roundsOf([one], WAKE_UP_MS, () => true).map(([ms]) => ms!));
}

/**
 * Milliseconds of a product on several threads. Those that slept may share a core for some time, so turns follow one another until it takes at
 * most `wantedMs`.
 */
export function awakeMs({ product }: TimedTurn, wantedMs: number): number {
  const last: number[] = [];
  for (const end = performance.now() + AWAKE_MS; performance.now() < end; ) {
    last.push(product.time());
    if (last.length > AWAKE_TURNS) last.shift();
    if (last.length === AWAKE_TURNS && Math.max(...last) <= wantedMs) break;
  }
  return median(last);
}

/** The time of a product of `rival` relative to one of `best`: the median of the undisturbed rounds. `predicted`: what it is expected to be. */
export function ratioOf(best: TimedTurn, rival: TimedTurn, predicted: number): number {
  const rounds = roundsOf([best, rival], WARM_UP_MS, (undisturbed, ms) => {
    const ratio = rival.leastMs / best.leastMs;
    if (Math.max(ratio / predicted, predicted / ratio) > SURPRISING && ms < LONG_MS) return false;
    return undisturbed >= (Math.max(ratio, 1 / ratio) > CLEARLY ? CLEAR_ROUNDS : UNDISTURBED_ROUNDS);
  });
  return median(rounds.map(([bestMs, rivalMs]) => rivalMs! / bestMs!));
}

type Ends = (undisturbed: number, ms: number) => boolean;

/** Milliseconds of a product of each, in turn, in the undisturbed rounds. */
function roundsOf(trials: readonly TimedTurn[], warmUpMs: number, isOver: Ends): number[][] {
  const rounds: number[][] = [];
  const undisturbed = () => rounds.filter((times) => times.every((ms, k) => ms < UNDISTURBED * trials[k]!.leastMs));
  const begin = performance.now();
  for (let ms = 0; ms < warmUpMs || !isOver(undisturbed().length, ms); ms = performance.now() - begin) {
    if (ms > LONG_MS && rounds.length >= MOST_ROUNDS) break;
    const times = trials.map(({ product }) => product.time());
    for (const [k, time] of times.entries()) trials[k]!.leastMs = Math.min(trials[k]!.leastMs, time);
    rounds.push(times);
  }
  const some = undisturbed();
  return some.length > 0 ? some : rounds;
}

export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!;
}

/** Mean milliseconds of a product; the first product of a turn does not count. `run` computes so many products and waits for them. */
export function turn(run: (count: number) => void): number {
  run(1);
  const begin = performance.now();
  let count = 0;
  let elapsed = 0;
  for (let next = FEWEST; elapsed < TURN_MS; next = count) {
    run(next);
    count += next;
    elapsed = performance.now() - begin;
  }
  return elapsed / count;
}
