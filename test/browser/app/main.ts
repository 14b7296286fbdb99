/** The window of the tests: Node calls its functions by name (`Checks`). */
import { createEngine } from 'sparlane';
import { type AsyncEngine, type AsyncEngineOptions, createAsyncEngine, type Hint, SparlaneError } from 'sparlane/async';
import memberUrl from 'sparlane/member?worker&url';
import workerUrl from 'sparlane/worker?worker&url';
import { digest, realNumbers } from './data.js';

/** The properties of an error that are compared. */
export interface Failure {
  name: string;
  message: string;
  code?: string | undefined;
  detail?: object | undefined;
}

async function failure(promise: Promise<unknown>): Promise<Failure> {
  try {
    await promise;
  } catch (error) {
    const { name, message } = error as Error;
    return error instanceof SparlaneError
      ? { name, message, code: error.code, detail: error.detail }
      : { name, message };
  }
  return { name: 'none', message: 'no error' };
}

/** Runs with an engine, and disposes it. */
async function withEngine<T>(options: AsyncEngineOptions, use: (engine: AsyncEngine, hints: Hint[]) => Promise<T>) {
  const hints: Hint[] = [];
  const engine = await createAsyncEngine({ binary: 'simd', onHint: (hint) => hints.push(hint), ...options });
  try {
    return await use(engine, hints);
  } finally {
    await engine.dispose();
  }
}

function scenario(name: string, ...args: unknown[]): Promise<unknown> {
  const worker = new Worker(new URL('./scenarios.worker.ts', import.meta.url), { type: 'module', name: 'scenarios' });
  return new Promise<unknown>((resolve, reject) => {
    worker.onmessage = ({ data }) => ('error' in data ? reject(new Error(data.error)) : resolve(data.result));
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage({ name, args });
  }).finally(() => worker.terminate());
}

function median(times: number[]): number {
  return times.sort((a, b) => a - b)[times.length >> 1]!;
}

/** The time of a message to a worker that does nothing but send it back. */
async function echoMs(message: unknown): Promise<number> {
  const script = new Blob(['onmessage = ({ data }) => postMessage(data)'], { type: 'text/javascript' });
  const worker = new Worker(URL.createObjectURL(script));
  const times: number[] = [];
  for (let round = 0; round < 500; round++) {
    const begin = performance.now();
    await new Promise((resolve) => {
      worker.onmessage = resolve;
      worker.postMessage(message);
    });
    times.push(performance.now() - begin);
  }
  worker.terminate();
  return median(times);
}

