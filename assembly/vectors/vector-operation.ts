/** An operation of a program of vector operations: its layout in the heap. `vector.ts` says what it computes. */
@unmanaged
export class Operation {
  kind!: u32;
  x!: usize;
  y!: usize;
  other!: usize;
  a!: f64;
  b!: f64;
}

/**
 * An operation on blocks of vectors, which is the only one of its program: it may be longer than the others. Columns and
 * strides, in elements, are those of x and y.
 */
@unmanaged
export class BlockOperation extends Operation {
  xColumns!: u32;
  xStride!: u32;
  yColumns!: u32;
  yStride!: u32;
  /** The chunks of all rows. */
  chunks!: u32;
}

/** Kinds that run several in one pass, too. */
export const AXPBY: u32 = 0;
export const DOT: u32 = 3;

/** Two elements as f64 lanes, from `offset` elements on. */
@inline
export function pair<X>(x: usize, offset: usize): v128 {
  if (sizeof<X>() === 4) return f64x2.promote_low_f32x4(v128.load64_zero(x + (offset << 2)));
  return v128.load(x + (offset << 3));
}

/** The sum of a dot product's running sums, pair k of which has the elements 2k and 2k + 1 mod 8. */
@inline
export function sumOfPairs(sum0: v128, sum1: v128, sum2: v128, sum3: v128): f64 {
  const lanes = f64x2.add(f64x2.add(sum0, sum1), f64x2.add(sum2, sum3));
  return f64x2.extract_lane(lanes, 0) + f64x2.extract_lane(lanes, 1);
}
