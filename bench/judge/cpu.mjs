/** One matrix on the CPU: every format that fits, verified, timed in turn on each number of threads, and the choice. */
import { rank } from '../../dist/choice/choose.js';
import { machineCosts } from '../../dist/choice/machine.js';
import { compareProduct, expectedProduct } from '../../dist/conformance/expected.js';
import { vectorArray } from '../../dist/core/types.js';
import { examine } from '../../dist/features/features.js';
import { isRefusal } from '../../dist/formats/format.js';
import { prospectsOf } from '../../dist/formats/registry.js';
import { storeMatrix } from '../../dist/formats/store.js';
import { createEngine } from '../../dist/index.node.js';
import { CANDIDATES } from '../choice-suite.mjs';
import { benchVector } from '../contenders.mjs';
import { runFor, time } from '../times.mjs';
import { TWINS } from './report.mjs';
import { nameOf, withOne } from './threads.mjs';

/**
 * Threads that slept share a core for a while (see `contenders.mjs`): before several of them are timed, products run until `csr` takes
 * this share of its time on one thread, or for the longest time.
 */
const AWAKE = 0.7;
const SHORTEST_WAKE_UP_MS = 40;
const LONGEST_WAKE_UP_MS = 300;

/** A turn on several threads that takes more than this share of the time on one may have run on one core: it is repeated, at most so often. */
const DOUBTFUL = 0.8;
const REPEATS = 5;
const REPEAT_WAKE_UP_MS = 60;

/**
 * A turn: uncounted products, then the median of at least so many, for at least so long. Other formats have emptied the caches before it, and a last cache
 * that holds all that a format reads takes several products until it does: on an Intel Xeon the first ones of 54 MB take 2.1, 2.0, 1.4, 1.1 times as long as
 * all later ones. Uncounted products go on, two at a time, until the faster of two takes more than SETTLED of the time of the faster of the two before, or until there were
 * MOST_WARM_UPS. Both are chosen.
 */
const SETTLED = 0.95;
const MOST_WARM_UPS = 16;
const PRODUCTS = 3;
const TURN_MS = 2;

/**
 * The least time of so many products decides whether a format is timed at all. On several threads products run before that, uncounted, for so many
 * milliseconds: the caller computes the first small ones of a loop alone. Chosen.
 */
const BRIEF_PRODUCTS = 5;
const BRIEF_WAKE_UP_MS = 3;

/** A format that takes so many times as long as the best one in a brief turn is not timed further, unless it is `csr` or `csrk`. */
const HOPELESS = 2.5;
/** A format that takes so many times as long as the best one has no more rounds than the first ones, unless it is `csr` or `csrk`. */
const BEATEN = 1.3;
const FIRST_ROUNDS = 3;
const ROUNDS = 8;

/** Layouts are made only up to so many bytes side by side; further ones replace the slowest. */
const HEAP_BYTES = 1.5e9;

/** `pkt` takes long to make; for more entries only where the choice would consider it. */
const SLOW_TO_MAKE = 'pkt';
const SLOW_ENTRIES = 2e5;

export async function openCpu(threads) {
  return createEngine({ threads: Math.max(...threads), tuning: 'built-in' });
}

/** x and y of the products. */
export function vectorsFor(engine, { rows, cols }, dtype) {
  const type = { dtype: dtype === 'f32' ? 'f32' : 'f64' };
  return { x: engine.vector(benchVector(cols), type), y: engine.vector(rows, type) };
}

/** Returns the plan of a layout on one thread, or on so many with the parts that it has by default. */
export function planFor(engine, stored, { threads, parts = threads === 1 ? 1 : undefined }) {
  return engine.cpu.plan(stored, 'spmv', parts === undefined ? {} : { parts });
}

