/** The loop of a conversion to SSS; `sss.ts` defines the layout. */
import type { FloatArray } from '../../core/types.js';
import { SPAN } from '../layout/column-loops.js';
import type { Loop } from '../layout/loop.js';

type PlaceTriangle = {
  readonly rowPtr: Uint32Array;
  readonly columns: Uint32Array;
  readonly reals: FloatArray;
  /** As in the layout. */
  readonly lowerPtr: Uint32Array;
  readonly colIdx: Uint32Array | Uint16Array;
  readonly values: FloatArray;
  readonly diagonal: FloatArray;
};

/** Writes the entries below the diagonal, and the diagonal, 0 where it has no entry. Units: rows. */
export const placeTriangle: Loop<PlaceTriangle> = {
  fields: ['rowPtr', 'columns', 'reals', 'lowerPtr', 'colIdx', 'values', 'diagonal'],
  run({ rowPtr, columns, reals, lowerPtr, colIdx, values, diagonal }, begin, end) {
    const isNear = colIdx instanceof Uint16Array;
    for (let i = begin; i < end; i++) {
      const last = lowerPtr[i + 1]!;
      const origin = isNear ? i - SPAN : 0;
      let k = rowPtr[i]!;
      for (let to = lowerPtr[i]!; to < last; to++, k++) {
        colIdx[to] = columns[k]! - origin;
        values[to] = reals[k]!;
      }
      diagonal[i] = k < rowPtr[i + 1]! && columns[k] === i ? reals[k]! : 0;
    }
  },
};
