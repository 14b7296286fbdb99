/**
 * The messages between the caller's thread and the worker that hosts its engine.
 *
 * A request and its answer have the same number. This number also identifies the object that the request creates in the
 * worker (a vector, an operator). So abandoning a request that was already answered frees the created object.
 */
import type { Decision } from '../choice/choose.js';
import type { ComplexFactor } from '../complex/arithmetic.js';
import type { ComplexOperatorOptions } from '../complex/options.js';
import type { ComplexSymmetry } from '../core/complex.js';
import type { MatrixInput } from '../core/csr.js';
import { type ErrorCode, type ErrorDetail, SparlaneError } from '../core/errors.js';
import type { Hint } from '../core/hints.js';
import type { Dtype, Field, FloatArray, Symmetry } from '../core/types.js';
import type { SolveQuality } from '../direct/refine.js';
import type { VectorOptions } from '../engine/create-vector.js';
import type { EngineOptions } from '../engine/start-engine.js';
import type { KernelBinary } from '../kernels/abi.js';
import type { OperatorOptions } from '../operators/operator-options.js';
import type { FactorOptions } from '../preconditioners/factor.js';
import type { Factorization } from '../preconditioners/factorization.js';
import type { FactorizationReport } from '../preconditioners/factorization-report.js';
import type { Ordering } from '../reorder/permutation.js';
import type { SolveAsyncOptions } from '../solvers/solve.js';
import type { SolverOptions, SystemSolution } from '../solvers/solver.js';
import type { SolveDecision } from '../solvers/system.js';
import type { FunctionRequests } from './function-types.js';
import type { SearchName, SearchTypes } from './search-types.js';
import type { ComplexSource } from './send-source.js';

/** Requests of several steps that share the worker; others wait until one of them has ended. */
export const SHARES = 16;

/** All requests: the arguments and the answer of each. */
export interface RequestTypes extends FunctionRequests {
  create: { args: Omit<EngineOptions, 'signal' | 'onHint'>; result: EngineInfo };
  /** The numbers of the vector: in the shared heap if the caller can access it, else a copy. */
  vector: {
    args: { source: number | ArrayLike<number>; options: Omit<VectorOptions, 'device'> };
    result: FloatArray;
  };
  operator: { args: { matrix: SentMatrix; options: OperatorOptions }; result: OperatorInfo };
  complexOperator: { args: { matrix: SentMatrix; options: ComplexOperatorOptions }; result: OperatorInfo };
  /** y, unless it is in memory that the caller can access. */
  apply: { args: SentProduct; result: FloatArray | undefined };
  solve: { args: SentSystem; result: SentSolution };
  /** Prepares a solver. */
  solver: { args: SentSolver; result: SolverInfo };
  /** Gives a solver other values. */
  update: { args: { solver: number; values: FloatArray }; result: undefined };
  /** Makes factors. */
  factor: { args: SentFactoring; result: FactorsInfo };
  /** Gives factors other values. */
  refactor: { args: { factors: number; values: FloatArray }; result: FactorsInfo };
  search: { args: SentSearch; result: SearchTypes[SearchName]['result'] };
  factorSolve: { args: { factors: number; b: SentVector }; result: FactorSolution };
  /** A call of a function of the caller, with the engine and these arguments. */
  run: { args: SentCall; result: unknown };
  time: { args: { operator: number; repeat: number }; result: ProductTimes };
  status: { args: object; result: Omit<EngineStatus, 'open' | 'waiting'> };
  release: { args: { handle: number }; result: undefined };
  dispose: { args: object; result: undefined };
}

export type Kind = keyof RequestTypes;

export type Request =
  | { [K in Kind]: { readonly id: number; readonly kind: K; readonly args: RequestTypes[K]['args'] } }[Kind]
  /** Abandons the request with that number, whose answer is ignored. */
  | { readonly id: number; readonly kind: 'cancel' }
  /** Ends the request with that number as soon as it can answer. */
  | { readonly id: number; readonly kind: 'stop' };

