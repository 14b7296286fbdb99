/**
 * Pictures of matrices, solves and choices, for Node and for pages.
 *
 * @module sparlane/pictures
 */
export * from '../../src/pictures/index.js';
