/**
 * The engine in a worker, behind promises: the same interface in a server and in a page.
 *
 * @module sparlane/async
 */
export * from '../../src/async/index.node.js';
