/** The parameters of panels, and the layouts that it offers for a matrix. */
import type { CsrMatrix } from '../../core/csr.js';
import { formatSpec, type ParametersOf } from '../../core/parameters.js';
import { vectorArray } from '../../core/types.js';
import type { Features } from '../../features/features.js';
import { type Format, layoutName, vectorBytes } from '../format.js';
import { heaviestGroup } from '../layout/heaviest.js';
import { piecesOf } from '../layout/pieces.js';
import { valueProspects, valuesParameter } from '../layout/values.js';

/** Rows of a slice have 16 bits, and so have columns of a panel. */
const MOST = 2 ** 16;

/**
 * Log2 of the columns of a panel. Milliseconds with panels of 2¹⁶ and 2¹⁴ columns, 65 536 rows per slice, f64: on one thread 6 · 10⁶
 * entries anywhere in 10⁶ × 10⁶ 20.2 and 17.8 (CSR 28.7), 3.4 · 10⁶ in 3 · 10⁵ × 3 · 10⁶ 15.9 and 12.2 (26.4), a road network of 2 · 10⁶ rows
 * in random order 28.4 and 24.2 (63.4); on two 14.7 and 12.4 (23.1), 9.0 and 7.7 (14.5), 16.5 and 16.3 (32.5). With slices of 8192 rows 1.0 to
 * 2.8 × as long. (AMD EPYC Zen 4, 2 cores, Node 20, 22 November 2026.)
 */
const PANEL_SHIFT = 14;

export const parameters: ParametersOf<'sliceRows' | 'panelCols', 'values'> = {
  sliceRows: {
    kind: 'integer',
    default: 0,
    min: 0,
    max: MOST,
    doc: 'rows whose tiles are computed together, by one thread; 0: by rows, columns and entries',
  },
  panelCols: { kind: 'integer', default: 2 ** PANEL_SHIFT, min: 1, max: MOST, doc: 'columns of a tile' },
  values: valuesParameter,
};

/** Most slices of fewer than 65 536 rows: threads that can share a product. Least, where an x that is seldom used should be read seldom. */
const MOST_SLICES = 16;
const LEAST_SLICES = 4;

/** Entries of a slice for each cache line of x, of 8 elements, for which x may be read once more. */
const PER_LINE = 2;

/** Rows per slice, if no number is given. */
export function sliceRowsOf({ rows, cols, nnz }: Pick<Features, 'rows' | 'cols' | 'nnz'>): number {
  const slices = Math.max(LEAST_SLICES, Math.min(MOST_SLICES, Math.floor((8 * nnz) / (PER_LINE * Math.max(cols, 1)))));
  return Math.min(MOST, Math.max(1, Math.ceil(rows / slices)));
}

/**
 * Bytes of x that need no panel: half the L2 of one core, through which the entries pass too. Such an x is not read more often for being
 * read by panels, and the format is offered for its 16-bit columns and its sums without branches.
 */
const FITS = 2 ** 19;

const LINE_BYTES = 64;

/**
 * Least scattered entries of a slice for each cache line of x, for an x of 16 MB; for others in proportion to their size. With 0.6, CSR takes 2.2 × the time for
 * the road network above (x of 16 MB) and 0.9 × for 5 entries a row anywhere in 2 · 10⁶ × 8 · 10⁶ (32 MB). (As above.)
 */
const LEAST_PER_LINE = 0.4;
const FAR = 2 ** 24;

/** Share of scattered entries up to which panels are offered in any case: most elements of x are then in lines that were read before. */
const FEW_SCATTERED = 0.2;

/** The time for a line of x that is read in order, relative to a gather; fitted to the times above. */
const IN_ORDER = 0.3;

export const prospects: NonNullable<Format['prospects']> = ({ matrix, features, sample }, dtype, onDevice) => {
  const { rows, cols, nnz, reach } = features;
  const scattered = features.scattered + features.reread;
  const width = vectorArray(dtype).BYTES_PER_ELEMENT;
  if (onDevice) return [];
  const isNear = reach * width <= FITS;
  const sliceRows = sliceRowsOf(features);
  const slices = Math.ceil(rows / sliceRows);
  const perLine = (scattered * nnz * LINE_BYTES) / (slices * reach * width);
  if (!isNear && scattered > FEW_SCATTERED && perLine < (LEAST_PER_LINE * reach * width) / FAR) return [];
  // The share of lines that no entry uses, if they are anywhere. Fewer unused ones are read more in order.
  const unused = Math.exp(-perLine);
  const pieces = (piecesIn(sample.matrix) / Math.max(sample.matrix.nnz, 1)) * nnz;
  const { values, kind, bytes } = valueProspects(features, dtype)[0]!;
  return [
    {
      spec: formatSpec('panels', parameters, { values }),
      kernel: layoutName({ base: 'panels', values: kind }),
      bytes:
        nnz * (2 + bytes) +
        2 * pieces +
        28 * slices * Math.ceil(cols / 2 ** PANEL_SHIFT) +
        8 +
        vectorBytes(features, dtype),
      entries: nnz,
      steps: pieces,
      groups: slices,
      unsteady: 0,
      // Rows of a power law have a third of all entries in the first slice.
      indivisible: heaviestGroup(matrix, sliceRows),
      scattered: isNear ? 1 : ((1 - unused) / perLine) * (IN_ORDER + unused),
    },
  ];
};

/** Pieces of the rows of all tiles; a run counts as its pieces of 32. */
function piecesIn({ rows, rowPtr, colIdx }: CsrMatrix): number {
  let pieces = 0;
  for (let i = 0; i < rows; i++) {
    let first = rowPtr[i]!;
    for (let k = first + 1; k <= rowPtr[i + 1]!; k++) {
      if (k < rowPtr[i + 1]! && colIdx[k]! >>> PANEL_SHIFT === colIdx[k - 1]! >>> PANEL_SHIFT) continue;
      pieces += piecesOf(k - first);
      first = k;
    }
  }
  return pieces;
}
