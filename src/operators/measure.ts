/** The best few formats of a ranking, laid out side by side and timed in turn. */
import { type CudaDevice, planCuda } from '../backends/cuda.js';
import { planWasm, type WasmContext } from '../backends/wasm.js';
import { expectedMs, type Products, type RankedFormat, YARDSTICK } from '../choice/choose.js';
import { assemble } from '../core/owned.js';
import { type FloatArray, vectorArray } from '../core/types.js';
import { isRefusal, type StoredMatrix } from '../formats/format.js';
import { DeviceVector } from '../memory/device.js';

/** A turn lasts as long, or two products: far longer than the clock's steps, even in a browser. */
const TURN_MS = 0.5;
const FEWEST = 2;

/** Share of the budget for laying out, and how much slower than the best one may be predicted to be tried at all. */
const LAYOUT_SHARE = 0.6;
const HOPELESS = 1.6;

/** Threads that slept while formats were laid out may share a core for so long: see `bench/contenders.mjs`. */
const WARM_UP_MS = 40;

/** A format that took longer than the best in some turns by as much is not timed any more. */
const BEATEN = 1.15;

interface Trial {
  readonly format: RankedFormat;
  readonly stored: StoredMatrix;
  /** Least time of a product over all turns. */
  ms: number;
}

export interface Measured {
  readonly stored: StoredMatrix;
  /** What was measured comes first, best first; what was not, or refused the matrix, as it was predicted. */
  readonly ranking: readonly RankedFormat[];
}

/**
 * Lays out and times formats for about `budgetMs`; at least `csr` and the first of the ranking, in full, however long that takes.
 *
 * @throws SparlaneError `heap` where not even one of them fits
 */
export function fastestOf(
  context: WasmContext,
  ranking: readonly RankedFormat[],
  store: (format: RankedFormat) => StoredMatrix,
  { budgetMs, products, device }: { budgetMs: number; products: Products; device: CudaDevice | undefined },
): Measured {
  const begin = performance.now();
  const trials: Trial[] = [];
  try {
    layOut(ranking, store, begin + LAYOUT_SHARE * budgetMs, trials);
    using lanes = device === undefined ? onTeam(context, trials) : onDevice(context, device, trials);
    takeTurns(lanes.runs, trials, begin + budgetMs);
  } catch (error) {
    for (const { stored } of trials) stored[Symbol.dispose]();
    throw error;
  }
  const measured = trials.map(({ format, ms }) => ({ ...format, measuredMs: ms }));
  const total = (format: RankedFormat & { measuredMs: number }) =>
    expectedMs({ ...format, productMs: format.measuredMs }, products);
  measured.sort((a, b) => total(a) - total(b));
  const best = trials.find(({ format }) => format.spec === measured[0]!.spec)!;
  for (const trial of trials) if (trial !== best) trial.stored[Symbol.dispose]();
  const others = ranking.filter(({ spec }) => !measured.some((one) => one.spec === spec));
  return { stored: best.stored, ranking: [...measured, ...others] };
}

function layOut(
  ranking: readonly RankedFormat[],
  store: (format: RankedFormat) => StoredMatrix,
  deadline: number,
  trials: Trial[],
): void {
  const csr = ranking.filter(({ spec }) => spec === YARDSTICK);
  const hopeless = HOPELESS * Math.min(...ranking.map(({ productMs }) => productMs));
  const others = ranking.filter(({ spec, productMs }) => spec !== YARDSTICK && productMs < hopeless);
  let refusal: unknown;
  for (const format of [...csr, ...others]) {
    if (trials.length > 1 && performance.now() + format.conversionMs > deadline) break;
    try {
      const stored = store(format);
      // What falls back to a layout that is there already is not worth its memory.
      if (trials.some((trial) => trial.stored.spec === stored.spec)) stored[Symbol.dispose]();
      else trials.push({ format, stored, ms: Infinity });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refusal = error;
    }
  }
  if (trials.length === 0) throw refusal;
}

/** One part where the caller is faster alone, else as many as the plan likes. */
export function partsOf({ threads }: RankedFormat): { parts?: number } {
  return threads === 1 ? { parts: 1 } : {};
}

/** The product of each trial, waited for. */
interface Lanes extends Disposable {
  readonly runs: ReadonlyMap<Trial, () => void>;
}

function onTeam(context: WasmContext, trials: readonly Trial[]): Lanes {
  return context.heap.build((scope) => {
    const { dtype, rows, cols } = trials[0]!.stored;
    const x = scope.array<FloatArray>(vectorArray(dtype), cols).fill(1);
    const y = scope.array<FloatArray>(vectorArray(dtype), rows);
    const runs = new Map(
      trials.map((trial) => {
        const plan = planWasm(context, trial.stored, partsOf(trial.format));
        return [trial, () => plan.run(x, y, 1, 0)] as const;
      }),
    );
    return { runs, [Symbol.dispose]: () => scope[Symbol.dispose]() };
  });
}

function onDevice({ heap }: WasmContext, device: CudaDevice, trials: readonly Trial[]): Lanes {
  return assemble((owned) => {
    const { dtype, rows, cols } = trials[0]!.stored;
    const x = owned.own(new DeviceVector(device, vectorArray(dtype), cols)).fill(1);
    const y = owned.own(new DeviceVector(device, vectorArray(dtype), rows));
    const runs = new Map(
      trials.map((trial) => {
        const plan = owned.own(planCuda(device, heap, trial.stored));
        const run = () => {
          plan.queue(x, y, 1, 0);
          device.synchronize();
        };
        return [trial, run] as const;
      }),
    );
    return { runs, [Symbol.dispose]: () => owned[Symbol.dispose]() };
  });
}

function takeTurns(runs: Lanes['runs'], trials: readonly Trial[], deadline: number): void {
  const product = (trial: Trial) => runs.get(trial)!();
  const warm = Math.min(performance.now() + WARM_UP_MS, (performance.now() + deadline) / 2);
  do product(trials[0]!);
  while (performance.now() < warm);
  let least = Infinity;
  for (let round = 0; round < FEWEST || performance.now() < deadline; round++) {
    for (const trial of round % 2 === 0 ? trials : trials.toReversed()) {
      if (round >= FEWEST && trial.ms > BEATEN * least) continue;
      trial.ms = Math.min(
        trial.ms,
        turn(() => product(trial)),
      );
      least = Math.min(least, trial.ms);
    }
  }
}

/** Milliseconds of a product, on average; the first of a turn does not count. */
export function turn(run: () => void): number {
  run();
  const begin = performance.now();
  let count = 0;
  let elapsed = 0;
  while (count < FEWEST || elapsed < TURN_MS) {
    run();
    count++;
    elapsed = performance.now() - begin;
  }
  return elapsed / count;
}
