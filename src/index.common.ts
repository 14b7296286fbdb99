/**
 * The exports of every platform.
 *
 * @module
 */
export { addMatrices } from './algebra/add.js';
export { Assembly, type AssemblyOptions } from './algebra/assemble.js';
export { diagonalOf } from './algebra/diagonal.js';
export { applyDirichlet, type ConstrainedSystem } from './algebra/dirichlet.js';
export { kroneckerProduct } from './algebra/kronecker.js';
export { type LaplacianOptions, laplacian } from './algebra/laplacian.js';
export { multiplyMatrices } from './algebra/multiply.js';
export {
  type LineKind,
  type Norm,
  normsOf,
  type Scaling,
  scaleMatrix,
  sliceRows,
  sumsOf,
} from './algebra/rows.js';
export { transposeMatrix } from './algebra/transpose.js';
export type {
  Backend,
  DeviceBackend,
  DeviceCosts,
  DeviceInfo,
  DeviceModel,
  DeviceSpace,
  DeviceWork,
  KernelMethod,
  MethodEstimate,
  Plannable,
  PlanOptions,
  TimedOnDevice,
} from './backends/backend.js';
export type { DevicePeers } from './backends/device-peers.js';
export type { Plan, PlanReport } from './backends/plan.js';
export type { Decision, Products, RankedFormat } from './choice/choose.js';
export type { ComplexFactor } from './complex/arithmetic.js';
export { type ComplexOperator, complexOperator } from './complex/operator.js';
export type { ComplexDtype, ComplexOperatorOptions } from './complex/options.js';
export type { IndexArray, NumberArray } from './core/arrays.js';
export {
  adjointMatrix,
  type Complex,
  type ComplexArrays,
  type ComplexInput,
  type ComplexMatrix,
  type ComplexSymmetry,
  complexFrom,
  complexMatrix,
  realEquivalent,
} from './core/complex.js';
export {
  type CooInput,
  type CscInput,
  type CsrInput,
  type CsrMatrix,
  csrMatrix,
  type LayoutInput,
  type MatrixArrays,
  type MatrixInput,
} from './core/csr.js';
export { type BuilderOptions, CsrBuilder } from './core/csr-builder.js';
export type { DenseMatrix } from './core/dense.js';
export { type ErrorCode, type ErrorDetail, SparlaneError } from './core/errors.js';
export type { Groups } from './core/groups.js';
export type { Hint } from './core/hints.js';
export type {
  NumberParameter,
  Parameter,
  Parameters,
  ParameterValue,
  ParameterValues,
  SpecParameter,
  WordParameter,
} from './core/parameters.js';
export type { Span } from './core/span.js';
export {
  type CostTuning,
  type CsrkFit,
  type CsrkTuning,
  parseTuning,
  type TunedMachine,
  type Tuning,
} from './core/tuning.js';
export type { Dtype, Field, FloatArray, FloatArrayConstructor, Symmetry, VectorOf } from './core/types.js';
export type { StageTimes } from './direct/choose.js';
export type {
  DirectName,
  FactorStep,
  Factors,
  FactorWish,
  FillOrder,
  Prediction as FactorPrediction,
} from './direct/method.js';
export type { SolveQuality } from './direct/refine.js';
export { eigs, eigsAsync } from './eigen/eigs.js';
export {
  type Exponential,
  type ExponentialAsyncOptions,
  type ExponentialMethod,
  type ExponentialOptions,
  type ExponentialProduct,
  expMultiply,
  expMultiplyAsync,
  exponential,
} from './eigen/functions/exponential.js';
export type { MatrixFunctionOptions } from './eigen/functions/function-options.js';
export { inverseDiagonal, logDeterminant } from './eigen/functions/inverse.js';
export { type MatrixFunction, matrixFunction } from './eigen/functions/matrix-function.js';
export { type TraceEstimate, type TraceOptions, trace } from './eigen/functions/trace.js';
export {
  type EigsGeneralOptions,
  eigsGeneral,
  eigsGeneralAsync,
  type GeneralEigenSolution,
} from './eigen/general/eigs-general.js';
export type { LeftEigenvectors } from './eigen/general/left-vectors.js';
export type { WhichGeneral } from './eigen/general/spectral-map.js';
export {
  type ClusteringOptions,
  type Fiedler,
  fiedler,
  type SpectralClustering,
  type SpectralLayout,
  type SpectralOptions,
  type SpectralSearch,
  spectralClustering,
  spectralLayout,
} from './eigen/graphs/graphs.js';
export type {
  EigenDecision,
  EigenMatrix,
  EigenReason,
  EigenSolution,
  EigenStep,
  EigsOptions,
  Which,
} from './eigen/method.js';
export type {
  SingularMatrix,
  SingularMethod,
  SvdsDecision,
  SvdsOptions,
  SvdsReason,
  SvdsSolution,
  SvdsStep,
} from './eigen/singular/singular.js';
export { svds, svdsAsync } from './eigen/singular/svds.js';
export type { VectorOptions } from './engine/create-vector.js';
export type { Engine } from './engine/engine.js';
export type { DeviceChoice, EngineOptions } from './engine/start-engine.js';
export type { Examined, Features } from './features/features.js';
export type { Sample } from './features/sample.js';
export { type MatrixStatistics, matrixStatistics, type RowLengths } from './features/statistics.js';
export {
  type BlockSums,
  type Cost,
  type Format,
  type KernelId,
  type KernelVerb,
  type Lanes,
  type Layout,
  type MatrixInfo,
  type Prospect,
  type Stage,
  type Stages,
  type StoredEntries,
  type StoredMatrix,
  type SummationOrder,
  toCsr,
  type Verb,
} from './formats/format.js';
export type { ValueKind } from './formats/layout/values.js';
export { FORMATS } from './formats/registry.js';
export type { RandomStream } from './gallery/draw.js';
export type { GalleryFamily, GallerySize, Structure } from './gallery/family.js';
export {
  GALLERY,
  type GalleryRequest,
  gallery,
  galleryRightHandSide,
  parseGalleryUrl,
  promoteBlocks,
} from './gallery/registry.js';
export type { ReadOptions } from './io/bytes/bytes.js';
export type { ByteSource } from './io/bytes/source.js';
export type { DenseBlock, EdgeListOptions, FileMatrix } from './io/kinds/kind.js';
export { type WriteOptions, writeMatrixMarket, writeMatrixMarketVector } from './io/matrix-market/writer.js';
export type { ReadFileOptions } from './io/read-plain.js';
export { type FileContent, type SaveOptions, write } from './io/write.js';
export type { FactorDtype, KernelBinary } from './kernels/abi.js';
export type { HeapMatrix, HeapScaling } from './matrices/heap-matrix.js';
export type { DenseNumbers, MatrixOfRows, StridedNumbers } from './memory/dense-rows.js';
export type { Heap, HeapOptions, HeapScope } from './memory/heap.js';
export type { ColumnOrder } from './memory/rows.js';
export type { Factor, Scalar, ScaledScalar } from './memory/scalar.js';
export type {
  AxpbyOperation,
  BlockOperation,
  Coefficient,
  ColumnDotsOperation,
  CombineOperation,
  CopyOperation,
  DotOperation,
  ElementOperation,
  GramOperation,
  MultiplyOperation,
  RankFacts,
  Ranks,
  Recording,
  RowSpan,
  ScalarOperation,
  ScatterOperation,
  Space,
  VectorOperation,
} from './memory/space.js';
export type { BlockSource } from './memory/transfer.js';
export type { Vector } from './memory/vector.js';
export { type FunctionOperatorOptions, functionOperator } from './operators/function-operator.js';
export type { MatrixOperator } from './operators/matrix-operator.js';
export { type ComplexMaps, LinearOperator, type VectorInput, type VectorLike } from './operators/operator.js';
export type { ChoiceOptions, Device, OperatorDevice, OperatorOptions } from './operators/operator-options.js';
export { permuted } from './operators/permuted.js';
export type { Distribution } from './operators/row-partition.js';
export type { CheckedTransposeOptions, TransposeOptions } from './operators/transpose-options.js';
export { rigidBodyModes } from './preconditioners/amg/rigid-body-modes.js';
export { type FactorAsyncOptions, type FactorOptions, factor, factorAsync } from './preconditioners/factor.js';
export type {
  Factorization,
  FactorizationRequest,
  FactorProgressOptions,
} from './preconditioners/factorization.js';
export type { FactorizationReport } from './preconditioners/factorization-report.js';
export { jacobi } from './preconditioners/jacobi.js';
export { normalJacobi } from './preconditioners/normal-jacobi.js';
export type {
  LevelReport,
  Made,
  NearNullSpace,
  Preconditioner,
  PreconditionerKind,
  PreconditionerReport,
  Preparation,
  SetupStep,
} from './preconditioners/preconditioner.js';
export {
  PRECONDITIONERS,
  type PreconditionAsyncOptions,
  type PreconditionOptions,
  precondition,
  preconditionAsync,
} from './preconditioners/registry.js';
export type { OrderName } from './preconditioners/triangular/order.js';
export { type BandkOptions, type BandkOrdering, bandk } from './reorder/bandk.js';
export { byRowLength } from './reorder/by-length.js';
export { hubsFirst } from './reorder/hubs-first.js';
export { type ConnectedParts, connectedParts } from './reorder/parts.js';
export {
  checkPermutation,
  composePermutations,
  inversePermutation,
  type Ordering,
  type OrderingInput,
  permuteMatrix,
  permuteVector,
} from './reorder/permutation.js';
export { type FullOrdering, rcm } from './reorder/rcm.js';
export { bicgstab } from './solvers/bicgstab.js';
export type { LeastSquaresOptions, Transposable } from './solvers/bidiagonalize.js';
export { blockCg } from './solvers/block-cg.js';
export { cg, fcg } from './solvers/cg.js';
export { cgMany } from './solvers/cg-many.js';
export { type ChebyshevOptions, chebyshev } from './solvers/chebyshev.js';
export { cocg } from './solvers/cocg.js';
export type { BlockInput, ColumnSolution, ManyOptions, ManySolution } from './solvers/columns.js';
export type { DiagonalSigns, SystemFacts } from './solvers/decide.js';
export { fgmres, type GmresOptions, gmres } from './solvers/gmres.js';
export { lsmr } from './solvers/lsmr.js';
export { lsqr } from './solvers/lsqr.js';
export { minres } from './solvers/minres.js';
export type { NullSpaceOption } from './solvers/null-space.js';
export { type PageRank, type PageRankOptions, pageRank } from './solvers/page-rank.js';
export { pipelinedCg } from './solvers/pipelined-cg.js';
export { type Eigenpair, type PowerOptions, powerIteration } from './solvers/power-iteration.js';
export type { Repeated, RepeatOptions } from './solvers/repeat.js';
export type { Reason, Solution, SolveOptions, SolveTiming, Step } from './solvers/solution.js';
export { type SolveAsyncOptions, solve, solveAsync } from './solvers/solve.js';
export {
  createSolver,
  type Solver,
  type SolverOptions,
  type SolverSolveAsyncOptions,
  type SolverSolveOptions,
  type SystemSolution,
} from './solvers/solver.js';
export type { Attempt, MultigridSizes, SolveDecision, SolveSystemOptions, SystemMatrix } from './solvers/system.js';
