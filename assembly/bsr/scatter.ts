/**
 * Transposed product of BSR by scattering, over the panels [begin, end), as in `panels.ts`: one kernel for all sizes of blocks.
 * Layout: `src/formats/bsr/bsr.ts`; parts: `assembly/scatter.ts`. A column of a panel is summed before it is added to y.
 */
import { BsrHeader, ScatterHeader } from '../../build/headers';
import { Operands } from '../operands';
import { addTo, sumsOf, unitOf } from '../scatter';

export function bsr_spmv_t<V, X>(header: ScatterHeader, operands: Operands, begin: u32, end: u32): void {
  parts<V, X>(header, operands.x, operands.y, begin, end, <X>operands.alpha);
}

function parts<V, X>(header: ScatterHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X): void {
  const matrix = changetype<BsrHeader>(header.matrix);
  if (header.windows === 0) {
    scatterPanels<V, X>(matrix, x, y, begin, end, alpha);
    return;
  }
  for (let part = begin; part < end; part++)
    scatterPanels<V, X>(matrix, x, sumsOf<X>(header, part), unitOf(header, part), unitOf(header, part + 1), 1);
}

function scatterPanels<V, X>(header: BsrHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X): void {
  const b = header.blockSize;
  for (let unit = begin; unit < end; unit++) {
    const blockRow = unit / header.panels;
    const panel = unit % header.panels;
    const top = (panel * b) / header.panels;
    const height = ((panel + 1) * b) / header.panels - top;
    const row = blockRow * b + top;
    if (row >= header.rows) continue;
    // Rows below the matrix are padding.
    const count = min(height, header.rows - row);
    const ptr = header.blockRowPtr + ((<usize>blockRow) << 2);
    const first = load<u32>(ptr);
    const next = load<u32>(ptr, 4);
    const xs = x + ((<usize>row) << alignof<X>());
    let values = header.values + ((<usize>(b * (first * b + top * (next - first)))) << alignof<V>());
    for (let k = first; k < next; k++) {
      const col = load<u32>(header.blockColIdx + ((<usize>k) << 2));
      for (let j: u32 = 0; j < b; j++) {
        addTo<X>(y, col + j, alpha * column<V, X>(values, xs, count));
        values += (<usize>height) << alignof<V>();
      }
    }
  }
}

/** Σ values[i] · x[i] over the rows of a panel. */
@inline
function column<V, X>(values: usize, x: usize, count: u32): X {
  let sum: X = 0;
  for (const last = x + ((<usize>count) << alignof<X>()); x < last; x += sizeof<X>()) {
    sum += <X>load<V>(values) * load<X>(x);
    values += sizeof<V>();
  }
  return sum;
}
