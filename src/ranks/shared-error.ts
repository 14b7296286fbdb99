/** An error of one rank as all ranks throw it: what it was, with the rank. */
import { type ErrorCode, type ErrorDetail, SparlaneError } from '../core/errors.js';

/** An error in transit. Without a code it is not one of the library. */
interface Told {
  readonly name: string;
  readonly message: string;
  readonly code?: ErrorCode;
  readonly detail?: ErrorDetail;
}

/** Errors that programs tell apart by their class. */
const CLASSES: Readonly<Record<string, new (message: string, options?: ErrorOptions) => Error>> = {
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
};

export function encodeError(error: unknown): Uint8Array<ArrayBuffer> {
  const told: Told =
    error instanceof SparlaneError
      ? { name: error.name, message: error.message, code: error.code, detail: error.detail }
      : error instanceof Error
        ? { name: error.name, message: error.message }
        : { name: 'Error', message: String(error) };
  return new TextEncoder().encode(JSON.stringify(told));
}

/**
 * @param rank where the error was thrown
 * @param cause the error itself, on that rank
 * @returns its class, if every rank has it, its name, and its message after the rank; `rank` is in `detail` of a SparlaneError, and a property of others
 */
export function decodeError(bytes: Uint8Array, rank: number, cause?: unknown): Error {
  const told: Told = JSON.parse(new TextDecoder().decode(bytes));
  const message = `rank ${rank}: ${told.message}`;
  const options = cause === undefined ? {} : { cause };
  if (told.code !== undefined) return new SparlaneError(told.code, message, { ...told.detail, rank }, options);
  const error = new (CLASSES[told.name] ?? Error)(message, options);
  if (error.name !== told.name) Object.defineProperty(error, 'name', { value: told.name });
  return Object.assign(error, { rank });
}
