/**
 * Programs of vector operations. The list of operations runs chunk by chunk, so a chunk of each vector stays in the first-level cache
 * from one operation to the next. `src/backends/team/vector-program.ts` writes the programs.
 *
 * A unit is a chunk of 1024 elements. All vectors of a program have one length and type. Coefficients are numbers when the program runs. A
 * dot product stores the sum of each chunk in its own array; the caller adds these in a fixed order, so the bits of the result depend on
 * neither threads nor parts. A scatter writes outside of its chunk, so it is the only operation of its program.
 *
 *     header      count, length; then for each operation:
 *     AXPBY       y ← a x + b y      b = 0 overwrites y, NaN included; a = 0 does not hide a NaN of x
 *     MULTIPLY    y ← d ∘ x          `other` is d
 *     SCATTER     y[order[i]] ← x[i]   `other` is order, u32
 *     COPY        y[i b] ← x[i a]   a and b are the distances of two elements, in elements
 *     DOT         sums[chunk] ← xᵀ y over the chunk, f64 for vectors of f32 too; `other` is sums
 *
 * Operations on blocks of vectors are each the only one of their program, whose length is that of the rows:
 *     COLUMN_DOTS, GRAM   `block-dots.ts`      `other` is sums, of each result in turn
 *     COMBINE             `block-combine.ts`   `other` is C
 */

import { CHUNK_ELEMENTS } from '../../build/headers';
import { madd32, madd64 } from '../lanes';
import { Operands } from '../operands';
import { combine } from './block-combine';
import { columnDots, gram } from './block-dots';
import { AXPBY, BlockOperation, DOT, Operation, pair, sumOfPairs } from './vector-operation';
import { alikeFrom, axpys, dots } from './vector-passes';

@unmanaged
class ProgramHeader {
  count!: u32;
  length!: u32;
}

const MULTIPLY: u32 = 1;
const SCATTER: u32 = 2;
const COPY: u32 = 4;
const COLUMN_DOTS: u32 = 5;
const GRAM: u32 = 6;

export function vector_program<X>(header: usize, operands: Operands, begin: u32, end: u32): void {
  const program = changetype<ProgramHeader>(header);
  const length = program.length;
  const first = header + offsetof<ProgramHeader>();
  const last = first + program.count * offsetof<Operation>();
  for (let chunk = begin; chunk < end; chunk++) {
    const offset = <usize>chunk * (CHUNK_ELEMENTS << alignof<X>());
    const count = min(length - chunk * CHUNK_ELEMENTS, CHUNK_ELEMENTS);
    for (let at = first; at < last; ) {
      const operation = changetype<Operation>(at);
      const alike = alikeFrom(operation, last);
      if (alike !== 0) {
        if (operation.kind === DOT) dots<X>(at, offset, chunk, count);
        else axpys<X>(at, offset, count);
        at += alike * offsetof<Operation>();
        continue;
      }
      at += offsetof<Operation>();
      const x = operation.x + offset;
      const y = operation.y + offset;
      const kind = operation.kind;
      if (kind === AXPBY) axpby<X>(x, y, count, <X>operation.a, <X>operation.b);
      else if (kind === MULTIPLY) multiply<X>(operation.other + offset, x, y, count);
      else if (kind === SCATTER) scatter<X>(operation.other + chunk * (CHUNK_ELEMENTS << 2), x, operation.y, count);
      else if (kind === COPY) copy<X>(operation, chunk * CHUNK_ELEMENTS, count);
      else if (kind === DOT) store<f64>(operation.other + ((<usize>chunk) << 3), dot<X>(x, y, count));
      else if (kind === COLUMN_DOTS) columnDots<X>(changetype<BlockOperation>(operation), chunk, count);
      else if (kind === GRAM) gram<X>(changetype<BlockOperation>(operation), chunk, count);
      else combine<X>(changetype<BlockOperation>(operation), chunk, count);
    }
  }
}

/** a · x + b · y in the lanes of a vector register. */
@inline
function weighted<X>(a: v128, x: v128, b: v128, y: v128): v128 {
  if (sizeof<X>() === 4) return madd32(f32x4.mul(b, y), a, x);
  return madd64(f64x2.mul(b, y), a, x);
}

