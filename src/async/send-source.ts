/** The sources of matrices, and how they are sent to the worker, which creates the operator (`read-source.ts`). */
import type { ComplexInput } from '../core/complex.js';
import { isDenseMatrix, MATRIX_ARRAYS, type MatrixInput } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import type { AsyncOperator } from './handles.js';
import type { Movable, SentHandle, SentMatrix } from './protocol.js';

/** A complex matrix, or arrays of one. */
export type ComplexSource = ComplexInput & { readonly field: 'complex' };

/**
 * - CSR, CSC or COO arrays, or an array of rows: copied, or moved with the option `transfer`; of a complex matrix with two values for each entry
 *   and `field: 'complex'`
 * - `gallery`: `gallery:laplace2d5?nx=1000&ny=1000`
 * - `file`: a file of any kind that `read` reads, Matrix Market or another: its bytes, or a URL that the worker
 *   fetches; in Node also a path
 */
export type MatrixSource =
  | MatrixInput
  | ComplexSource
  | { readonly gallery: string }
  | {
      readonly file: Blob | ReadableStream<Uint8Array> | Response | URL | string;
      /** Its name in errors. Default: the name of a `File`, the last part of a URL, else `input`. */
      readonly name?: string;
    };

export interface Parcel {
  readonly matrix: SentMatrix;
  readonly transfer: Movable[];
}

/** A matrix, or an operator of the engine. */
export interface SystemParcel {
  readonly matrix: SentMatrix | SentHandle;
  readonly transfer: Movable[];
}

/**
 * An operator is packed at once, so that a request with it comes before its release.
 *
 * @param transfer whether the buffers of the arrays are moved to the worker, which leaves the caller's arrays empty
 */
export type PackSystem = (source: MatrixSource | AsyncOperator, transfer: boolean) => SystemParcel | Promise<Parcel>;

/** @param locate the place of a file as the worker understands it */
export async function packSource(
  source: MatrixSource,
  transfer: boolean,
  locate: (file: URL | string) => string,
): Promise<Parcel> {
  if (typeof source !== 'object' || source === null) {
    throw mismatch('argument', 'matrix', '{ rows, cols, … }, { gallery } or { file }', source);
  }
  if ('gallery' in source) return { matrix: { gallery: source.gallery }, transfer: [] };
  if (!('file' in source)) {
    if (transfer) return { matrix: { arrays: source }, transfer: buffersOf(source) };
    return { matrix: { arrays: trimmedArrays(source) }, transfer: [] };
  }
  const { file, name } = source;
  if (file instanceof Response) return packStream(bodyOf(file), name ?? fileName(file.url));
  if (file instanceof ReadableStream) return packStream(file, name);
  if (file instanceof Blob) return { matrix: { file, name }, transfer: [] };
  const place = locate(file);
  return { matrix: { file: place, name: name ?? fileName(place) }, transfer: [] };
}

/** A view of part of a buffer is sent as a copy of that part, because structured clone would send the whole buffer. */
export function trimmed<T>(array: T): T {
  const partial = ArrayBuffer.isView(array) && array.byteLength < array.buffer.byteLength;
  return partial ? ((array as unknown as Float64Array).slice() as T) : array;
}

function trimmedArrays(input: MatrixInput | ComplexSource): MatrixInput | ComplexSource {
  if (isDenseMatrix(input)) return input.map(trimmed);
  const given = MATRIX_ARRAYS.filter((name) => input[name] !== undefined);
  return { ...input, ...Object.fromEntries(given.map((name) => [name, trimmed(input[name])])) };
}

function buffersOf(input: MatrixInput | ComplexSource): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  const arrays = isDenseMatrix(input) ? input : MATRIX_ARRAYS.map((name) => input[name]);
  for (const array of arrays) {
    if (ArrayBuffer.isView(array) && array.buffer instanceof ArrayBuffer) buffers.add(array.buffer);
  }
  return [...buffers];
}

function bodyOf({ ok, status, url, body }: Response): ReadableStream<Uint8Array> {
  if (ok && body !== null) return body;
  throw mismatch('parse', url || 'response', 'a file', `HTTP status ${status}`, { status });
}

/** Not every browser can transfer a stream. In the others, all bytes are read first. */
async function packStream(stream: ReadableStream<Uint8Array>, name: string | undefined): Promise<Parcel> {
  if (canMoveStreams()) return { matrix: { file: stream, name }, transfer: [stream] };
  return { matrix: { file: await new Response(stream).blob(), name }, transfer: [] };
}

function canMoveStreams(): boolean {
  const stream = new ReadableStream();
  try {
    structuredClone(stream, { transfer: [stream] });
    return true;
  } catch {
    return false;
  }
}

/** The last part of a URL; of a path, the worker finds it. */
function fileName(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).pathname.split('/').at(-1) || undefined : undefined;
}
