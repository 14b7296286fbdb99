/** What a choice of the format needs to know of DIA, without the conversion: `dia.ts`. */
import type { ParametersOf } from '../../core/parameters.js';
import { valueArray } from '../../core/types.js';
import { MANY } from '../../features/features.js';
import { type FormatDescription, vectorBytes } from '../format.js';

/** Stored places per entry beyond which CUSP, the library of the paper's authors, refuses a conversion. */
const MAX_FILL = 3;

/** Upper limit of rows + cols: an offset has 31 bits and a sign, and larger x and y do not fit into the memory. */
export const MAX_DIAGONALS: number = 2 ** 31;

export const parameters: ParametersOf<'maxFill'> = {
  maxFill: {
    kind: 'number',
    default: MAX_FILL,
    min: 1,
    max: 2 ** 32,
    doc: 'stored places per entry above which a matrix is refused',
  },
};

export const diaDescription: FormatDescription = {
  name: 'dia',
  summary: 'diagonals, in chunks of rows; no column indices',
  source: 'Bell & Garland 2008, §3.1',
  suits: 'stencils on regular grids, narrow bands',
  mayPad: true,
  parameters,
  variants: ['dia'],
  prospects({ features }, dtype) {
    const { rows, cols, nnz, diagonals } = features;
    const stored = rows * diagonals;
    if (diagonals >= MANY || stored > MAX_FILL * nnz || rows + cols > MAX_DIAGONALS) return [];
    const bytes = stored * valueArray(dtype).BYTES_PER_ELEMENT + vectorBytes(features, dtype);
    return [{ spec: 'dia', kernel: 'dia', bytes, entries: stored, unsteady: 0 }];
  },
};
