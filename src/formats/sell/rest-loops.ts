/** The loops that take the entries out of a matrix that its chunks do not hold; `stored-hyb.ts` stores them as COO. */
import type { Loop } from '../layout/loop.js';
import type { StoredValues } from '../layout/values.js';

type CountRest = {
  readonly rowPtr: Uint32Array;
  /** For each row, its entries in chunks. */
  readonly rowLength: Uint32Array;
  /** For each row, its other entries. */
  readonly counts: Uint32Array;
};

/** Units: rows. */
export const countRest: Loop<CountRest> = {
  fields: ['rowPtr', 'rowLength', 'counts'],
  run({ rowPtr, rowLength, counts }, begin, end) {
    for (let i = begin; i < end; i++) counts[i] = rowPtr[i + 1]! - rowPtr[i]! - rowLength[i]!;
  },
};

type PlaceRest = {
  readonly rowPtr: Uint32Array;
  readonly rowLength: Uint32Array;
  readonly columns: Uint32Array;
  /** Values or codes; empty for a pattern. */
  readonly entries: StoredValues;
  readonly restPtr: Uint32Array;
  readonly colIdx: Uint32Array;
  readonly values: StoredValues;
};

/** Units: rows. */
export const placeRest: Loop<PlaceRest> = {
  fields: ['rowPtr', 'rowLength', 'columns', 'entries', 'restPtr', 'colIdx', 'values'],
  run({ rowPtr, rowLength, columns, entries, restPtr, colIdx, values }, begin, end) {
    const hasValues = entries.length > 0;
    for (let i = begin; i < end; i++) {
      let k = rowPtr[i]! + rowLength[i]!;
      for (let at = restPtr[i]!; at < restPtr[i + 1]!; at++, k++) {
        colIdx[at] = columns[k]!;
        if (hasValues) values[at] = entries[k]!;
      }
    }
  },
};
