/** A worker of the page, with its own engine: for scenarios that the façade does not allow. */

import { createEngine, type Engine, type EngineOptions, type Hint, SparlaneError } from 'sparlane';
import { checkFormat } from '#dist/conformance/check-format.js';
import { DTYPES } from '#dist/core/types.js';
import type { StoredMatrix } from '#dist/formats/format.js';
import { FORMAT_SPECS } from '#dist/formats/registry.js';
import { gallery, parseGalleryUrl } from '#dist/gallery/registry.js';
import { realNumbers } from './data.js';

/** The compute workers that were started, so that one can be killed. */
const computeWorkers: Worker[] = [];
globalThis.Worker = class extends Worker {
  constructor(url: string | URL, options?: WorkerOptions) {
    super(url, options);
    computeWorkers.push(this);
  }
};

interface Bench {
  readonly engine: Engine;
  readonly hints: Hint[];
  /** y ← A x, whether its bits are right. */
  multiply(): boolean;
  /** Multiplies until that many threads have taken part; false after five seconds. */
  multiplyUntil(threads: number): Promise<boolean>;
  /** Makes the kernels access addresses that do not exist, or undoes that. */
  breakMatrix(broken: boolean): void;
}

async function bench(options: EngineOptions = {}, url = 'gallery:banded?rows=60000&perRow=9'): Promise<Bench> {
  const hints: Hint[] = [];
  const engine = await createEngine({ threads: 2, binary: 'simd', onHint: (hint) => hints.push(hint), ...options });
  const { name, given } = parseGalleryUrl(url);
  const matrix = gallery(name, given);
  const A = engine.operator(matrix, { parts: 2 * engine.threads });
  const x = engine.vector(realNumbers(A.cols, 'f64', 1));
  const y = engine.vector(A.rows);
  const alone = engine.operator(matrix, { parts: 1 });
  alone.apply(x, y);
  const right = y.data.slice();
  const multiply = (): boolean => {
    y.fill(Number.NaN);
    A.apply(x, y);
    return y.data.every((value, row) => value === right[row]);
  };
  const header = new Uint32Array(engine.heap.memory.buffer, (A.matrix as StoredMatrix).stages.spmv[0]!.header, 16); // a block is a line at least
  const addresses = header.slice();
  return {
    engine,
    hints,
    multiply,
    multiplyUntil: async (threads) => {
      for (const deadline = performance.now() + 5_000; performance.now() < deadline; await sleep(0)) {
        const ranks = new Set<number>();
        for (let product = 0; product < 50; product++) {
          multiply();
          for (let part = 0; part < A.plan.parts; part++) ranks.add(engine.team.rankOf(part));
        }
        if (ranks.size === threads) return true;
      }
      return false;
    },
    breakMatrix: (broken) => {
      if (broken) header.fill(0xffff_fff0);
      else header.set(addresses);
    },
  };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The library's error thrown by a function; undefined if it throws none. */
function errorOf(run: () => unknown): SparlaneError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof SparlaneError) return error;
    throw error;
  }
}

async function lifelines(): Promise<number> {
  const { held = [] } = await navigator.locks.query();
  return held.filter(({ name }) => name?.startsWith('sparlane-')).length;
}

const scenarios = {
  ranks: async (threads: number) => {
    const { engine, multiplyUntil } = await bench({ threads });
    const all = await multiplyUntil(threads);
    await engine.dispose();
    return all;
  },

  idle: async () => {
    const { engine, multiply, multiplyUntil } = await bench();
    const standing = [engine.team.standing];
    for (let turn = 0; turn < 500 && engine.team.standing > 0; turn++) await sleep(10);
    standing.push(engine.team.standing);
    const right = multiply();
    standing.push(engine.team.standing);
    const all = await multiplyUntil(2);
    await engine.dispose();
    return { standing, right, all, started: computeWorkers.length };
  },

  trap: async () => {
    const { engine, hints, multiply, multiplyUntil, breakMatrix } = await bench();
    await multiplyUntil(2);
    breakMatrix(true);
    const codes = new Set<string | undefined>();
    // The caller may run into all traps before the other thread comes. The loss of that thread is an error or a hint.
    let lost = false;
    for (const deadline = performance.now() + 5_000; !lost && performance.now() < deadline; await sleep(0)) {
      const error = errorOf(multiply);
      codes.add(error?.code);
      lost = hints.length > 0 || error?.detail.rank === 1;
    }
    breakMatrix(false);
    const rightAtOnce = multiply();
    const all = await multiplyUntil(2);
    await engine.dispose();
    return { codes: [...codes], lost, rightAtOnce, all };
  },

  /** Kills the other thread repeatedly while both compute, at random moments of a product. */
  kill: async (times: number) => {
    const { engine, hints, multiply, multiplyUntil } = await bench();
    let all = true;
    let killed = 0;
    let wrong = 0;
    let longestMs = 0;
    const failures: string[] = [];
    const reported = () => failures.length + hints.filter(({ name }) => name === 'thread-lost').length;
    for (let time = 0; time < times; time++) {
      all &&= await multiplyUntil(2);
      for (const worker of computeWorkers.splice(0)) {
        worker.terminate();
        killed++;
      }
      for (let product = 0; product < 50; product++) {
        const begin = performance.now();
        const error = errorOf(() => {
          if (!multiply()) wrong++;
        });
        longestMs = Math.max(longestMs, performance.now() - begin);
        if (error !== undefined) failures.push(error.code);
      }
      // A browser may take two seconds to end a worker that is busy.
      for (let turn = 0; turn < 500 && reported() < killed; turn++) await sleep(10);
    }
    all &&= await multiplyUntil(2);
    await engine.dispose();
    return { wrong, killed, reported: reported(), failures, longestMs, all };
  },

  dispose: async () => {
    const { engine, multiply } = await bench({ threads: 3 });
    const before = await lifelines();
    await engine.dispose();
    return { before, after: await lifelines(), code: errorOf(() => engine.vector(1))?.code, multiplies: multiply() };
  },

  /**
   * Runs the conformance checks of every format on this page's best backend, each in one dtype, in turn: Node runs the same binaries in all
   * of them. Returns the failures and the number of checks.
   */
  conformance: async (threads: number) => {
    const engine = await createEngine({ threads });
    const backend = threads > 1 ? 'threads' : 'wasm';
    const report = { checks: 0, failures: [] as unknown[], ranks: [] as number[], binary: engine.binary };
    for (const [k, spec] of FORMAT_SPECS.entries()) {
      const dtype = DTYPES[(k + threads) % DTYPES.length]!;
      const { checks, failures, ranks } = await checkFormat(engine, { spec, dtype, backend, brief: true });
      report.checks += checks;
      report.failures.push(...failures.map((failure) => ({ spec, dtype, ...failure })));
      report.ranks = [...new Set([...report.ranks, ...ranks])].sort();
    }
    await engine.dispose();
    return report;
  },
};

export type Scenarios = typeof scenarios;

interface Order {
  readonly name: keyof Scenarios;
  readonly args: unknown[];
}

declare const self: {
  onmessage: ((event: MessageEvent<Order>) => void) | null;
  postMessage(answer: { result: unknown } | { error: string }): void;
};

self.onmessage = async ({ data }) => {
  try {
    const run = scenarios[data.name] as (...args: unknown[]) => Promise<unknown>;
    self.postMessage({ result: await run(...data.args) });
  } catch (error) {
    self.postMessage({ error: error instanceof Error ? `${error.message}\n${error.stack}` : String(error) });
  }
};
