/** What a choice of the format needs to know of DIA, without the conversion: `dia.ts`. */
import type { ParametersOf } from '../../core/parameters.js';
import { valueArray } from '../../core/types.js';
import { MANY } from '../../features/features.js';
import type { Sample } from '../../features/sample.js';
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
  },
};

/** Elements of f64 in a cache line. */
const LINE = 8;

/** The places in a matrix of the diagonals that are in its sample, and the number of streams of x that these read. */
function placesOn({ matrix, rowOf }: Sample, rows: number, cols: number): { places: number; runs: number } {
  const found = new Set<number>();
  for (let i = 0; i < matrix.rows; i++) {
    for (let k = matrix.rowPtr[i]!; k < matrix.rowPtr[i + 1]!; k++) found.add(matrix.colIdx[k]! - rowOf[i]!);
  }
  let places = 0;
  let runs = 0;
  let before = Number.NEGATIVE_INFINITY;
  for (const offset of [...found].sort((a, b) => a - b)) {
    places += Math.max(0, Math.min(rows, cols - offset) - Math.max(0, -offset));
    if (offset - before > LINE) runs++;
    before = offset;
  }
  return { places, runs };
}

export const diaDescription: FormatDescription = {
  name: 'dia',
  mayPad: true,
  parameters,
  prospects({ features, sample }, dtype) {
    const { rows, cols, nnz, diagonals } = features;
    if (diagonals >= MANY) return [];
    const { places: stored, runs } = placesOn(sample, rows, cols);
    if (runs === 0 || stored > MAX_FILL * nnz || rows + cols > MAX_DIAGONALS) return [];
    const bytes = stored * valueArray(dtype).BYTES_PER_ELEMENT + vectorBytes(features, dtype);
    return [{ spec: 'dia', kernel: 'dia', bytes, entries: stored, steps: (runs * rows) / LINE, unsteady: 0 }];
  },
};
