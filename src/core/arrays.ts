/** Converts the caller's arrays to the typed arrays that the library uses. Arrays of the right type are not copied. */
import { mismatch, SparlaneError, show } from './errors.js';
import { dtypeOf, type FloatArray, type FloatArrayConstructor } from './types.js';

/** Numbers in any array: a typed one, or `number[]`. */
export type NumberArray = ArrayLike<number>;

/** Indices and pointers: any numbers in any array-like, or 64-bit integers, as in SciPy and Arrow. */
export type IndexArray = NumberArray | BigInt64Array | BigUint64Array;

const MAX_INDEX = 0xffff_ffff;

/** Indices as Uint32Array. Arrays of 32-bit integers are not copied. @throws SparlaneError `argument` */
export function asIndices(name: string, source: IndexArray): Uint32Array {
  if (ArrayBuffer.isView(source)) checkAttached(name, source);
  if (source instanceof Uint32Array) return source;
  if (source instanceof BigInt64Array || source instanceof BigUint64Array) return narrowed(name, source);
  if (!isArrayLike(source)) throw mismatch('argument', name, 'an array of integers', source);
  if (source instanceof Int32Array && isNatural(source)) return unsigned(source);
  for (let k = 0; k < source.length; k++) {
    const value = source[k]!;
    if (!(Number.isInteger(value) && value >= 0 && value <= MAX_INDEX)) throw notAnIndex(`${name}[${k}]`, value, k);
  }
  return Uint32Array.from(source);
}

/** Whether no integer is negative: three times as fast as the check that finds the first one. */
function isNatural(integers: Int32Array): boolean {
  let bits = 0;
  for (let k = 0; k < integers.length; k++) bits |= integers[k]!;
  return bits >= 0;
}

function unsigned({ buffer, byteOffset, length }: Int32Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, length);
}

function narrowed(name: string, source: BigInt64Array | BigUint64Array): Uint32Array {
  const indices = new Uint32Array(source.length);
  for (let k = 0; k < source.length; k++) {
    const value = source[k]!;
    if (value < 0n || value > BigInt(MAX_INDEX)) throw notAnIndex(`${name}[${k}]`, value, k);
    indices[k] = Number(value);
  }
  return indices;
}

/** The error for a value that is not an index. */
export function notAnIndex(name: string, value: unknown, index: number): SparlaneError {
  return mismatch('argument', name, `an integer from 0 to ${MAX_INDEX}`, value, { index });
}

export type Side = 'row' | 'column';

/** The error for a row or a column outside the matrix. */
export function outOfRange(name: string, side: Side, got: number, limit: number, index: number): SparlaneError {
  const sizes = side === 'row' ? 'rows' : 'cols';
  return mismatch('structure', name, `a ${side} below ${sizes} = ${limit}`, got, { index, [sizes]: limit });
}

/** Checks that rows or columns are below `limit`. @throws SparlaneError `structure` at the first index that is not */
export function checkRange(name: string, side: Side, indices: Uint32Array, limit: number): void {
  for (let k = 0; k < indices.length; k++) {
    if (indices[k]! >= limit) throw outOfRange(`${name}[${k}]`, side, indices[k]!, limit, k);
  }
}

/** Values as Float64Array or Float32Array. An array of either type is not copied. @throws SparlaneError `argument` */
export function asFloats(name: string, source: NumberArray): FloatArray {
  if (ArrayBuffer.isView(source)) checkAttached(name, source);
  if (source instanceof Float64Array || source instanceof Float32Array) return source;
  if (!isArrayLike(source)) throw mismatch('argument', name, 'an array of numbers', source);
  for (let k = 0; k < source.length; k++) {
    if (typeof source[k] !== 'number') throw mismatch('argument', `${name}[${k}]`, 'a number', source[k], { index: k });
  }
  return Float64Array.from(source);
}

/** The expected values of a pattern, as an error says it. */
export const ONES = "1, since field is 'pattern'";

/** Checks the values of a pattern. @throws SparlaneError `structure` at the first value that is not 1 */
export function checkOnes(values: ArrayLike<number>): void {
  for (let k = 0; k < values.length; k++) {
    if (values[k] !== 1) throw mismatch('structure', `values[${k}]`, ONES, values[k], { index: k });
  }
}

/** Checks the numbers of a vector, which must be a float array. @throws SparlaneError `argument` */
export function checkFloats<A extends FloatArray>(name: string, source: A): A {
  if (source instanceof Float64Array || source instanceof Float32Array) return checkAttached(name, source);
  throw mismatch('argument', name, 'a Float64Array or a Float32Array', source);
}

/** The error for numbers of another dtype than that of `type`, and for what is neither such an array nor a vector. */
export function wrongDtype(name: string, type: FloatArrayConstructor, got: unknown): SparlaneError {
  const other = typeOfNumbers(got);
  const text = other === undefined ? show(got) : `dtype ${dtypeOf(other)} (${show(got)})`;
  return new SparlaneError('argument', `${name}: expected dtype ${dtypeOf(type)} (${type.name}), got ${text}`);
}

/** That of an array, or of a vector of the library, which says it. */
function typeOfNumbers(numbers: unknown): FloatArrayConstructor | undefined {
  const { type } = Object(numbers) as { type?: unknown };
  return [Float64Array, Float32Array].find((one) => one === type || numbers instanceof one);
}

/** An array over a detached buffer has length 0. The error then names the detached buffer, not the length. */
export function checkAttached<T extends ArrayBufferView>(name: string, view: T): T {
  const { buffer } = view;
  const detached = 'detached' in buffer ? buffer.detached : buffer instanceof ArrayBuffer && isDetached(buffer);
  if (detached) throw mismatch('argument', name, 'an array whose buffer is attached', `a detached ${show(view)}`);
  return view;
}

/** `ArrayBuffer.prototype.detached` exists since Node 22. In every version, a view over a detached buffer throws. */
function isDetached(buffer: ArrayBuffer): boolean {
  if (buffer.byteLength > 0) return false;
  try {
    new Uint8Array(buffer);
    return false;
  } catch {
    return true;
  }
}

/** Whether two arrays share bytes of one buffer. */
export function overlap(a: ArrayBufferView, b: ArrayBufferView): boolean {
  return a.byteOffset < b.byteOffset + b.byteLength && b.byteOffset < a.byteOffset + a.byteLength;
}

export function isArrayLike(value: unknown): value is NumberArray {
  if (typeof value !== 'object' || value === null) return false;
  const { length } = value as NumberArray;
  return Number.isInteger(length) && length >= 0;
}

/** Returns a new array of a type with the elements of all parts, one part after the other. */
export function concatenated<T extends Uint32Array | Float64Array>(
  type: new (length: number) => T,
  parts: readonly ArrayLike<number>[],
): T {
  const all = new type(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
