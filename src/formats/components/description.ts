/** What a choice of the format needs to know of components, without the conversion: `components.ts`. */
import type { CsrMatrix } from '../../core/csr.js';
import { formatSpec, type ParametersOf } from '../../core/parameters.js';
import { type FormatDescription, layoutName, vectorBytes } from '../format.js';
import { piecesOf } from '../layout/pieces.js';
import { valueProspects, valuesParameter } from '../layout/values.js';

/**
 * The best of 16, 32, 64 … 65 536 rows. One thread, f64: 5-point Laplacian 1000 × 1000 3.4 ms (512: 3.8, CSR 3.3), road
 * network of 10⁶ rows 2.5 (3.3, 3.1), de Bruijn 2²⁰ 2.7 (3.1, 2.9); R-MAT 2¹⁸ is best from 512 on, 2.4 instead of 2.6
 * (CSR 3.3). (AMD EPYC Zen 4, Node 20, November 2026, the other core not quite idle: `sparlane bench`.)
 */
const SLICE_ROWS = 128;

/** 10 to 15 % faster than 128 for longer rows (NVIDIA H200, f64). */
export const DEVICE_SLICE_ROWS = 512;

export const parameters: ParametersOf<'sliceRows', 'values'> = {
  sliceRows: {
    kind: 'integer',
    default: SLICE_ROWS,
    min: 1,
    max: 2 ** 16,
    tuned: true,
  },
  values: valuesParameter,
};

export const componentsDescription: FormatDescription = {
  name: 'components',
  parameters,
  prospects({ features, sample }, dtype) {
    const { rows, nnz, longestRow } = features;
    const pieces = (piecesIn(sample.matrix) / Math.max(sample.matrix.nnz, 1)) * nnz;
    const slices = Math.ceil(rows / SLICE_ROWS);
    return valueProspects(features, dtype).map(({ values, kind, bytes }) => ({
      spec: formatSpec('components', parameters, { values }),
      kernel: layoutName({ base: 'components', values: kind }),
      bytes: nnz * (4 + bytes) + 2 * pieces + 28 * slices + 8 + vectorBytes(features, dtype),
      entries: nnz,
      steps: pieces,
      indivisible: longestRow + (nnz * SLICE_ROWS) / Math.max(rows, 1),
    }));
  },
};

/** Pieces of all rows. */
function piecesIn({ rows, rowPtr }: CsrMatrix): number {
  let pieces = 0;
  for (let i = 0; i < rows; i++) pieces += piecesOf(rowPtr[i + 1]! - rowPtr[i]!);
  return pieces;
}
