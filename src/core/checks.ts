/**
 * Validators of single arguments. Each gets the argument's public name for its error, and returns the checked value.
 */
import { mismatch } from './errors.js';
import { SYMMETRIES, type Symmetry } from './types.js';

/** A finite number (α, β, probabilities). */
export function finite(name: string, value: number): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw mismatch('argument', name, 'a finite number', value);
  return value;
}

/** An integer in [min, max]. */
export function integer(name: string, value: number, min = 0, max = 0xffff_ffff): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
    throw mismatch('argument', name, `an integer from ${min} to ${max}`, value, { min, max });
  }
  return value;
}

/** A number in [min, max]. */
export function within(name: string, value: number, min: number, max: number): number {
  if (typeof value !== 'number' || !(value >= min && value <= max)) {
    throw mismatch('argument', name, `a number from ${min} to ${max}`, value, { min, max });
  }
  return value;
}

export function boolean(name: string, value: boolean): boolean {
  if (typeof value !== 'boolean') throw mismatch('argument', name, 'a boolean', value);
  return value;
}

export function callback<F extends (...args: never[]) => unknown>(name: string, value: F): F {
  if (typeof value !== 'function') throw mismatch('argument', name, 'a function', value);
  return value;
}

export function abortSignal(name: string, value: AbortSignal): AbortSignal {
  if (!(value instanceof AbortSignal)) throw mismatch('argument', name, 'an AbortSignal', value);
  return value;
}

/** Several things of one kind, which their users check. */
export function list<T>(name: string, value: readonly T[]): readonly T[] {
  if (!Array.isArray(value)) throw mismatch('argument', name, 'an array', value);
  return value;
}

export function text(name: string, value: string): string {
  if (typeof value !== 'string') throw mismatch('argument', name, 'a string', value);
  return value;
}

/** One of the allowed words. */
export function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  if (!allowed.includes(value as T)) throw mismatch('argument', name, allowed.join(' | '), value);
  return value as T;
}

export function object<T extends object>(name: string, value: T): T {
  if (typeof value !== 'object' || value === null) throw mismatch('argument', name, 'an object', value);
  return value;
}

/**
 * An options object without unknown keys. A misspelt option is an error, not silently ignored. `allowed` has every key of
 * the type, which the compiler checks; its values are not used.
 */
export function knownKeys<T extends object>(
  name: string,
  options: T,
  allowed: Readonly<Record<keyof NoInfer<T>, unknown>>,
): void {
  for (const key of Object.keys(object(name, options))) {
    if (!Object.hasOwn(allowed, key))
      throw mismatch('argument', name, `only the options ${Object.keys(allowed).join(', ') || '(none)'}`, key);
  }
}

/** An absolute URL. */
export function absoluteUrl(name: string, value: URL | string): URL {
  if (value instanceof URL) return value;
  if (typeof value === 'string' && URL.canParse(value)) return new URL(value);
  throw mismatch('argument', name, 'an absolute URL', value);
}

/** Checks that a matrix of this shape can have this symmetry. @throws SparlaneError `argument` or `shape` */
export function checkSymmetry(symmetry: Symmetry, rows: number, cols: number): Symmetry {
  if (oneOf('symmetry', symmetry, SYMMETRIES) === 'general' || rows === cols) return symmetry;
  throw mismatch('shape', 'symmetry', "'general' for a matrix that is not square", symmetry, { rows, cols });
}
