/** TensorFlow.js with sparlane. */
export { sparseMatMul } from './sparse-mat-mul.js';
