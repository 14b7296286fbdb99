/** The functions of matrices that the asynchronous engine has. */
import { ThreadBound } from '../core/thread-bound.js';
import type { AsyncFactorization } from './factorization.js';
import type { AsyncExponentialProduct, AsyncTraceEstimate } from './function-types.js';
import {
  type AsyncExponentialOptions,
  type AsyncFunctionOptions,
  type AsyncMatrixFunction,
  type AsyncMatrixFunctionOptions,
  type AsyncTraceOptions,
  expMultiplyInWorker,
  exponentialInWorker,
  inverseDiagonalInWorker,
  logDeterminantInWorker,
  matrixFunctionInWorker,
  type Sending,
  traceInWorker,
} from './functions.js';
import type { AsyncOperator, VectorSource } from './handles.js';
import type { MatrixSource } from './send-source.js';

/** The functions of matrices that an engine in a worker has: f(A) x, exponentials, traces, diagonals of inverses, determinants. */
export abstract class EngineFunctions extends ThreadBound {
  protected constructor() {
    super('engine');
  }

  /** @internal */
  protected abstract get sending(): Sending;

  /**
   * y = e^{tA} x in the worker, as `expMultiply`. It shares the worker in slices.
   *
   * @param matrix a source, which is read anew; or an operator of the engine
   * @param options.signal rejects with its reason, and nothing stays allocated
   * @throws SparlaneError as `expMultiply` and, for files, `parse`; the signal's reason
   */
  expMultiply(
    matrix: MatrixSource | AsyncOperator,
    x: VectorSource,
    t: number,
    options: AsyncExponentialOptions = {},
  ): Promise<AsyncExponentialProduct> {
    return expMultiplyInWorker(this.sending, matrix, x, t, options);
  }

  /**
   * The operator x ↦ e^{tA} x in the worker, as `exponential`: for many x, or for `trace`.
   *
   * @param matrix a source; or an operator of the engine, which must outlive it
   * @param options.signal as of `expMultiply`
   * @throws SparlaneError as `exponential` and, for files, `parse`; the signal's reason
   */
  exponential(
    matrix: MatrixSource | AsyncOperator,
    t: number,
    options: AsyncExponentialOptions = {},
  ): Promise<AsyncMatrixFunction> {
    return exponentialInWorker(this.sending, matrix, t, options);
  }

  /**
   * The operator x ↦ f(A) x in the worker, as `matrixFunction`.
   *
   * @param matrix a source; or an operator of the engine, which must outlive it
   * @param f called here, for the coefficients of its series, and not sent
   * @param options.signal as of `expMultiply`
   * @throws SparlaneError as `matrixFunction` and, for files, `parse`; the signal's reason
   */
  matrixFunction(
    matrix: MatrixSource | AsyncOperator,
    f: (value: number) => number,
    options: AsyncMatrixFunctionOptions = {},
  ): Promise<AsyncMatrixFunction> {
    return matrixFunctionInWorker(this.sending, matrix, f, options);
  }

  /**
   * The trace of A in the worker, as `trace`; of A⁻¹ by factors, of e^{tA} or f(A) by the operators of this engine. It shares the worker in slices.
   *
   * @param options.signal as of `expMultiply`
   * @throws SparlaneError as `trace` and, for files, `parse`; the signal's reason
   */
  trace(
    A: MatrixSource | AsyncOperator | AsyncMatrixFunction | AsyncFactorization,
    options: AsyncTraceOptions = {},
  ): Promise<AsyncTraceEstimate> {
    return traceInWorker(this.sending, A, options);
  }

  /**
   * Elements of the diagonal of A⁻¹, as `inverseDiagonal`. It shares the worker in slices.
   *
   * @param A a matrix, or its factors
   * @param places rows of the diagonal. Default: all
   * @param options.signal as of `expMultiply`
   * @throws SparlaneError as `inverseDiagonal` and, for files, `parse`; the signal's reason
   */
  inverseDiagonal(
    A: MatrixSource | AsyncOperator | AsyncFactorization,
    places?: ArrayLike<number>,
    options: AsyncFunctionOptions = {},
  ): Promise<Float64Array> {
    return inverseDiagonalInWorker(this.sending, A, places, options);
  }

  /**
   * log |det A| and the sign of det A, as `logDeterminant`.
   *
   * @param options.signal as of `expMultiply`
   * @throws SparlaneError as `logDeterminant` and, for files, `parse`; the signal's reason
   */
  logDeterminant(
    A: MatrixSource | AsyncOperator | AsyncFactorization,
    options: AsyncFunctionOptions = {},
  ): Promise<AsyncFactorization['logDeterminant']> {
    return logDeterminantInWorker(this.sending, A, options);
  }
}
