/**
 * y ← β y over the lines [begin, end) of 16 elements: the first stage of products whose other stages only add. Stage:
 * `src/formats/layout/scale.ts`.
 */
import { ScaleHeader } from '../build/headers';
import { Operands } from './operands';

const LINE_SHIFT: u32 = 4;

export function y_scale<X>(header: ScaleHeader, operands: Operands, begin: u32, end: u32): void {
  lines<X>(header, operands.y, begin, end, <X>operands.beta);
}

function lines<X>(header: ScaleHeader, y: usize, begin: u32, end: u32, beta: X): void {
  const first = min(begin << LINE_SHIFT, header.rows);
  const last = min(end << LINE_SHIFT, header.rows);
  scale<X>(y + ((<usize>first) << alignof<X>()), last - first, beta);
}

/** y ← β y for `count` elements; β = 0 overwrites, NaN included. */
export function scale<X>(y: usize, count: u32, beta: X): void {
  if (beta === <X>1) return;
  const bytes = (<usize>count) << alignof<X>();
  if (beta === <X>0) {
    memory.fill(y, 0, bytes);
    return;
  }
  for (const last = y + bytes; y < last; y += sizeof<X>()) store<X>(y, beta * load<X>(y));
}
