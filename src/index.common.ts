/** The exports of every platform. */
export type { CudaDevice, CudaDeviceInfo, CudaPlan } from './backends/cuda.js';
export type { Decision, Products, RankedFormat } from './choice/choose.js';
export type { IndexArray, NumberArray } from './core/arrays.js';
export {
  type CooInput,
  type CscInput,
  type CsrInput,
  type CsrMatrix,
  csrMatrix,
  type MatrixInput,
} from './core/csr.js';
export { type BuilderOptions, CsrBuilder } from './core/csr-builder.js';
export { type ErrorCode, type ErrorDetail, SparlaneError } from './core/errors.js';
export type { Groups } from './core/groups.js';
export type { Hint } from './core/hints.js';
export {
  type BusTuning,
  type CsrkFit,
  type CsrkTuning,
  parseTuning,
  type TunedMachine,
  type Tuning,
} from './core/tuning.js';
export type { Dtype, Field, FloatArray, Symmetry, VectorOf } from './core/types.js';
export type { Features } from './formats/features.js';
export { type Cost, type Format, type StoredMatrix, toCsr } from './formats/format.js';
export { FORMATS } from './formats/registry.js';
export { type MatrixStatistics, matrixStatistics } from './formats/statistics.js';
export { GALLERY, gallery, parseGalleryUrl, promoteBlocks } from './gallery/registry.js';
export type { ReadOptions } from './io/bytes.js';
export { writeMatrixMarket, writeMatrixMarketVector } from './io/matrix-market-writer.js';
export type { ByteSource } from './io/source.js';
export type { Heap } from './memory/heap.js';
export type { Factor, Scalar, ScaledScalar } from './memory/scalar.js';
export type { Recording, Space } from './memory/space.js';
export type { HeapVector, Vector } from './memory/vector.js';
export type { EngineOptions } from './operators/create-engine.js';
export type { Engine } from './operators/engine.js';
export type { MatrixOperator } from './operators/matrix-operator.js';
export type { LinearOperator, VectorLike } from './operators/operator.js';
export type { OperatorOptions } from './operators/operator-options.js';
export { permuted } from './operators/permuted.js';
export type { ChoiceOptions } from './operators/store-best.js';
export { type BandkOptions, type BandkOrdering, bandk } from './reorder/bandk.js';
export { byRowLength } from './reorder/by-length.js';
export { hubsFirst } from './reorder/hubs-first.js';
export {
  checkPermutation,
  composePermutations,
  inversePermutation,
  type Ordering,
  permuteMatrix,
  permuteVector,
} from './reorder/permutation.js';
export { type FullOrdering, rcm } from './reorder/rcm.js';
