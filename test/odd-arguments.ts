/** Calls functions with odd arguments: in place of each right one, of each option, and of each member of a matrix or another object. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SparlaneError } from '#dist/core/errors.js';

export type Call = (...args: readonly unknown[]) => unknown;

/** What makes a right argument, by the name of the parameter. */
export type RightArguments = Readonly<Record<string, () => unknown>>;

/** None of them is an array-like of a huge length: reading it is what was asked for. */
export const ODD: readonly unknown[] = [
  ...[undefined, null, Number.NaN, Number.POSITIVE_INFINITY, -1, 1.5, 2 ** 53, 1e300, 7n, true, '', 'no such/thing'],
  ...[{}, [], [null], ['x'], [[]], new Int8Array(3), { length: 3 }, { length: -1 }, { length: 'x' }],
  ...[Symbol('odd'), () => {}, new Date(0), Object.create(null), new Proxy({}, {})],
];

/** For calls that start threads. */
export const FEW_ODD: readonly unknown[] = [null, -1, 'no such/thing', {}, Symbol('odd')];

/** A call that takes longer hangs. */
const HANGS_MS = 30_000;

/** The names of the parameters, as the built code has them; `options` for one that is taken apart. */
export function parametersOf(call: Call): readonly string[] {
  const text = String(call);
  const begin = text.startsWith('class') ? text.indexOf('constructor(') : 0;
  if (begin < 0) return [];
  const parts = [''];
  let depth = 0;
  for (const sign of text.slice(text.indexOf('(', begin))) {
    if (')]}'.includes(sign)) depth--;
    if (depth === 0 && sign === ')') break;
    if (sign === ',' && depth === 1) parts.push('');
    else if (depth > 0) parts[parts.length - 1] += sign;
    if ('([{'.includes(sign)) depth++;
  }
  const names = parts.map((part) => part.trim()).filter((part) => part !== '');
  return names.map((part) => (part.startsWith('{') ? 'options' : part.split(/[\s=]/)[0]!.replace(/^_/, '')));
}

/** The methods that the declarations of an object's classes offer to callers. */
export function publicMethods(object: object): readonly string[] {
  const hidden = new Set<string>();
  const methods = new Set<string>();
  for (let type = Object.getPrototypeOf(object); type !== Object.prototype; type = Object.getPrototypeOf(type)) {
    for (const name of HIDDEN.get(type.constructor.name) ?? []) hidden.add(name);
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(type)))
      if (typeof value === 'function' && name !== 'constructor') methods.add(name);
  }
  return [...methods].filter((name) => !hidden.has(name));
}

/** By class: methods that are protected, or marked as internal. */
const HIDDEN = new Map<string, Set<string>>();
const DIST = fileURLToPath(new URL('../dist', import.meta.url));
for (const file of readdirSync(DIST, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.d.ts'))) {
  for (const [, name, body] of readFileSync(join(DIST, file), 'utf8').matchAll(
    /class (\w+)[^\n]*\{\n([\s\S]*?)\n\}/g,
  )) {
    const marked = [...body!.matchAll(/(?:protected (?:abstract )?|@internal[^/]*\*\/\s+)(\w+)\(/g)];
    HIDDEN.set(name!, new Set(marked.map(([, method]) => method!)));
  }
}

/** What came of the calls of one function. */
export interface Outcome {
  /** Whether the call with right arguments succeeded. */
  readonly isRight: boolean;
  readonly calls: number;
  /** What is neither a result nor a SparlaneError that says what it expected, and of what. */
  readonly failures: readonly string[];
}

/** @param right the argument for a parameter of this name */
export async function callOddly(call: Call, right: (name: string) => unknown, odd = ODD): Promise<Outcome> {
  const names = parametersOf(call);
  const failures: string[] = [];
  let calls = 0;
  const rightArgs = () => names.map(right);
  const attempt = async (args: readonly unknown[]) => {
    calls++;
    const error = await errorOf(call, args);
    const isFine = error === undefined || (error instanceof SparlaneError && /^[^\n]*: expected /.test(error.message));
    if (!isFine) failures.push(`(${args.map(show).join(', ')}): ${error instanceof Error ? error.stack : show(error)}`);
    return error;
  };
  const isRight = (await attempt(rightArgs())) === undefined;
  await attempt([]);
  for (const value of odd) await attempt(names.map(() => value));
  for (const place of names.keys()) {
    for (const value of odd) await attempt(rightArgs().with(place, value));
    const options = optionsIn(await errorOf(call, rightArgs().with(place, { $none: 1 })));
    for (const member of new Set([...options, ...membersOf(rightArgs()[place])])) {
      for (const value of odd.filter((one) => one !== undefined))
        await attempt(rightArgs().with(place, { ...(rightArgs()[place] as object), [member]: value }));
    }
  }
  return { isRight, calls, failures };
}

/** Those of a plain object, such as a matrix. An object with another prototype is not taken apart. */
function membersOf(value: unknown): readonly string[] {
  const isPlain = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  return isPlain ? Object.keys(value) : [];
}

/** The names in an error about an unknown option. */
function optionsIn(error: unknown): readonly string[] {
  const [, names = ''] = /only the (?:options|parameters) (.*), got/.exec(String(error)) ?? [];
  return names.split(', ').filter((name) => /^\w+$/.test(name));
}

/** What it throws, or rejects with, or throws in its first steps. Results that hold threads are disposed. */
async function errorOf(call: Call, args: readonly unknown[]): Promise<unknown> {
  try {
    const result = await settled(call(...args));
    if (isGenerator(result)) for (let step = 0; step < 3 && !result.next().done; step++);
    if (typeof result === 'object' && result !== null && Symbol.asyncDispose in result && !args.includes(result))
      await (result as AsyncDisposable)[Symbol.asyncDispose]();
    if (result instanceof ReadableStream) for await (const _ of result);
    return undefined;
  } catch (error) {
    return error;
  }
}

async function settled(result: unknown): Promise<unknown> {
  if (!(result instanceof Promise)) return result;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('hangs')), HANGS_MS);
  });
  return Promise.race([result, late]).finally(() => clearTimeout(timer));
}

function isGenerator(value: unknown): value is Generator {
  return Object.prototype.toString.call(value) === '[object Generator]';
}

function show(value: unknown): string {
  try {
    if (typeof value === 'object' && value !== null) {
      const name = Object.getPrototypeOf(value)?.constructor?.name ?? 'no prototype';
      return ['Object', 'Array'].includes(name) ? (JSON.stringify(value)?.slice(0, 60) ?? name) : name;
    }
    return typeof value === 'string' ? `'${value}'` : String(value).slice(0, 30);
  } catch {
    return 'something';
  }
}
