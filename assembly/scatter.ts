/**
 * Transposed products by scattering: y ← α Aᵀ x + β y, where row i of A adds xᵢ times its entries to y. Stages:
 * `src/formats/layout/scatter.ts`. The kernels `…_spmv_t_…` of a format read a `ScatterHeader`:
 *
 * - `sums` is 0: the range is of the layout's units, and the products are added to y;
 * - otherwise the range is of parts: each part adds to a y of its own in `sums`, without α, and `y_reduce_…` adds up all of them.
 */
import { put } from './lanes';
import { Operands } from './operands';

@unmanaged
export class ScatterHeader {
  /** The header of the layout. */
  matrix!: usize;
  /** u32, parts + 1: the units of each part. */
  bounds!: usize;
  /** For each part the sums of the columns, in the type of y; 0 if there is one part. */
  sums!: usize;
  /** Bytes of the sums of a part. */
  stride!: u32;
  /** 1 if this stage is the first to write the sums. */
  isFirst!: u32;
}

/** The sums of a part, which are zero if no earlier stage has added to them. */
export function sumsOf(header: ScatterHeader, part: u32): usize {
  const sums = header.sums + <usize>part * header.stride;
  if (header.isFirst) memory.fill(sums, 0, header.stride);
  return sums;
}

/** The first unit of a part. */
@inline
export function unitOf(header: ScatterHeader, part: u32): u32 {
  return load<u32>(header.bounds + ((<usize>part) << 2));
}

/** target[col] += term */
@inline
export function addTo<X>(target: usize, col: usize, term: X): void {
  const at = target + (col << alignof<X>());
  store<X>(at, load<X>(at) + term);
}

@unmanaged
class SumsHeader {
  cols!: u32;
  parts!: u32;
  sums!: usize;
  /** Bytes of the sums of a part. */
  stride!: u32;
}

const LINE_SHIFT: u32 = 4;

export function y_reduce_f64(header: SumsHeader, operands: Operands, begin: u32, end: u32): void {
  reduce<f64>(header, operands.y, begin, end, operands.alpha, operands.beta);
}

export function y_reduce_f32(header: SumsHeader, operands: Operands, begin: u32, end: u32): void {
  reduce<f32>(header, operands.y, begin, end, <f32>operands.alpha, <f32>operands.beta);
}

/** y ← α Σ sums + β y over lines of 16 elements, part after part. */
function reduce<X>(header: SumsHeader, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  const first = (<usize>begin) << (LINE_SHIFT + alignof<X>());
  const last = (<usize>min(end << LINE_SHIFT, header.cols)) << alignof<X>();
  const stride = header.stride;
  const parts = header.parts;
  for (let offset = first; offset < last; offset += sizeof<X>()) {
    let at = header.sums + offset;
    let sum = load<X>(at);
    for (let part: u32 = 1; part < parts; part++) {
      at += stride;
      sum += load<X>(at);
    }
    put<X>(y + offset, sum, alpha, beta);
  }
}