function axpby<X>(x: usize, y: usize, count: u32, a: X, b: X): void {
  const last = y + ((<usize>count) << alignof<X>());
  const lastLine = y + ((<usize>(count & ~7)) << alignof<X>());
  const as = v128.splat<X>(a);
  if (b === <X>0) {
    for (; y < lastLine; x += sizeof<X>() << 3, y += sizeof<X>() << 3) {
      v128.store(y, v128.mul<X>(as, v128.load(x)));
      v128.store(y, v128.mul<X>(as, v128.load(x, 16)), 16);
      if (sizeof<X>() === 8) {
        v128.store(y, v128.mul<X>(as, v128.load(x, 32)), 32);
        v128.store(y, v128.mul<X>(as, v128.load(x, 48)), 48);
      }
    }
    for (; y < last; x += sizeof<X>(), y += sizeof<X>()) store<X>(y, a * load<X>(x));
    return;
  }
  const bs = v128.splat<X>(b);
  for (; y < lastLine; x += sizeof<X>() << 3, y += sizeof<X>() << 3) {
    v128.store(y, weighted<X>(as, v128.load(x), bs, v128.load(y)));
    v128.store(y, weighted<X>(as, v128.load(x, 16), bs, v128.load(y, 16)), 16);
    if (sizeof<X>() === 8) {
      v128.store(y, weighted<X>(as, v128.load(x, 32), bs, v128.load(y, 32)), 32);
      v128.store(y, weighted<X>(as, v128.load(x, 48), bs, v128.load(y, 48)), 48);
    }
  }
  for (; y < last; x += sizeof<X>(), y += sizeof<X>()) store<X>(y, a * load<X>(x) + b * load<X>(y));
}

function multiply<X>(d: usize, x: usize, y: usize, count: u32): void {
  const last = y + ((<usize>count) << alignof<X>());
  const lastLine = y + ((<usize>(count & ~7)) << alignof<X>());
  for (; y < lastLine; d += sizeof<X>() << 3, x += sizeof<X>() << 3, y += sizeof<X>() << 3) {
    v128.store(y, v128.mul<X>(v128.load(d), v128.load(x)));
    v128.store(y, v128.mul<X>(v128.load(d, 16), v128.load(x, 16)), 16);
    if (sizeof<X>() === 8) {
      v128.store(y, v128.mul<X>(v128.load(d, 32), v128.load(x, 32)), 32);
      v128.store(y, v128.mul<X>(v128.load(d, 48), v128.load(x, 48)), 48);
    }
  }
  for (; y < last; d += sizeof<X>(), x += sizeof<X>(), y += sizeof<X>()) store<X>(y, load<X>(d) * load<X>(x));
}

function scatter<X>(order: usize, x: usize, y: usize, count: u32): void {
  const last = x + ((<usize>count) << alignof<X>());
  for (; x < last; x += sizeof<X>(), order += 4) store<X>(y + ((<usize>load<u32>(order)) << alignof<X>()), load<X>(x));
}

/** The elements [begin, begin + count). */
function copy<X>(operation: Operation, begin: usize, count: u32): void {
  const fromNext = (<usize>operation.a) << alignof<X>();
  const toNext = (<usize>operation.b) << alignof<X>();
  let x = operation.x + begin * fromNext;
  let y = operation.y + begin * toNext;
  for (; count > 0; count--, x += fromNext, y += toNext) store<X>(y, load<X>(x));
}

function dot<X>(x: usize, y: usize, count: u32): f64 {
  const last = x + ((<usize>count) << alignof<X>());
  const lastLine = x + ((<usize>(count & ~7)) << alignof<X>());
  let sum0 = f64x2.splat(0);
  let sum1 = f64x2.splat(0);
  let sum2 = f64x2.splat(0);
  let sum3 = f64x2.splat(0);
  for (; x < lastLine; x += sizeof<X>() << 3, y += sizeof<X>() << 3) {
    sum0 = madd64(sum0, pair<X>(x, 0), pair<X>(y, 0));
    sum1 = madd64(sum1, pair<X>(x, 2), pair<X>(y, 2));
    sum2 = madd64(sum2, pair<X>(x, 4), pair<X>(y, 4));
    sum3 = madd64(sum3, pair<X>(x, 6), pair<X>(y, 6));
  }
  let sum = sumOfPairs(sum0, sum1, sum2, sum3);
  for (; x < last; x += sizeof<X>(), y += sizeof<X>()) sum += <f64>load<X>(x) * <f64>load<X>(y);
  return sum;
}
