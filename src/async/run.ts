/** `run`: a function of the caller, called in the engine's worker with the synchronous engine. */
import { knownKeys } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import type { Engine } from '../engine/engine.js';
import type { Vector } from '../memory/vector.js';
import type { MatrixOperator } from '../operators/matrix-operator.js';
import { AsyncOperator, AsyncVector } from './handles.js';
import type { Link } from './link.js';
import { callWithProgress, checkWatched } from './progress.js';
import type { SentCall } from './protocol.js';

/** What `run` calls. A generator function shares the worker with other requests: they have their turns when it yields. */
export type Task<P extends unknown[] = never[], R = unknown> = (engine: Engine, ...args: P) => R;

/** Without the engine; vectors and operators are handles here, and those of the synchronous engine there. */
export type TaskArguments<P extends unknown[]> = { readonly [K in keyof P]: AsyncHandle<P[K]> };

/** What the caller passes for a parameter of a task: a handle for a vector or an operator, and anything else as it is. */
export type AsyncHandle<A> = A extends Vector<infer N> ? AsyncVector<N> : A extends MatrixOperator ? AsyncOperator : A;

/** What the function returns, or its promise resolves to, or its generator returns. */
export type TaskResult<R> = R extends Generator<unknown, infer T> ? T : Awaited<R>;

/** `AsyncEngine.run` takes these options. */
export interface RunOptions {
  /** Ends a generator at its next `yield`, and rejects with its reason. */
  readonly signal?: AbortSignal;
  /** Gets what a generator has yielded last, about every 50 ms. */
  readonly onProgress?: (yielded: never) => unknown;
}

const RUN_OPTIONS = { signal: true, onProgress: true } satisfies Record<keyof RunOptions, true>;

/** @throws SparlaneError as `AsyncEngine.run` */
export async function runInWorker(
  link: Link,
  task: Task | URL | string,
  args: readonly unknown[],
  options: RunOptions,
  absolute: (option: string, url: URL | string) => string,
): Promise<unknown> {
  knownKeys('options', options, RUN_OPTIONS);
  const { signal, onProgress } = options;
  checkWatched(options);
  if (!Array.isArray(args)) throw mismatch('argument', 'args', 'an array', args);
  const code = typeof task === 'function' ? { text: String(task) } : { url: absolute('task', task) };
  const sent = { code, args: args.map((arg) => sentArgument(link, arg)) };
  return callWithProgress(link, 'run', sent, { signal, onProgress }).result;
}

function sentArgument(link: Link, value: unknown): SentCall['args'][number] {
  if (value instanceof AsyncVector) return value.sentTo(link, 'args', true);
  return value instanceof AsyncOperator ? value.sentTo(link, 'args') : { value };
}
