/** What a choice of the format needs to know of panels, without the conversion: `panels.ts`. */
import type { CsrMatrix } from '../../core/csr.js';
import { formatSpec, type ParametersOf } from '../../core/parameters.js';
import { vectorArray } from '../../core/types.js';
import { type FormatDescription, layoutName, vectorBytes } from '../format.js';
import { valueProspects, valuesParameter } from '../layout/values.js';

/** Rows and columns of a tile have 16 bits. */
const MOST = 2 ** 16;

export const parameters: ParametersOf<'sliceRows' | 'panelCols', 'values'> = {
  sliceRows: { kind: 'integer', default: 0, min: 0, max: MOST },
  panelCols: { kind: 'integer', default: MOST, min: 1, max: MOST },
  values: valuesParameter,
};

const SLICES = 16;

/** Rows per slice, if no number is given. */
export function sliceRowsOf(rows: number): number {
  return Math.min(MOST, Math.max(1, Math.ceil(rows / SLICES)));
}

/** Bytes of x below which no panel is needed: the L2 of one core. */
const FITS = 2 ** 20;

const LINE_BYTES = 64;

export const panelsDescription: FormatDescription = {
  name: 'panels',
  parameters,
  prospects({ features, sample }, dtype, onDevice) {
    const { rows, cols, nnz, reach, scattered } = features;
    const width = vectorArray(dtype).BYTES_PER_ELEMENT;
    if (onDevice || reach * width <= FITS || scattered === 0) return [];
    const slices = Math.ceil(rows / sliceRowsOf(rows));
    const pieces = (piecesOf(sample.matrix) / Math.max(sample.matrix.nnz, 1)) * nnz;
    // Scattered entries of a slice per cache line of x: a line is read once for all of them.
    const perLine = (scattered * nnz * LINE_BYTES) / (slices * reach * width);
    const { values, kind, bytes } = valueProspects(features, dtype)[0]!;
    return [
      {
        spec: formatSpec('panels', parameters, { values }),
        kernel: layoutName({ base: 'panels', values: kind }),
        bytes: nnz * (2 + bytes) + 2 * pieces + 28 * slices * Math.ceil(cols / MOST) + 8 + vectorBytes(features, dtype),
        entries: nnz,
        steps: pieces,
        groups: slices,
        unsteady: 0,
        indivisible: nnz / slices,
        scattered: (1 - Math.exp(-perLine)) / perLine,
      },
    ];
  },
};

/** Pieces of the rows of all tiles: one for all full 32 entries, and one for each bit of the remainder. */
function piecesOf({ nnz, rows, rowPtr, colIdx }: CsrMatrix): number {
  let pieces = 0;
  let row = 0;
  for (let k = 0, first = 0; k < nnz; k++) {
    while (row < rows && rowPtr[row + 1]! <= k) row++;
    const isLast = k + 1 === rowPtr[row + 1] || colIdx[k + 1]! >>> 16 !== colIdx[k]! >>> 16;
    if (!isLast) continue;
    const length = k + 1 - first;
    if (length >= 32) pieces++;
    for (let rest = length % 32; rest > 0; rest &= rest - 1) pieces++;
    first = k + 1;
  }
  return pieces;
}
