/**
 * The one error class of the library. Its text is always `what: expected …, got …`, where `what` names the argument, or
 * the file and line, as the caller wrote it. Programs find the numbers of the text in `detail`.
 */

/**
 * - `argument`: a parameter has the wrong type or is out of range
 * - `shape`: lengths or dimensions do not fit together
 * - `structure`: the arrays of a matrix do not describe a matrix
 * - `fill-in`: a conversion would store too many zeros, or any zero if none are allowed (`padding: false`)
 * - `heap`: a request does not fit into the shared memory
 * - `backend`: threads or a device failed
 * - `kernel`: a kernel trapped, or the WebAssembly module is not the one expected
 * - `parse`: the content of a file violates its format
 * - `busy`: as many requests wait as may wait; there is room again when some of them have ended
 */
export type ErrorCode =
  | 'argument'
  | 'shape'
  | 'structure'
  | 'fill-in'
  | 'heap'
  | 'backend'
  | 'kernel'
  | 'parse'
  | 'busy';

/** The numbers and names of an error, by which a program can tell what is wrong. */
export type ErrorDetail = Readonly<Record<string, number | string>>;

/** Every error of the library: `code` says of which kind it is, `detail` has the numbers of the text. */
export class SparlaneError extends Error {
  override readonly name = 'SparlaneError';
  readonly code: ErrorCode;
  readonly detail: ErrorDetail;

  constructor(code: ErrorCode, message: string, detail: ErrorDetail = {}, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.detail = detail;
  }
}

/** The error for an argument `what` that is not as `expected`. `got` is shown as a caller would write it. */
export function mismatch(
  code: ErrorCode,
  what: string,
  expected: string,
  got: unknown,
  detail: ErrorDetail = {},
): SparlaneError {
  return new SparlaneError(code, `${what}: expected ${expected}, got ${show(got)}`, detail);
}

/** A value as errors show it: short, and never all elements of an array. */
export function show(value: unknown): string {
  if (typeof value === 'string') return value.length > 60 ? `'${value.slice(0, 57)}…'` : `'${value}'`;
  if (ArrayBuffer.isView(value) || Array.isArray(value)) {
    const { length } = value as unknown as { length?: number };
    return `${value.constructor.name} of length ${length}`;
  }
  if (typeof value === 'object' && value !== null) return value.constructor?.name ?? 'object';
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'bigint') return `${value}n`;
  return String(value);
}
