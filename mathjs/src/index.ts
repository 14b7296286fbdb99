/** mathjs with sparlane. */
export { type AccelerateOptions, accelerate } from './accelerate.js';
export { freeze } from './kept-operators.js';
export { denseMatrix, matrixInput, sparseMatrix, vectorOf } from './matrices.js';
