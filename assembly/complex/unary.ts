/**
 * y ← α z + β y over the lines [begin, end) of 8 pairs, where z is x with each pair (re, im) replaced by (± re, ± im), or exchanged, by (± im, ± re):
 * multiplication by i, and conjugation. Stage: `src/complex/unary.ts`.
 */
import { UnaryHeader } from '../../build/headers';
import { Operands } from '../operands';
import { pairAt, pairShift, storePair } from './pairs';

const LINE_SHIFT: u32 = 3;

export function complex_unary<X>(header: UnaryHeader, operands: Operands, begin: u32, end: u32): void {
  lines<X>(header, operands.x, operands.y, begin << LINE_SHIFT, min(end << LINE_SHIFT, header.rows), <X>operands.alpha, <X>operands.beta);
}

function lines<X>(header: UnaryHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  const factors = f64x2(header.negatesReal ? -(<f64>alpha) : <f64>alpha, header.negatesImaginary ? -(<f64>alpha) : <f64>alpha);
  const exchanges = header.exchanges;
  const last = (<usize>end) << pairShift<X>();
  for (let at = (<usize>begin) << pairShift<X>(); at < last; at += 2 * sizeof<X>()) {
    let pair = pairAt<X>(x + at, 0);
    if (exchanges) pair = i64x2.shuffle(pair, pair, 1, 0);
    pair = f64x2.mul(pair, factors);
    if (<f64>beta !== 0) pair = f64x2.add(pair, f64x2.mul(f64x2.splat(<f64>beta), pairAt<X>(y + at, 0)));
    storePair<X>(y + at, pair);
  }
}
