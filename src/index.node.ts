/** sparlane in Node, Bun and Deno. */
export * from './index.common.js';
export { openFile, saveStream } from './io/files.node.js';
export { createEngine } from './operators/create-engine.node.js';