/** A record for each number of threads. */
export function measureOnCpu(engine, matrix, dtype, threads) {
  const examined = examine(matrix);
  const prospects = prospectsOf(examined, dtype);
  const scope = engine.heap.scope();
  const { x, y } = vectorsFor(engine, matrix, dtype);
  const layouts = [];
  try {
    for (const layout of layoutsOf(engine, matrix, dtype, prospects, threads)) {
      verify(layout, matrix, dtype, x, y);
      keep(layouts, layout, x, y);
    }
    for (const place of threads.keys()) takeTurns(layouts, place, x, y);
    return threads.map((count, place) => {
      const formats = linesOf(layouts, threads, place);
      const ranking = rank(examined, { dtype, threads: count, products: 'many', costs: machineCosts(count) });
      const isTimed = (name) => formats.some(({ asked }) => asked.includes(name));
      const predicted = ranking.map((format) => nameOf(format, isTimed)).find((name) => name !== undefined);
      return { threads: count, dtype, formats, predicted };
    });
  } finally {
    for (const { stored } of layouts) stored?.[Symbol.dispose]();
    x[Symbol.dispose]();
    y[Symbol.dispose]();
    scope[Symbol.dispose]();
  }
}

/** Returns the times on a number of threads, and those on one where that is not the default. */
function linesOf(layouts, threads, place) {
  const one = threads.indexOf(1);
  return layouts.flatMap((layout) => {
    const line = lineOf(layout, place);
    if (layout.parts[place] === 1 || one < 0) return [line];
    const other = lineOf(layout, one);
    return [line, { ...other, spec: withOne([line.spec])[0], asked: withOne(line.asked) }];
  });
}

function* layoutsOf(engine, matrix, dtype, prospects, threads) {
  const offered = prospects.map(({ spec }) => spec);
  const layouts = new Map();
  for (const format of new Set(['csr', ...offered, ...CANDIDATES])) {
    if (format === SLOW_TO_MAKE && matrix.nnz > SLOW_ENTRIES && !offered.includes(format)) continue;
    let stored;
    let conversionMs;
    try {
      conversionMs = time(() => {
        stored = storeMatrix(engine.heap, matrix, format, dtype);
      });
    } catch (error) {
      if (isRefusal(error)) continue;
      throw error;
    }
    const same = layouts.get(stored.spec);
    if (same !== undefined) {
      same.asked.push(format);
      stored[Symbol.dispose]();
      continue;
    }
    const plans = threads.map((count) => planFor(engine, stored, { threads: count }));
    const turns = threads.map(() => []);
    const { spec, storedEntries } = stored;
    const layout = {
      spec,
      asked: [format],
      stored,
      plans,
      parts: plans.map((plan) => plan.parts),
      turns,
      repeats: plans.map((plan) => (plan.parts === 1 ? 0 : REPEATS)),
      conversionMs,
      bytes: stored.cost().bytes,
      storedEntries,
    };
    layouts.set(spec, layout);
    yield layout;
  }
}

const expectations = new WeakMap();

function verify({ spec, plans }, matrix, dtype, x, y) {
  if (!expectations.has(matrix)) expectations.set(matrix, {});
  const known = expectations.get(matrix);
  known[dtype] ??= expectedProduct(matrix, dtype, x.data, new (vectorArray(dtype))(matrix.rows), 1, 0);
  const expected = known[dtype];
  plans.at(-1).run(x, y.fill(Number.NaN), 1, 0);
  const { firstWrong } = compareProduct(expected, y.data);
  if (firstWrong >= 0)
    throw new Error(`${spec}: y[${firstWrong}] is ${y.data[firstWrong]}, not ${expected.y[firstWrong]}`);
}