export type Answer =
  | { readonly id: number; readonly result: RequestTypes[Kind]['result'] }
  | { readonly id: number; readonly error: SentError }
  | { readonly hint: Hint }
  /** News of the request with that number, before its answer. */
  | { readonly id: number; readonly progress: unknown }
  /** The first message: the script runs. The lock, if there are any, is held while it does. */
  | { readonly started: true; readonly lifeline: string | undefined };

/** What `postMessage` moves instead of copying. */
export type Movable = ArrayBuffer | ReadableStream;

export type SentMatrix =
  | { readonly arrays: MatrixInput | ComplexSource }
  | { readonly gallery: string }
  /** Bytes, or the path or URL of a file that the worker reads. `name` is its name in errors. */
  | { readonly file: Blob | ReadableStream<Uint8Array> | string; readonly name: string | undefined };

export interface SentProduct {
  readonly operator: number;
  readonly x: SentVector;
  readonly y: SentVector;
  readonly alpha: ComplexFactor;
  readonly beta: ComplexFactor;
}

/** An operator of the engine. */
export interface SentHandle {
  readonly handle: number;
}

export interface SentSolver {
  readonly matrix: SentMatrix | SentHandle;
  readonly options: Omit<SolverOptions, 'preconditioner'> & { readonly preconditioner?: string };
}

/** What is known of a solver before anything was solved. */
export interface SolverInfo {
  readonly rows: number;
  readonly cols: number;
  readonly decision: SolveDecision;
  readonly format: string;
  readonly setupMs: number;
  /** Time of reading or generating the matrix. */
  readonly sourceMs: number;
}

export interface SentFactoring {
  readonly matrix: SentMatrix | SentHandle;
  readonly options: FactorOptions;
}

/** What is known of factors. */
export interface FactorsInfo {
  readonly rows: number;
  readonly report: FactorizationReport;
  readonly logDeterminant: Factorization['logDeterminant'];
  readonly inertia: Factorization['inertia'];
  /** Time of reading or generating the matrix. */
  readonly sourceMs: number;
}

/** Solutions, and how good they are. */
export interface FactorSolution<A extends FloatArray = FloatArray> extends SolveQuality {
  /** In the caller's own memory; several columns one after the other. */
  readonly x: A;
}

export interface SentSystem {
  readonly matrix: SentMatrix | SentHandle | { readonly solver: number };
  readonly b: SentVector;
  readonly x0?: SentVector;
  readonly options: Omit<SolveAsyncOptions, 'x0' | 'preconditioner' | 'signal' | 'onProgress'> & {
    readonly preconditioner?: string;
  };
}

export interface SentSolution extends Omit<SystemSolution, 'x'> {
  readonly x: Float64Array;
  readonly sourceMs: number;
}

/** A search for eigenvalues or singular values. */
export interface SentSearch {
  readonly name: SearchName;
  readonly matrix: SentMatrix | SentHandle;
  readonly mass?: SentMatrix | SentHandle;
  readonly start?: SentVector;
  readonly k: number;
  readonly options: SearchTypes[SearchName]['options'];
}

export interface SentCall {
  /** An absolute URL, whose fragment names an export of the module; or the text of a function. */
  readonly code: { readonly url: string } | { readonly text: string };
  /** Values, vectors and operators. */
  readonly args: readonly ({ readonly value: unknown } | SentVector)[];
}

/** A vector of the engine has a handle. The numbers are included if the worker cannot access those of the caller. */
export interface SentVector {
  readonly handle?: number | undefined;
  readonly numbers?: FloatArray | readonly number[] | undefined;
}

/** This says what an engine in a worker is made of. */
export interface EngineInfo {
  /** Number of compute threads. */
  readonly threads: number;
  readonly binary: KernelBinary;
  /** Whether the caller can access the engine's memory. If so, vectors are not copied. */
  readonly shared: boolean;
}

