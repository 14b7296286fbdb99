/** TensorFlow.js with sparlane. */
export { sparseMatMul } from './sparse-mat-mul.js';
export {
  type OpNode,
  type OpRegistry,
  type RegisteredOps,
  registerSparseOps,
  type SparseOpsOptions,
} from './sparse-ops.js';
