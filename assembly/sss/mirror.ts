/** A row of a stored triangle: its entries, and their mirror images in the other triangle. */
import { values64 } from '../lanes';

/** Σ values[k] · x[colIdx[k]]; and target[colIdx[k]] += values[k] · scaled. */
@inline
export function rowAndMirror<V, I, X>(colIdx: usize, values: usize, left: u32, x: usize, target: usize, scaled: X): X {
  let sum0: X = 0;
  let sum1: X = 0;
  for (; left > 3; left -= 4) {
    if (areAdjacent<I>(colIdx)) {
      const column = (<usize>load<I>(colIdx)) << alignof<X>();
      addImages<V, X>(target + column, values, 0, scaled);
      if (sizeof<X>() === 8) addImages<V, X>(target + column + 16, values, 2, scaled);
      const low = v128.mul<X>(vectorOf<V, X>(values, 0), v128.load(x + column));
      const high = sizeof<X>() === 8 ? v128.mul<X>(vectorOf<V, X>(values, 2), v128.load(x + column, 16)) : low;
      sum0 += v128.extract_lane<X>(low, 0);
      sum1 += v128.extract_lane<X>(low, 1);
      sum0 += sizeof<X>() === 8 ? v128.extract_lane<X>(high, 0) : <X>f32x4.extract_lane(low, 2);
      sum1 += sizeof<X>() === 8 ? v128.extract_lane<X>(high, 1) : <X>f32x4.extract_lane(low, 3);
      colIdx += 4 << alignof<I>();
      values += 4 << alignof<V>();
      continue;
    }
    sum0 += entryAndMirror<V, I, X>(colIdx, values, 0, x, target, scaled);
    sum1 += entryAndMirror<V, I, X>(colIdx, values, 1, x, target, scaled);
    sum0 += entryAndMirror<V, I, X>(colIdx, values, 2, x, target, scaled);
    sum1 += entryAndMirror<V, I, X>(colIdx, values, 3, x, target, scaled);
    colIdx += 4 << alignof<I>();
    values += 4 << alignof<V>();
  }
  if (left & 2) {
    sum0 += entryAndMirror<V, I, X>(colIdx, values, 0, x, target, scaled);
    sum1 += entryAndMirror<V, I, X>(colIdx, values, 1, x, target, scaled);
    colIdx += 2 << alignof<I>();
    values += 2 << alignof<V>();
  }
  if (left & 1) sum0 += entryAndMirror<V, I, X>(colIdx, values, 0, x, target, scaled);
  return sum0 + sum1;
}

/** Whether four columns follow one another; they ascend. */
@inline
function areAdjacent<I>(colIdx: usize): bool {
  return load<I>(colIdx + (3 << alignof<I>())) - load<I>(colIdx) === 3;
}

/** A vector of values, from `offset` values on, in the type of the sums. */
@inline
function vectorOf<V, X>(values: usize, offset: usize): v128 {
  return sizeof<X>() === 4 ? v128.load(values + (offset << 2)) : values64<V>(values, 0, offset);
}

/** The mirror images of a vector of entries in adjacent columns. */
@inline
function addImages<V, X>(image: usize, values: usize, offset: usize, scaled: X): void {
  const products = v128.mul<X>(vectorOf<V, X>(values, offset), v128.splat<X>(scaled));
  v128.store(image, v128.add<X>(v128.load(image), products));
}

/** One entry: its product with x, and that of its mirror image in the target. f64x2 would need as many loads and stores. */
@inline
function entryAndMirror<V, I, X>(colIdx: usize, values: usize, k: usize, x: usize, target: usize, scaled: X): X {
  const column = (<usize>load<I>(colIdx + (k << alignof<I>()))) << alignof<X>();
  const value = <X>load<V>(values + (k << alignof<V>()));
  const image = target + column;
  store<X>(image, load<X>(image) + value * scaled);
  return value * load<X>(x + column);
}
