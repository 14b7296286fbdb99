/** The function that `run` names, in the worker, and its steps. */
import { mismatch, SparlaneError } from '../core/errors.js';
import type { SentCall } from './protocol.js';

type Task = (...args: unknown[]) => unknown;

/** @throws SparlaneError `argument` for a text or a module without the function; `backend` if the scope compiles no texts */
export async function loadTask(code: SentCall['code']): Promise<Task> {
  return 'text' in code ? compile(code.text) : importTask(code.url);
}

function compile(text: string): Task {
  try {
    return new Function(`return (${text});`)() as Task;
  } catch (cause) {
    if (cause instanceof EvalError) {
      const got = 'a refusal of texts';
      const cure = "let script-src in the Content Security Policy of the worker's script allow 'unsafe-eval'";
      const text = `task: expected a function that is compiled here, got ${got}; ${cure}, or give the URL of a module`;
      throw new SparlaneError('backend', text, {}, { cause });
    }
    throw mismatch('argument', 'task', 'a function expression whose text can be compiled here', String(cause));
  }
}

/** The export that the fragment names, or the default one. */
async function importTask(url: string): Promise<Task> {
  const place = new URL(url);
  const name = decodeURIComponent(place.hash.slice(1)) || 'default';
  place.hash = '';
  const module: Record<string, unknown> = await import(/* @vite-ignore */ /* webpackIgnore: true */ place.href).catch(
    (cause: unknown) => {
      throw mismatch('argument', 'task', 'the URL of a module', `${place.href}: ${cause}`);
    },
  );
  const task = module[name];
  if (typeof task === 'function') return task as Task;
  throw mismatch('argument', 'task', `a module that exports a function as \`${name}\``, Object.keys(module).join(', '));
}

/**
 * The call in one step, or the steps of the generator that it returns.
 *
 * @param within calls the code of the caller
 * @throws an AbortError at the first step after an abort
 */
export function* callSteps(
  task: Task,
  args: () => unknown[],
  signal: AbortSignal,
  within: <T>(call: () => T) => T,
): Generator<unknown, unknown> {
  const result = within(() => task(...args()));
  if (!isGenerator(result)) return result;
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = within(() => result.next());
      if (done) return value;
      yield value;
    }
  } finally {
    within(() => result.return(undefined));
  }
}

function isGenerator(value: unknown): value is Generator<unknown, unknown> {
  const { next } = (value ?? {}) as Partial<Generator>;
  return typeof next === 'function' && Symbol.iterator in (value as object);
}