/** Times a new layout briefly; a hopeless one is timed again, since it may have been disturbed, and then freed. */
function keep(layouts, layout, x, y) {
  const briefly = ({ plans }) =>
    plans.map((plan) => {
      const run = () => plan.run(x, y, 1, 0);
      if (plan.parts > 1) runFor(run, BRIEF_WAKE_UP_MS);
      return Math.min(...Array.from({ length: BRIEF_PRODUCTS }, () => time(run)));
    });
  layout.brief = briefly(layout);
  layouts.push(layout);
  const alive = () => layouts.filter(({ stored }) => stored !== undefined);
  const bestOf = (place) => Math.min(...layouts.map(({ brief }) => brief[place]));
  const ratio = ({ brief }) => Math.min(...brief.map((ms, place) => ms / bestOf(place)));
  const isHopeless = (one) => ratio(one) > HOPELESS && !isTwin(one);
  for (const one of alive().filter(isHopeless)) {
    const again = briefly(one);
    one.brief = one.brief.map((ms, place) => Math.min(ms, again[place]));
    if (isHopeless(one)) free(one);
  }
  while (alive().reduce((sum, { bytes }) => sum + bytes, 0) > HEAP_BYTES && alive().length > 2) {
    const slowest = alive()
      .filter((one) => !isTwin(one))
      .reduce((a, b) => (ratio(b) > ratio(a) ? b : a));
    free(slowest);
  }
}

/** `csr` and its twin take part in all rounds: their times differ by the noise of the machine alone if each is the least of as many turns. */
function isTwin({ asked }) {
  return TWINS.some((twin) => asked.includes(twin));
}

function free(layout) {
  for (const plan of layout.plans) plan[Symbol.dispose]();
  layout.stored[Symbol.dispose]();
  layout.stored = undefined;
}

/** Rounds in turn, forward and backward, on one of the numbers of threads. */
function takeTurns(layouts, place, x, y) {
  const runs = layouts
    .filter(({ stored }) => stored !== undefined)
    .map((layout) => ({
      ...{ layout, turns: layout.turns[place], run: () => layout.plans[place].run(x, y, 1, 0) },
    }));
  let left = runs;
  wakeUp(runs, place);
  for (let round = 0; round < ROUNDS; round++) {
    for (const one of round % 2 ? left.toReversed() : left) one.turns.push(sureTurn(one, place));
    if (round + 1 < FIRST_ROUNDS) continue;
    const best = Math.min(...runs.map(({ turns }) => typical(turns)));
    left = runs.filter(({ layout, turns }) => isTwin(layout) || typical(turns) < BEATEN * best);
  }
}

function sureTurn({ layout, run }, place) {
  const doubtful = place === 0 ? Number.POSITIVE_INFINITY : DOUBTFUL * typical(layout.turns[0]);
  let ms = turn(run);
  for (; layout.repeats[place] > 0 && ms > doubtful; layout.repeats[place]--) {
    runFor(run, REPEAT_WAKE_UP_MS);
    ms = Math.min(ms, turn(run));
  }
  return ms;
}

/** `csr` comes first, and the first number of threads is usually one. */
function wakeUp([{ layout, run }], place) {
  const begin = performance.now();
  const alone = place === 0 ? Infinity : AWAKE * typical(layout.turns[0]);
  for (let awake = false; !awake || performance.now() < begin + SHORTEST_WAKE_UP_MS; ) {
    awake = turn(run) < alone || performance.now() > begin + LONGEST_WAKE_UP_MS;
  }
}

/** Milliseconds of a product. */
export function turn(run) {
  settle(run);
  const times = [];
  for (const end = performance.now() + TURN_MS; times.length < PRODUCTS || performance.now() < end; )
    times.push(time(run));
  return times.sort((a, b) => a - b)[times.length >> 1];
}

/** Runs products until the data that they read are in the caches that can hold them. */
function settle(run) {
  let before = Number.POSITIVE_INFINITY;
  for (let count = 0; count < MOST_WARM_UPS; count += 2) {
    const faster = Math.min(time(run), time(run));
    if (faster > SETTLED * before) return;
    before = faster;
  }
}

/** The least of the medians of the turns: disturbances only make a turn longer. */
export function typical(turns) {
  return Math.min(...turns);
}

/** `asked`: the specs that are stored so. `rounds`: 0 if it was hopeless; its time is then the least of a few products. */
function lineOf({ spec, asked, turns, brief, bytes, storedEntries, conversionMs }, place) {
  const own = turns[place];
  const ms = own.length === 0 ? brief[place] : typical(own);
  return { spec, asked, ms, rounds: own.length, bytes, storedEntries, conversionMs };
}
