/**
 * mathjs with sparlane.
 *
 * @module
 */
export { type AccelerateOptions, accelerate } from './accelerate.js';
export { freeze } from './kept-matrices.js';
export { denseMatrix, matrixInput, sparseMatrix, vectorOf } from './matrices.js';
