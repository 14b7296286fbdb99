/**
 * Sparse × dense with its gradient for TensorFlow.js.
 *
 * @module @sparlane/tfjs
 */
export * from '../../tfjs/src/index.js';
