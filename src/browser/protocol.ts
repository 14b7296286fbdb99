/**
 * What a page and the worker that hosts its engine say to each other.
 *
 * Every request has a number, and its answer the same one. A thing that a request makes in the worker (a vector, an
 * operator) is known by that number from then on, so giving up a request that was answered already frees what it made.
 */
import type { Decision } from '../choice/choose.js';
import type { MatrixInput } from '../core/csr.js';
import { type ErrorCode, type ErrorDetail, SparlaneError } from '../core/errors.js';
import type { Hint } from '../core/hints.js';
import type { Dtype, Field, FloatArray, Symmetry } from '../core/types.js';
import type { KernelBinary } from '../kernels/abi.js';
import type { EngineOptions } from '../operators/create-engine.js';
import type { OperatorOptions } from '../operators/engine.js';
import type { Ordering } from '../reorder/permutation.js';

/** All requests: what each takes, and what its answer holds. */
export interface Calls {
  create: { args: Omit<EngineOptions, 'signal' | 'onHint'>; result: EngineInfo };
  /** The numbers of the vector: those in the shared heap where the page may see them, else a copy. */
  vector: { args: { source: number | ArrayLike<number>; dtype: Dtype }; result: FloatArray };
  operator: { args: { matrix: SentMatrix; options: OperatorOptions }; result: OperatorInfo };
  /** y where it is not in memory that the page sees. */
  apply: { args: SentProduct; result: FloatArray | undefined };
  time: { args: { operator: number; repeat: number }; result: Timing };
  status: { args: object; result: EngineStatus };
  release: { args: { handle: number }; result: undefined };
  dispose: { args: object; result: undefined };
}

export type Kind = keyof Calls;

export type Request =
  | { [K in Kind]: { readonly id: number; readonly kind: K; readonly args: Calls[K]['args'] } }[Kind]
  /** Gives up the request of that number; has no answer. */
  | { readonly id: number; readonly kind: 'cancel' };

export type Answer =
  | { readonly id: number; readonly result: Calls[Kind]['result'] }
  | { readonly id: number; readonly error: SentError }
  | { readonly hint: Hint }
  /** The first of all: the script runs. */
  | { readonly started: true };

export type SentMatrix =
  | { readonly arrays: MatrixInput }
  | { readonly gallery: string }
  /** Bytes, or the absolute URL of a file that the worker fetches. `name` is what errors call it. */
  | { readonly matrixMarket: Blob | ReadableStream<Uint8Array> | string; readonly name: string | undefined };

export interface SentProduct {
  readonly operator: number;
  readonly x: SentVector;
  readonly y: SentVector;
  readonly alpha: number;
  readonly beta: number;
}

/** A vector of the engine has a handle. The numbers come along where the worker does not see the page's. */
export interface SentVector {
  readonly handle?: number | undefined;
  readonly numbers?: FloatArray | undefined;
}

export interface EngineInfo {
  /** Threads that compute. */
  readonly threads: number;
  readonly binary: KernelBinary;
  /** Whether the page sees the engine's memory, so that vectors are not copied. */
  readonly shared: boolean;
  /** Name of the lock that the worker holds while it lives. */
  readonly lifeline: string | undefined;
}

export interface OperatorInfo {
  readonly rows: number;
  readonly cols: number;
  readonly nnz: number;
  /** What the source says of the matrix. */
  readonly field: Field;
  readonly symmetry: Symmetry;
  /** Format and parameters: `csrk?k=3`. */
  readonly format: string;
  readonly dtype: Dtype;
  /** Why it has this format; undefined where the page named it. */
  readonly decision: Decision | undefined;
  /** Where a permutation was allowed and worth it: the operator is then P A Pᵀ. */
  readonly ordering: Ordering | undefined;
  /** `reference`, `wasm` (one thread) or `threads`. */
  readonly backend: string;
  /** Threads that may take part in a product. */
  readonly threads: number;
  readonly parts: number;
  /** Bytes of heap that the matrix occupies. */
  readonly bytes: number;
  /** What reading or generating the matrix took. */
  readonly sourceMs: number;
  /** What validation, conversion and inspection took. */
  readonly setupMs: number;
}

export interface Timing {
  /** Of one product. Short products are timed in batches, since clocks in pages are coarse. */
  readonly medianMs: number;
  readonly minMs: number;
  readonly maxMs: number;
  /** 2 · nnz / median. */
  readonly gflops: number;
  /** Bytes that a product must move at least / median. */
  readonly gbps: number;
  /** The ranks that took part, ascending; 0 is the worker that hosts the engine. */
  readonly ranks: readonly number[];
}

export interface EngineStatus {
  /** Compute workers that stand by. */
  readonly standing: number;
  /** Bytes of the shared memory that are handed out. */
  readonly bytesInUse: number;
  /** Bytes that the shared memory has. */
  readonly byteLength: number;
}

/** An error as it crosses: structured clone would lose the class, and what it carries. */
export interface SentError {
  readonly name: string;
  readonly message: string;
  /** Only of a SparlaneError. */
  readonly code?: ErrorCode;
  readonly detail?: ErrorDetail;
}

export function sendError(error: unknown): SentError {
  if (error instanceof SparlaneError) {
    const { name, message, code, detail } = error;
    return { name, message, code, detail };
  }
  // An AbortSignal's reason may be anything.
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
  return { name, message };
}

export function receiveError({ name, message, code, detail }: SentError): Error {
  if (code !== undefined) return new SparlaneError(code, message, detail);
  const error = new Error(message);
  error.name = name;
  return error;
}
