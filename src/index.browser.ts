/** sparlane in a browser, for the scope of a worker. A page, which must not wait for threads, uses `sparlane/async`. */

export { createEngine } from './engine/create-engine.browser.js';
export * from './index.common.js';
export { readMatrixMarket, readMatrixMarketVector } from './io/matrix-market/matrix-market.js';
export { read, readBlock, readComplex, readComplexVector, readVector, type UrlSource } from './io/read.js';
