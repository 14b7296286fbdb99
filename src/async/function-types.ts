/** Functions of matrices in the engine's worker: their requests and answers. */
import type { FloatArray } from '../core/types.js';
import type { ChebyshevSeries } from '../eigen/functions/chebyshev-series.js';
import type { ExponentialMethod, ExponentialOptions, ExponentialProduct } from '../eigen/functions/exponential.js';
import type { MatrixFunctionOptions } from '../eigen/functions/function-options.js';
import type { TraceEstimate, TraceOptions } from '../eigen/functions/trace.js';
import type { SentHandle, SentMatrix, SentVector } from './protocol.js';

/** `AsyncEngine.expMultiply` returns this. */
export interface AsyncExponentialProduct extends Omit<ExponentialProduct, 'y'> {
  /** y is in the caller's own memory, row by row if x is a block. */
  readonly y: FloatArray;
  /** Time of reading or generating the matrix. */
  readonly sourceMs: number;
}

/** `AsyncEngine.trace` returns this. */
export interface AsyncTraceEstimate extends TraceEstimate {
  /** Time of reading or generating the matrix. */
  readonly sourceMs: number;
}

/** What is known of x ↦ f(A) x. */
export interface FunctionInfo {
  readonly rows: number;
  readonly method: ExponentialMethod;
  readonly degree: number;
  readonly stages: number;
  /** Time of reading the matrix, of its operator, and of the plan. */
  readonly setupMs: number;
}

/** What is known of a function before its series. */
interface SeriesRequest extends Omit<FunctionInfo, 'degree'> {
  readonly interval: readonly [least: number, greatest: number];
  /** The error of the series beside the largest |f|. */
  readonly rtol: number;
}

type Matrix = SentMatrix | SentHandle;

/** The arguments and the answer of each request. */
export interface FunctionRequests {
  expMultiply: {
    args: {
      readonly matrix: Matrix;
      readonly x: SentVector;
      readonly t: number;
      readonly options: ExponentialOptions;
    };
    result: AsyncExponentialProduct;
  };
  /** Makes a function. */
  exponential: {
    args: { readonly matrix: Matrix; readonly t: number; readonly options: ExponentialOptions };
    result: FunctionInfo;
  };
  /** Makes a function that waits for its series. */
  matrixFunction: {
    args: { readonly matrix: Matrix; readonly options: MatrixFunctionOptions };
    result: SeriesRequest;
  };
  /** Gives a function its series. */
  series: { args: { readonly map: number; readonly series: ChebyshevSeries }; result: undefined };
  /** Computes f(A) x. */
  evaluate: { args: { readonly map: number; readonly x: SentVector }; result: FloatArray };
  /** The handle is that of an operator, of factors or of a function. */
  trace: { args: { readonly matrix: Matrix; readonly options: TraceOptions }; result: AsyncTraceEstimate };
  inverseDiagonal: { args: { readonly factors: number; readonly places?: readonly number[] }; result: Float64Array };
}
