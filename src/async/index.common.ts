/**
 * The engine behind promises, on every platform: it runs in a worker, so that neither a page nor a server waits for it.
 *
 *     const engine = await createAsyncEngine({ onHint: console.warn });
 *     const A = await engine.operator({ gallery: 'gallery:laplace2d5?nx=1000&ny=1000' });
 *     const x = await engine.vector(A.cols);
 *     x.data.fill(1);
 *     const y = await A.apply(x);
 */
export type { ComplexFactor } from '../complex/arithmetic.js';
export type { ComplexDtype, ComplexOperatorOptions } from '../complex/options.js';
export type { Complex, ComplexInput, ComplexMatrix, ComplexSymmetry } from '../core/complex.js';
export type { CooInput, CscInput, CsrInput, LayoutInput, MatrixInput } from '../core/csr.js';
export { SparlaneError } from '../core/errors.js';
export type { Hint } from '../core/hints.js';
export type { VectorOf } from '../core/types.js';
export type { WorkerLike } from './channel.js';
export type {
  AsyncComplexOperatorOptions,
  AsyncEngine,
  AsyncOperatorOptions,
  AsyncVectorOptions,
} from './engine.js';
export type { EngineFunctions } from './engine-functions.js';
export type { AsyncFactorization, AsyncFactorOptions } from './factorization.js';
export type { AsyncExponentialProduct, AsyncTraceEstimate, FunctionInfo } from './function-types.js';
export type {
  AsyncExponentialOptions,
  AsyncFunctionOptions,
  AsyncMatrixFunction,
  AsyncMatrixFunctionOptions,
  AsyncTraceOptions,
} from './functions.js';
export type { AsyncOperator, AsyncVector, VectorSource, VectorTarget } from './handles.js';
export type {
  EngineInfo,
  EngineStatus,
  FactorSolution,
  FactorsInfo,
  OperatorInfo,
  ProductTimes,
  SolverInfo,
} from './protocol.js';
export type { AsyncHandle, RunOptions, Task, TaskArguments, TaskResult } from './run.js';
export type { AsyncEigsGeneralOptions, AsyncEigsOptions, AsyncSvdsOptions } from './search.js';
export type {
  AsyncEigenSolution,
  AsyncGeneralEigenSolution,
  AsyncLeftEigenvectors,
  AsyncSvdsSolution,
} from './search-types.js';
export type { ComplexSource, MatrixSource } from './send-source.js';
export type { AsyncSolution, AsyncSolveOptions } from './solve.js';
export type { AsyncSolver, AsyncSolverOptions, AsyncSolverSolveOptions } from './solver.js';
export type { AsyncEngineOptions } from './start.js';
