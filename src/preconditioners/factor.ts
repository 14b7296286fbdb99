/** Factors of a matrix: `factor`, and `factorAsync`, which does not block. */
import { callback, knownKeys, oneOf } from '../core/checks.js';
import { type ComplexMatrix, realMatrix } from '../core/complex.js';
import type { MatrixInput } from '../core/csr.js';
import { checkSignal, drain, drainInSlices, untilAborted } from '../core/drain.js';
import { mismatch } from '../core/errors.js';
import { DTYPES, type Dtype } from '../core/types.js';
import type { DirectName, FactorStep, FillOrder } from '../direct/method.js';
import { Engine } from '../engine/engine.js';
import { DIRECT_NAMES, FILL_ORDERS } from './direct.js';
import { Factorization, type FactorProgressOptions } from './factorization.js';

/** `factor` takes these options. */
export interface FactorOptions {
  /** `cholesky`: symmetric positive definite; `ldlt`: symmetric, also with other signs of some columns, as complex symmetric ones are; `lu`: any square matrix. Default `auto`: by the matrix. */
  readonly method?: DirectName | 'auto';
  /**
   * `amd`: approximate minimum degree; `nd`: nested dissection. Default `auto`: the first, and the second if it may save more of one factorization than it
   * takes, as in three dimensions. For many updates in two dimensions `nd` may pay, too.
   */
  readonly order?: FillOrder;
  /**
   * `f64`; `f32`: for vectors of f32; `mixed`: for vectors of f64, with the numbers of `cholesky` and `ldlt` stored as f32, in half the memory: a
   * preconditioner, or factors whose solutions are refined where the condition is below some 10⁶. Default `f64`.
   */
  readonly dtype?: Dtype;
}

/** An aborted factorization leaves no memory allocated. */
export interface FactorAsyncOptions extends FactorOptions, FactorProgressOptions {}

const OPTIONS: Record<keyof FactorOptions, true> = { method: true, order: true, dtype: true };
const ASYNC_OPTIONS: Record<keyof FactorAsyncOptions, true> = { ...OPTIONS, signal: true, onProgress: true };

/**
 * Factors A, for any number of right-hand sides: `F.solve(b)`, or z ← A⁻¹ r by `F.apply(r, z)`, as a preconditioner too.
 *
 * @param matrix A, square: a matrix of the library, or arrays, which must not change while the factors are in use. Of a complex matrix they are factors of
 *   its real equivalent, of twice the size, for vectors of pairs
 * @throws SparlaneError `argument` for a wrong argument; `shape` for a matrix that is not square; `structure` for one that is singular or
 *   that the method does not suit, with the row; `heap` if memory does not suffice, with the bytes; `backend` for an engine on a device.
 *   Nothing stays allocated
 *
 * @example
 * using F = factor(engine, matrix);
 * const x = F.solve(b);
 */
export function factor(
  engine: Engine,
  matrix: MatrixInput | ComplexMatrix,
  options: FactorOptions = {},
): Factorization {
  knownKeys<FactorOptions>('options', options, OPTIONS);
  return drain(factorizationSteps(engine, matrix, options));
}

/**
 * The same without blocking the event loop, in slices of some 50 ms.
 *
 * @throws never; the promise rejects with the errors of `factor`, or with the reason of the signal
 */
export async function factorAsync(
  engine: Engine,
  matrix: MatrixInput | ComplexMatrix,
  options: FactorAsyncOptions = {},
): Promise<Factorization> {
  knownKeys<FactorAsyncOptions>('options', options, ASYNC_OPTIONS);
  const { signal, onProgress, ...others } = options;
  checkSignal(signal);
  if (onProgress !== undefined) callback('onProgress', onProgress);
  return drainInSlices(untilAborted(factorizationSteps(engine, matrix, others), signal), onProgress);
}

/** `factor` step by step. @throws as `factor` */
export function factorizationSteps(
  engine: Engine,
  input: MatrixInput | ComplexMatrix,
  options: FactorOptions,
): Generator<FactorStep, Factorization> {
  const start = performance.now();
  if (!(engine instanceof Engine)) throw mismatch('argument', 'engine', 'one made by createEngine', engine);
  const method = oneOf('method', options.method ?? 'auto', DIRECT_NAMES);
  const order = oneOf('order', options.order ?? 'auto', FILL_ORDERS);
  const dtype = oneOf('dtype', options.dtype ?? 'f64', DTYPES);
  const matrix = realMatrix(input);
  const { rows, cols } = matrix;
  if (rows !== cols) throw mismatch('shape', 'matrix', 'as many rows as columns', `${rows} × ${cols}`, { rows, cols });
  return Factorization.steps(engine, { matrix, dtype, spec: 'direct', start, method, order });
}
