/**
 * TensorFlow.js with sparlane.
 *
 * @module
 */
export { sparseMatMul } from './sparse-mat-mul.js';
export {
  type OpNode,
  type OpRegistry,
  type RegisteredOps,
  registerSparseOps,
  type SparseOpsOptions,
} from './sparse-ops.js';
