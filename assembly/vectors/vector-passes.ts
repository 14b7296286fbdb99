/**
 * Operations of a program that run in one pass over a chunk, where the list has them one after the other: gmres has up to 30 dot products
 * with one vector, and as many updates of it. Vectors that are read side by side come faster from memory.
 */
import { madd32, madd64 } from '../lanes';
import { AXPBY, DOT, Operation, pair, sumOfPairs } from './vector-operation';

/** Operations in one pass. */
const DOTS: u32 = 2;
const AXPYS: u32 = 4;

/**
 * Operations from this one on that run in one pass, with the bits that they have one after the other: two dot products of one x, or four
 * updates of one y. Otherwise 0.
 */
export function alikeFrom(operation: Operation, last: usize): u32 {
  const kind = operation.kind;
  if (kind !== DOT && kind !== AXPBY) return 0;
  const size: u32 = kind === DOT ? DOTS : AXPYS;
  if (changetype<usize>(operation) + size * offsetof<Operation>() > last) return 0;
  for (let k: u32 = 0; k < size; k++) {
    const one = changetype<Operation>(changetype<usize>(operation) + k * offsetof<Operation>());
    if (one.kind !== kind) return 0;
    if (kind === DOT && one.x !== operation.x) return 0;
    if (kind === AXPBY && (one.y !== operation.y || one.x === one.y || one.b !== 1)) return 0;
  }
  return size;
}

/** Two dot products with one x. */
export function dots<X>(at: usize, offset: usize, chunk: u32, count: u32): void {
  const first = changetype<Operation>(at);
  const second = changetype<Operation>(at + offsetof<Operation>());
  let x = first.x + offset;
  let y = first.y + offset;
  let z = second.y + offset;
  const last = x + ((<usize>count) << alignof<X>());
  const lastLine = x + ((<usize>(count & ~7)) << alignof<X>());
  let sum0 = f64x2.splat(0);
  let sum1 = f64x2.splat(0);
  let sum2 = f64x2.splat(0);
  let sum3 = f64x2.splat(0);
  let other0 = f64x2.splat(0);
  let other1 = f64x2.splat(0);
  let other2 = f64x2.splat(0);
  let other3 = f64x2.splat(0);
  for (; x < lastLine; x += sizeof<X>() << 3, y += sizeof<X>() << 3, z += sizeof<X>() << 3) {
    const x0 = pair<X>(x, 0);
    const x1 = pair<X>(x, 2);
    const x2 = pair<X>(x, 4);
    const x3 = pair<X>(x, 6);
    sum0 = madd64(sum0, x0, pair<X>(y, 0));
    sum1 = madd64(sum1, x1, pair<X>(y, 2));
    sum2 = madd64(sum2, x2, pair<X>(y, 4));
    sum3 = madd64(sum3, x3, pair<X>(y, 6));
    other0 = madd64(other0, x0, pair<X>(z, 0));
    other1 = madd64(other1, x1, pair<X>(z, 2));
    other2 = madd64(other2, x2, pair<X>(z, 4));
    other3 = madd64(other3, x3, pair<X>(z, 6));
  }
  let sum = sumOfPairs(sum0, sum1, sum2, sum3);
  let other = sumOfPairs(other0, other1, other2, other3);
  for (; x < last; x += sizeof<X>(), y += sizeof<X>(), z += sizeof<X>()) {
    sum += <f64>load<X>(x) * <f64>load<X>(y);
    other += <f64>load<X>(x) * <f64>load<X>(z);
  }
  store<f64>(first.other + ((<usize>chunk) << 3), sum);
  store<f64>(second.other + ((<usize>chunk) << 3), other);
}

/** y ← y + a₀ x₀ + a₁ x₁ + a₂ x₂ + a₃ x₃, from left to right. */
export function axpys<X>(at: usize, offset: usize, count: u32): void {
  const first = changetype<Operation>(at);
  const second = changetype<Operation>(at + offsetof<Operation>());
  const third = changetype<Operation>(at + 2 * offsetof<Operation>());
  const fourth = changetype<Operation>(at + 3 * offsetof<Operation>());
  let y = first.y + offset;
  let x0 = first.x + offset;
  let x1 = second.x + offset;
  let x2 = third.x + offset;
  let x3 = fourth.x + offset;
  const a0 = <X>first.a;
  const a1 = <X>second.a;
  const a2 = <X>third.a;
  const a3 = <X>fourth.a;
  const last = y + ((<usize>count) << alignof<X>());
  const lastLine = y + ((<usize>(count & ~7)) << alignof<X>());
  const as0 = v128.splat<X>(a0);
  const as1 = v128.splat<X>(a1);
  const as2 = v128.splat<X>(a2);
  const as3 = v128.splat<X>(a3);
  const step: usize = sizeof<X>() << 2;
  for (; y < lastLine; y += step, x0 += step, x1 += step, x2 += step, x3 += step) {
    let sum = plus<X>(v128.load(y), as0, v128.load(x0));
    sum = plus<X>(plus<X>(sum, as1, v128.load(x1)), as2, v128.load(x2));
    v128.store(y, plus<X>(sum, as3, v128.load(x3)));
    if (sizeof<X>() === 8) {
      let next = plus<X>(v128.load(y, 16), as0, v128.load(x0, 16));
      next = plus<X>(plus<X>(next, as1, v128.load(x1, 16)), as2, v128.load(x2, 16));
      v128.store(y, plus<X>(next, as3, v128.load(x3, 16)), 16);
    }
  }
  const element: usize = sizeof<X>();
  for (; y < last; y += element, x0 += element, x1 += element, x2 += element, x3 += element) {
    store<X>(y, a3 * load<X>(x3) + (a2 * load<X>(x2) + (a1 * load<X>(x1) + (a0 * load<X>(x0) + load<X>(y)))));
  }
}

@inline
function plus<X>(sum: v128, a: v128, x: v128): v128 {
  return sizeof<X>() === 4 ? madd32(sum, a, x) : madd64(sum, a, x);
}
