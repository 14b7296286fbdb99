/**
 * The library in Node, Bun and Deno. In a browser it lacks what needs files, processes or a GPU: `openFile`, `save`, `joinRanks`, `runRanks` and their
 * kin, and `cudaStatus`.
 *
 * @module sparlane
 */
export * from '../../src/index.node.js';
