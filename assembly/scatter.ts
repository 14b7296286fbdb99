/**
 * Transposed products by scattering: y ← α Aᵀ x + β y, where row i of A adds xᵢ times its entries to y. Stages:
 * `src/formats/layout/scatter.ts`. The kernels `…_spmv_t_…` of a format read a `ScatterHeader`:
 *
 * - `windows` is 0: the range is of the layout's units, and the products are added to y;
 * - otherwise the range is of parts: each part adds to a y of its own, as long as the window of columns that it reaches (`assembly/algebra/windows.ts`),
 *   without α, and `y_reduce_…` adds up all of them.
 */
import { COLUMN_CHUNK, ScatterHeader, SumsHeader } from '../build/headers';
import { windowAt } from './algebra/windows';
import { put } from './lanes';
import { Operands } from './operands';

/** The address of the sum of column 0 of a part, if there was one. The sums are zero if no earlier stage has added to them. */
export function sumsOf<X>(header: ScatterHeader, part: u32): usize {
  const window = windowAt(header.windows, part);
  const bytes = (<usize>(window.end - window.first)) << alignof<X>();
  if (header.isFirst) memory.fill(window.places + ((<usize>window.first) << alignof<X>()), 0, bytes);
  return window.places;
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

export function y_reduce<X>(header: SumsHeader, operands: Operands, begin: u32, end: u32): void {
  for (let chunk = begin; chunk < end; chunk++) reduce<X>(header, operands.y, chunk, <X>operands.alpha, <X>operands.beta);
}

/** y ← α Σ sums + β y over a chunk of columns, part after part, in the sums of the first part that reaches it. */
function reduce<X>(header: SumsHeader, y: usize, chunk: u32, alpha: X, beta: X): void {
  const cols = header.cols;
  const column = chunk * COLUMN_CHUNK;
  const first = (<usize>column) << alignof<X>();
  const last = (<usize>min(column + COLUMN_CHUNK, cols)) << alignof<X>();
  const parts = header.parts;
  let sums: usize = 0;
  let isReached = false;
  for (let part: u32 = 0; part < parts; part++) {
    const window = windowAt(header.windows, part);
    if (column < window.first || column >= window.end) continue;
    const others = window.places;
    if (isReached) for (let at = first; at < last; at += sizeof<X>()) store<X>(sums + at, load<X>(sums + at) + load<X>(others + at));
    else sums = others;
    isReached = true;
  }
  if (isReached) for (let at = first; at < last; at += sizeof<X>()) put<X>(y + at, load<X>(sums + at), alpha, beta);
  else for (let at = first; at < last; at += sizeof<X>()) put<X>(y + at, 0, alpha, beta);
}
