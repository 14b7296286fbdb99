/**
 * sparlane in Node, Bun and Deno.
 *
 * @module
 */
export { type CudaState, type CudaStatus, cudaStatus } from './backends/cuda/status.node.js';
export { createEngine } from './engine/create-engine.node.js';
export * from './index.common.js';
export { type OpenFile, openFile } from './io/files.node.js';
export { type FileSource, readMatrixMarket, readMatrixMarketVector } from './io/matrix-market/matrix-market.node.js';
export { read, readBlock, readComplex, readComplexVector, readVector } from './io/read.node.js';
export { save, saveStream } from './io/save.node.js';
export type { AssemblyEntries, RankAssembly, RankAssemblyOptions } from './ranks/assembly-rows.js';
export type { Communicator, RankPreconditionOptions } from './ranks/communicator.js';
export type { ComplexDistributedOptions, ComplexRankRows } from './ranks/complex-rows.js';
export type { DistributedOptions, RankRows } from './ranks/distribute.js';
export type { DistributedOperator, DistributionReport } from './ranks/distributed-operator.js';
export type { ElementArray, ElementArrayConstructor } from './ranks/elements.js';
export { galleryRows } from './ranks/gallery-rows.js';
export { type JoinOptions, joinRanks } from './ranks/join.node.js';
export type { MpiLauncher, MpiLibrary } from './ranks/launcher.node.js';
export { type MpiState, type MpiStatus, mpiStatus } from './ranks/mpi.node.js';
export { type OrderRowsOptions, orderRows, type RowsOrder } from './ranks/order-rows.js';
export {
  type PartitionOptions,
  partition,
  type RankOrder,
  type RankPartition,
  rowsOfRank,
} from './ranks/partition.js';
export { diagonalOfRows, multiplyRows, normsOfRows, sumsOfRows, transposeRows } from './ranks/rank-algebra.js';
export type { RankMessages, StartedReduction } from './ranks/rank-messages.js';
export { readComplexRows, readRows } from './ranks/read-rows.node.js';
export type { Redistribution } from './ranks/redistribute.js';
export type { Reduction } from './ranks/reduction-tree.js';
export { type RunRanksOptions, runRanks } from './ranks/run-ranks.node.js';
export { readPart, savePart, saveRows } from './ranks/save-shares.node.js';
export { type RowsSolution, type SolveRowsOptions, solveRows } from './ranks/solve-rows.js';
export type { TransportKind } from './ranks/transport.js';
export type { TransposedRows } from './ranks/transposed-rows.js';
