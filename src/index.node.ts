/** sparlane in Node, Bun and Deno. */
export { type CudaState, type CudaStatus, cudaStatus } from './backends/cuda/status.node.js';
export * from './index.common.js';
export { type OpenFile, openFile } from './io/files.node.js';
export { type FileSource, readMatrixMarket, readMatrixMarketVector } from './io/matrix-market/matrix-market.node.js';
export { saveStream } from './io/save.node.js';
export { createEngine } from './operators/create-engine.node.js';
