/**
 * Sparse matrices of mathjs multiplied and solved by sparlane.
 *
 * @module @sparlane/mathjs
 */
export * from '../../mathjs/src/index.js';