const checks = {
  isolated: () => ({ isolated: crossOriginIsolated, sharedArrayBuffer: 'SharedArrayBuffer' in globalThis }),

  failure,
  scenario,
  withEngine,

  /** The scripts as a bundler names them when it is asked for them by the package's entries. */
  scripts: () => ({ worker: workerUrl, member: memberUrl }),

  /** Locks held by workers of sparlane: one for each living worker. */
  lifelines: async () => {
    const { held = [] } = await navigator.locks.query();
    return held.filter(({ name }) => name?.startsWith('sparlane-')).length;
  },

  /** An engine in the window itself: the sum of y = A 1, and its hints. */
  inWindow: async (threads?: number) => {
    const hints: Hint[] = [];
    const onHint = (hint: Hint) => hints.push(hint);
    const engine = await createEngine(threads === undefined ? { onHint } : { onHint, threads });
    const A = engine.operator({ rows: 2, cols: 2, rowPtr: [0, 1, 3], colIdx: [0, 0, 1], values: [1, 2, 4] });
    const y = engine.vector(2);
    A.apply(engine.vector([1, 1]), y);
    await engine.dispose();
    return { threads: engine.threads, hints, y: [...y.data] };
  },

  /** SHA-256 of y = 1.5 A x − 0.5 y for each way of passing vectors. */
  bits: (gallery: string, format: string, dtype: 'f64' | 'f32' | 'mixed', threads: number) =>
    withEngine({ threads }, async (engine, hints) => {
      const A = await engine.operator({ gallery }, { format, dtype });
      const numbers = { x: realNumbers(A.cols, dtype, 1), y: realNumbers(A.rows, dtype, 2) };
      const x = await engine.vector(numbers.x, { dtype });
      const y = await engine.vector(numbers.y, { dtype });
      const vectors = await digest(await A.apply(x, y, 1.5, -0.5));
      const inPlace = await digest(y.data);
      const arrays = await digest(await A.apply(numbers.x, numbers.y.slice(), 1.5, -0.5));
      const own = numbers.y.slice();
      await A.apply(x, own, 1.5, -0.5);
      const mixture = await digest(own);
      let ranks: readonly number[] = [];
      // A busy machine may give the threads no core for the first products.
      for (let round = 0; round < 200 && ranks.length < A.info.threads; round++) ranks = (await A.time(5)).ranks;
      const facts = { threads: engine.threads, shared: engine.shared, binary: engine.binary };
      return { ...facts, hints, bits: { vectors, inPlace, arrays, mixture }, ranks, format: A.format, info: A.info };
    }),

  /** A solve, and one that is aborted at its first progress; both in the engine's worker. */
  solve: (gallery: string, rows: number) =>
    withEngine({ threads: 2 }, async (engine) => {
      const b = realNumbers(rows, 'f64', 1);
      const { x, reason, iterations, decision } = await engine.solve({ gallery }, b);
      const controller = new AbortController();
      const stopped = await engine.solve({ gallery }, b, {
        ...{ rtol: 0, method: 'gmres?restart=200', preconditioner: 'none', signal: controller.signal },
        onProgress: () => controller.abort(),
      });
      return { bits: await digest(x), reason, iterations, method: decision.method, stopped: stopped.reason };
    }),

  /** Factors in the worker, and a factorization that is aborted at its first progress. */
  factor: (gallery: string, large: string, rows: number) =>
    withEngine({ threads: 2 }, async (engine) => {
      const b = realNumbers(rows, 'f64', 1);
      using F = await engine.factor({ gallery });
      const { x, relativeResidual } = await F.solve(b);
      const controller = new AbortController();
      const aborted = await failure(
        engine.factor({ gallery: large }, { signal: controller.signal, onProgress: () => controller.abort() }),
      );
      return { bits: await digest(x), relativeResidual, method: F.method, log: F.logDeterminant.log, aborted };
    }),

  /** Loops in the worker: a function by its text, and a module; and what a message costs, in ms, beside that to a worker that only sends it back. */
  run: (gallery: string, module: string) =>
    withEngine({ threads: 1 }, async (engine) => {
      const A = await engine.operator({ gallery });
      const x = await engine.vector(realNumbers(A.cols, 'f64', 1));
      const power = await engine.run<Float64Array>(new URL(module, location.href), [A, x, 3]);
      const text = await engine.run((engine, n: number) => engine.vector(n).fill(2).toArray(), [3]);
      const wrong = await failure(engine.run(new URL('missing.js', location.href)));
      const [from, to] = [await engine.vector(A.cols), await engine.vector(A.rows)];
      const { medianMs } = await A.time(21);
      const times: number[] = [];
      for (let product = 0; product < 500; product++) {
        const begin = performance.now();
        await A.apply(from, to);
        times.push(performance.now() - begin);
      }
      const beyondMs = median(times) - medianMs;
      // Without shared memory, x and y are in messages.
      const echo = await echoMs(crossOriginIsolated ? undefined : new Float64Array(A.cols));
      return { power: await digest(power), text: [...text], wrong, beyondMs, echoMs: echo };
    }),

  /** Reads one matrix in each of the ways available to a page. */
  sources: (url: string) =>
    withEngine({}, async (engine) => {
      const sources = {
        url: { file: url },
        URL: { file: new URL(url, location.href) },
        response: { file: await fetch(url) },
        stream: { file: (await fetch(url)).body! },
        blob: { file: await (await fetch(url)).blob() },
        file: { file: new File([await (await fetch(url)).arrayBuffer()], 'of-the-page.mtx') },
      };
      const results: Record<string, string> = {};
      for (const [name, source] of Object.entries(sources)) {
        const A = await engine.operator(source);
        results[name] =
          `${A.nnz} ${A.info.field} ${A.info.symmetry} ${await digest(await A.apply(realNumbers(A.cols, 'f64', 1)))}`;
        A.dispose();
      }
      return results;
    }),
};

export type Checks = typeof checks;

declare global {
  interface Window {
    checks: Checks;
    createAsyncEngine: typeof createAsyncEngine;
  }
}

Object.assign(window, { checks, createAsyncEngine });