/** This says what a matrix in an engine of a worker is, and how it is stored. */
export interface OperatorInfo {
  readonly rows: number;
  readonly cols: number;
  readonly nnz: number;
  /** Declared by the source of the matrix. */
  readonly field: Field | 'complex';
  readonly symmetry: Symmetry | ComplexSymmetry;
  /** Format and parameters: `csrk?k=3`. */
  readonly format: string;
  readonly dtype: Dtype;
  /** The reason for this format; undefined if the caller named it. */
  readonly decision: Decision | undefined;
  /** Defined if a permutation was allowed and worthwhile. The operator is then P A Pᵀ. */
  readonly ordering: Ordering | undefined;
  /** `reference`, `wasm` (one thread) or `threads`. */
  readonly backend: string;
  /** Number of threads that may take part in a product. */
  readonly threads: number;
  readonly parts: number;
  /** Number of memories that hold the rows, if there are several. */
  readonly memories?: number;
  /** Bytes of heap that the matrix occupies. */
  readonly bytes: number;
  /** Time of reading or generating the matrix. */
  readonly sourceMs: number;
  /** Time of validation, conversion and inspection. */
  readonly setupMs: number;
}

/** This says how long products in an engine of a worker take. */
export interface ProductTimes {
  /** Time of one product. Short products are timed in batches, because the clock of a page is coarse. */
  readonly medianMs: number;
  readonly minMs: number;
  readonly maxMs: number;
  /** 2 · nnz / median. */
  readonly gflops: number;
  /** Minimum bytes moved by a product / median. */
  readonly gbps: number;
  /** The ranks that took part, ascending; 0 is the worker that hosts the engine. */
  readonly ranks: readonly number[];
}

/** This says what an engine in a worker does at the moment. */
export interface EngineStatus {
  /** Compute workers that stand by. */
  readonly standing: number;
  /** Allocated bytes of the shared memory. */
  readonly bytesInUse: number;
  /** Size of the shared memory in bytes. It never becomes smaller. */
  readonly byteLength: number;
  /** Requests without an answer when this one was made, which is not counted, nor is what frees memory. */
  readonly open: number;
  /** Of these, those that wait because sixteen others are open: at most the option `queue`. */
  readonly waiting: number;
}

/** An error as a message: structured clone would lose its class and its members. */
export interface SentError {
  readonly name: string;
  readonly message: string;
  /** Only for a SparlaneError. */
  readonly code?: ErrorCode;
  readonly detail?: ErrorDetail;
}

export function sendError(error: unknown): SentError {
  if (error instanceof SparlaneError) {
    const { name, message, code, detail } = error;
    return { name, message, code, detail };
  }
  // The reason of an AbortSignal may be any value.
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
  return { name, message };
}

export function receiveError({ name, message, code, detail }: SentError): Error {
  if (code !== undefined) return new SparlaneError(code, message, detail);
  const error = new Error(message);
  error.name = name;
  return error;
}

/** Copies of numbers are moved to the caller without another copy. What a function returns may still be in use. */
export function movable(kind: Kind, result: RequestTypes[Kind]['result']): Movable[] {
  if (kind === 'run') return [];
  return numbersOfResult(kind, result).flatMap((numbers) =>
    ArrayBuffer.isView(numbers) && numbers.buffer instanceof ArrayBuffer ? [numbers.buffer] : [],
  );
}

function numbersOfResult(kind: Kind, result: RequestTypes[Kind]['result']): unknown[] {
  if (kind === 'search') return vectorsOf(result as RequestTypes['search']['result']);
  if (kind === 'expMultiply') return [(result as RequestTypes['expMultiply']['result']).y];
  const isSolution = kind === 'solve' || kind === 'factorSolve';
  return [isSolution ? (result as RequestTypes['solve' | 'factorSolve']['result']).x : result];
}

function vectorsOf(found: RequestTypes['search']['result']): Float64Array[] {
  if ('U' in found) return [found.U, found.V];
  const { vectors } = found;
  if (!('real' in vectors)) return [vectors];
  const left = 'left' in found ? found.left?.vectors : undefined;
  return [vectors.real, vectors.imaginary, ...(left === undefined ? [] : [left.real, left.imaginary])];
}
