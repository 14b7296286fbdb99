/**
 * Named parameters with defaults and ranges, and their notation in one line: `name?key=value&key=value`. Formats and
 * the gallery declare their parameters with these types. Checks, help texts and tables all use the same declarations.
 */
import { mismatch } from './errors.js';

/** A parameter of a format, a method or a family of matrices has a number or a word as its value. */
export type ParameterValue = number | string;
/** Parameters have these values, by their names. */
export type ParameterValues = Readonly<Record<string, ParameterValue>>;

/** A parameter that is a number, as of a format or a preconditioner. */
export interface NumberParameter {
  readonly kind: 'integer' | 'number';
  readonly default: number;
  readonly min: number;
  readonly max: number;
  /** A line that says what the parameter means; `sparlane formats` prints it. */
  readonly doc: string;
}

/** A parameter that is one of some words, as of a format or a preconditioner. */
export interface WordParameter {
  readonly kind: 'word';
  readonly default: string;
  readonly allowed: readonly string[];
  readonly doc: string;
}

/** A name with parameters of its own, which commas separate: `amg?block=2,cycle=w`. Whoever takes it checks it. */
export interface SpecParameter {
  readonly kind: 'spec';
  readonly default: string;
  readonly doc: string;
}

/** A parameter of a format, a method, a preconditioner or a family of matrices. */
export type Parameter = (NumberParameter | WordParameter | SpecParameter) & {
  /**
   * If no value is given, a tuning of the machine (`tuning.ts`) or a device may replace the default by a better value.
   */
  readonly tuned?: boolean;
};
/** Parameters by their names. */
export type Parameters = Readonly<Record<string, Parameter>>;

/** Parameters of these names: numbers, and words. */
export type ParametersOf<Numbers extends string, Words extends string = never> = {
  readonly [name in Numbers]: Extract<Parameter, NumberParameter>;
} & { readonly [name in Words]: Extract<Parameter, WordParameter> };

/** The result of `resolveParameters`. */
export type Resolved<P extends Parameters> = { [K in keyof P]: P[K] extends NumberParameter ? number : string };

/** The values of all parameters: given values, checked, and defaults. A number may be given as text. */
export function resolveParameters<P extends Parameters>(
  what: string,
  parameters: P,
  given: Readonly<Record<string, unknown>>,
): Resolved<P> {
  if (typeof given !== 'object' || given === null) throw mismatch('argument', what, 'parameters by name', given);
  for (const key of Object.keys(given)) {
    if (!Object.hasOwn(parameters, key)) {
      throw mismatch('argument', what, `only the parameters ${Object.keys(parameters).join(', ') || '(none)'}`, key);
    }
  }
  const values: Record<string, ParameterValue> = {};
  for (const [key, parameter] of Object.entries(parameters)) {
    values[key] = given[key] === undefined ? parameter.default : resolve(`${what} ${key}`, parameter, given[key]);
  }
  return values as Resolved<P>;
}

function resolve(what: string, parameter: Parameter, given: unknown): ParameterValue {
  if (parameter.kind === 'spec') {
    if (typeof given === 'string') return given;
    throw mismatch('argument', what, 'name?key=value,…', given);
  }
  if (parameter.kind === 'word') {
    if (parameter.allowed.includes(given as string)) return given as string;
    throw mismatch('argument', what, parameter.allowed.join(' | '), given);
  }
  const value = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
  const whole = parameter.kind === 'integer';
  const { min, max } = parameter;
  if (typeof value !== 'number' || !(value >= min && value <= max) || (whole && !Number.isInteger(value))) {
    throw mismatch('argument', what, `${whole ? 'an integer' : 'a number'} from ${min} to ${max}`, given, { min, max });
  }
  return value;
}

/** `name?key=value&key=value` → name and texts by key. Errors use the name `what`. */
export function parseSpec(what: string, text: string): { name: string; given: Record<string, string> } {
  if (typeof text !== 'string') throw mismatch('argument', what, 'name?key=value&…', text);
  const mark = text.indexOf('?');
  if (mark < 0) return { name: text, given: {} };
  // Without a prototype: `__proto__` is then a key like any other, and is refused as unknown.
  const given: Record<string, string> = Object.create(null);
  for (const pair of text.slice(mark + 1).split('&')) {
    const equals = pair.indexOf('=');
    if (equals < 1) throw mismatch('argument', what, 'key=value after the question mark', pair);
    const key = pair.slice(0, equals);
    if (Object.hasOwn(given, key)) throw mismatch('argument', `${what} ${key}`, 'one value', 'several');
    given[key] = pair.slice(equals + 1);
  }
  return { name: text.slice(0, mark), given };
}

/** The same of a `SpecParameter`. */
export function parseInnerSpec(what: string, text: string): { name: string; given: Record<string, string> } {
  return parseSpec(what, text.replaceAll(',', '&'));
}

/**
 * The inverse of `parseSpec`, with the parameters that differ from their defaults. A parameter that a tuning or a
 * device may set is always named if it was `given`, because the spec must mean the same on every machine.
 */
export function formatSpec(
  name: string,
  parameters: Parameters,
  values: ParameterValues,
  given: Readonly<Record<string, unknown>> = {},
): string {
  const isNamed = (key: string) => parameters[key]?.tuned === true && given[key] !== undefined;
  const pairs = Object.entries(values).filter(([key, value]) => value !== parameters[key]?.default || isNamed(key));
  return pairs.length === 0 ? name : `${name}?${pairs.map(([key, value]) => `${key}=${value}`).join('&')}`;
}
