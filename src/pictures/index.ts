/**
 * `sparlane/pictures`: pictures of matrices, solves and choices, for Node and for pages. An entry of its own, so that a program without
 * pictures does not load them.
 */
export type { Decision } from '../choice/choose.js';
export type { MatrixInput } from '../core/csr.js';
export { SparlaneError } from '../core/errors.js';
export { type ExplainOptions, explain } from './explain.js';
export { type ResidualPlotOptions, type Residuals, residualPlot } from './residual-plot.js';
export type { Scheme } from './scheme.js';
export { type SpectrumPlotOptions, type SpectrumValues, spectrumPlot } from './spectrum-plot.js';
export {
  type SpyCanvasOptions,
  type SpyOptions,
  type SpyPngOptions,
  type SpySvgOptions,
  type SpyTextOptions,
  spy,
} from './spy.js';
export type { Canvas, CanvasContext } from './spy-pixels.js';
