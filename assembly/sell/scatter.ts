/**
 * Transposed product of SELL-C-σ by scattering, over the chunks [begin, end). Layout: `src/formats/sell/stored-chunks.ts`; parts:
 * `assembly/scatter.ts`. The factors of the C rows of a chunk stay in registers.
 */
import { ScatterHeader, SellHeader } from '../../build/headers';
import { valueAt, valueShift } from '../lanes';
import { Operands } from '../operands';
import { addTo, sumsOf, unitOf } from '../scatter';

export function sell_spmv_t<V, I, X>(header: ScatterHeader, operands: Operands, begin: u32, end: u32): void {
  parts<V, I, X>(header, operands.x, operands.y, begin, end, <X>operands.alpha);
}

function parts<V, I, X>(header: ScatterHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X): void {
  const matrix = changetype<SellHeader>(header.matrix);
  if (header.windows === 0) {
    scatterChunks<V, I, X>(matrix, x, y, begin, end, alpha);
    return;
  }
  for (let part = begin; part < end; part++)
    scatterChunks<V, I, X>(matrix, x, sumsOf<X>(header, part), unitOf(header, part), unitOf(header, part + 1), 1);
}

function scatterChunks<V, I, X>(header: SellHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X): void {
  const isWide = header.chunkHeight === 8;
  for (let chunk = begin; chunk < end; chunk++) {
    const ptr = header.chunkPtr + ((<usize>chunk) << 2);
    const k = load<u32>(ptr);
    const colIdx = header.colIdx + ((<usize>k) << alignof<I>());
    const colEnd = header.colIdx + ((<usize>load<u32>(ptr, 4)) << alignof<I>());
    const values = header.values + ((<usize>k) << valueShift<V>());
    const base: u32 = sizeof<I>() === 4 ? 0 : load<u32>(header.chunkBase + ((<usize>chunk) << 2));
    const target = y + ((<usize>base) << alignof<X>());
    const place = chunk * header.chunkHeight;
    const step: u32 = header.chunkHeight;
    scatterFour<V, I, X>(header, x, target, place, colIdx, colEnd, values, step, alpha);
    if (isWide)
      scatterFour<V, I, X>(header, x, target, place + 4, colIdx + (4 << alignof<I>()), colEnd, values + (4 << valueShift<V>()), step, alpha);
  }
}

/** Four neighbouring lanes of a chunk whose columns of entries are `step` entries apart. */
@inline
function scatterFour<V, I, X>(
  header: SellHeader,
  x: usize,
  y: usize,
  place: u32,
  colIdx: usize,
  colEnd: usize,
  values: usize,
  step: u32,
  alpha: X,
): void {
  const table = header.table;
  const factor0 = alpha * elementAt<X>(header, x, place);
  const factor1 = alpha * elementAt<X>(header, x, place + 1);
  const factor2 = alpha * elementAt<X>(header, x, place + 2);
  const factor3 = alpha * elementAt<X>(header, x, place + 3);
  for (; colIdx < colEnd; colIdx += (<usize>step) << alignof<I>()) {
    addTo<X>(y, load<I>(colIdx), valueAt<V, X>(values, table) * factor0);
    addTo<X>(y, load<I>(colIdx + sizeof<I>()), valueAt<V, X>(values + (1 << valueShift<V>()), table) * factor1);
    addTo<X>(y, load<I>(colIdx + 2 * sizeof<I>()), valueAt<V, X>(values + (2 << valueShift<V>()), table) * factor2);
    addTo<X>(y, load<I>(colIdx + 3 * sizeof<I>()), valueAt<V, X>(values + (3 << valueShift<V>()), table) * factor3);
    values += (<usize>step) << valueShift<V>();
  }
}

/** The element of x of a lane's row; 0 for a lane without a row. */
@inline
function elementAt<X>(header: SellHeader, x: usize, place: u32): X {
  if (place >= header.rows) return <X>0;
  const row = header.rowOf === 0 ? place : load<u32>(header.rowOf + ((<usize>place) << 2));
  return load<X>(x + ((<usize>row) << alignof<X>()));
}
