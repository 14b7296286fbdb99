/**
 * Operations shared by the row kernels: vectors of x gathered by column, fused multiply-add, sums across lanes.
 *
 * WebAssembly has no gather, so vectors are built from scalar loads (`movsd` + `movhpd` on x86).
 * `V` is the type of the values, `X` of x, y and the sums.
 */

/** acc + a · b in two f64 lanes; one rounding in the relaxed-SIMD binary, two in the other. */
@inline
export function madd64(acc: v128, a: v128, b: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f64x2.relaxed_madd(a, b, acc);
  return f64x2.add(acc, f64x2.mul(a, b));
}

/** acc + a · b in four f32 lanes. */
@inline
export function madd32(acc: v128, a: v128, b: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_madd(a, b, acc);
  return f32x4.add(acc, f32x4.mul(a, b));
}

/**
 * The storage of values, as the type parameter `V`: f64 or f32 in full; `Coded`: 8-bit codes into a table of the distinct
 * values (of type X); `Ones`: not stored, every entry is 1.
 */
export type Coded = u8;
export type Ones = bool;

/** Whether values are codes; other integers may be values of their own. Callers tell `Ones` first. */
@inline
export function isCoded<V>(): bool {
  return isInteger<V>() && sizeof<V>() === sizeof<Coded>();
}

/** log2 of the bytes of a stored value. */
@inline
export function valueShift<V>(): usize {
  return isBoolean<V>() ? 0 : alignof<V>();
}

/** One value as a number. */
@inline
export function valueAt<V, X>(values: usize, table: usize): X {
  if (isBoolean<V>()) return <X>1;
  if (isCoded<V>()) return load<X>(table + ((<usize>load<u8>(values)) << alignof<X>()));
  return <X>load<V>(values);
}

/** Two values as f64 lanes, from `offset` values on. */
@inline
export function values64<V>(values: usize, table: usize, offset: usize): v128 {
  if (isCoded<V>()) {
    const low = v128.load64_zero(table + ((<usize>load<u8>(values + offset)) << 3));
    return v128.load64_lane(table + ((<usize>load<u8>(values + offset, 1)) << 3), low, 1);
  }
  if (sizeof<V>() === 4) return f64x2.promote_low_f32x4(v128.load64_zero(values + (offset << 2)));
  return v128.load(values + (offset << 3));
}

/** One value in lane 0, the other lane zero. */
@inline
function value64<V>(values: usize, table: usize): v128 {
  if (isCoded<V>()) return v128.load64_zero(table + ((<usize>load<u8>(values)) << 3));
  if (sizeof<V>() === 4) return f64x2.promote_low_f32x4(v128.load32_zero(values));
  return v128.load64_zero(values);
}

/** Four values as f32 lanes, from `offset` values on. */
@inline
export function values32<V>(values: usize, table: usize, offset: usize): v128 {
  if (isCoded<V>()) {
    let lanes = v128.load32_zero(table + ((<usize>load<u8>(values + offset)) << 2));
    lanes = v128.load32_lane(table + ((<usize>load<u8>(values + offset, 1)) << 2), lanes, 1);
    lanes = v128.load32_lane(table + ((<usize>load<u8>(values + offset, 2)) << 2), lanes, 2);
    return v128.load32_lane(table + ((<usize>load<u8>(values + offset, 3)) << 2), lanes, 3);
  }
  return v128.load(values + (offset << 2));
}

/** Two values in lanes 0 and 1, zeros above. */
@inline
export function values32pair<V>(values: usize, table: usize): v128 {
  if (isCoded<V>()) {
    const low = v128.load32_zero(table + ((<usize>load<u8>(values)) << 2));
    return v128.load32_lane(table + ((<usize>load<u8>(values, 1)) << 2), low, 1);
  }
  return v128.load64_zero(values);
}

/** One value in lane 0, zeros above. */
@inline
function value32<V>(values: usize, table: usize): v128 {
  if (isCoded<V>()) return v128.load32_zero(table + ((<usize>load<u8>(values)) << 2));
  return v128.load32_zero(values);
}

/**
 * x[colIdx[k]] for a column stored as `I`: u32, or u16 if x points at a base column. `colIdx` points at entry k − offset.
 */
@inline
function at64<I>(x: usize, colIdx: usize, offset: usize): usize {
  return x + ((<usize>load<I>(colIdx + (offset << alignof<I>()))) << 3);
}

/** The same for elements of f32. */
@inline
function at32<I>(x: usize, colIdx: usize, offset: usize): usize {
  return x + ((<usize>load<I>(colIdx + (offset << alignof<I>()))) << 2);
}

/** [ x[colIdx[offset]], x[colIdx[offset + 1]] ] */
@inline
export function gather64<I>(x: usize, colIdx: usize, offset: usize): v128 {
  return v128.load64_lane(at64<I>(x, colIdx, offset + 1), v128.load64_zero(at64<I>(x, colIdx, offset)), 1);
}

/** Four f32 of x by column. */
@inline
export function gather32<I>(x: usize, colIdx: usize, offset: usize): v128 {
  let lanes = v128.load32_zero(at32<I>(x, colIdx, offset));
  lanes = v128.load32_lane(at32<I>(x, colIdx, offset + 1), lanes, 1);
  lanes = v128.load32_lane(at32<I>(x, colIdx, offset + 2), lanes, 2);
  return v128.load32_lane(at32<I>(x, colIdx, offset + 3), lanes, 3);
}

/** Two f32 of x by column in lanes 0 and 1, zeros above. */
@inline
export function gather32pair<I>(x: usize, colIdx: usize): v128 {
  return v128.load32_lane(at32<I>(x, colIdx, 1), v128.load32_zero(at32<I>(x, colIdx, 0)), 1);
}

/** y ← α · sum + β · y at one address; β = 0 overwrites, NaN included. */
@inline
export function put<X>(at: usize, sum: X, alpha: X, beta: X): void {
  store<X>(at, beta === <X>0 ? alpha * sum : alpha * sum + beta * load<X>(at));
}

/** `put` for the rows [row, end), which have no entries. */
export function putEmpty<X>(y: usize, row: u32, end: u32, beta: X): void {
  for (; row < end; row++) put<X>(y + ((<usize>row) << alignof<X>()), <X>0, <X>0, beta);
}

/** `put` for the adjacent rows of a vector: two of f64, four of f32. */
@inline
export function putVector<X>(at: usize, sums: v128, alpha: X, beta: X): void {
  let result = v128.mul<X>(v128.splat<X>(alpha), sums);
  if (beta !== <X>0) result = v128.add<X>(result, v128.mul<X>(v128.splat<X>(beta), v128.load(at)));
  v128.store(at, result);
}

/**
 * The processing of a row's remaining entries after its loop. With branches: they cost nothing if the row before was as long.
 * Branch-free: it reads past the row's end and masks foreign entries, which saves a misprediction per row if the row before was
 * not as long (road network 0.98 → 1.66 × plain C, 9-point Laplacian 1.53 → 1.39 ×). Tags for the type parameter `Tail`.
 */
export type Branching = u8;
export type BranchFree = u16;

/**
 * Σ values[k] · x[colIdx[k]] over one row of `left` entries. The order of summation depends only on `left`: four (f32:
 * eight) running sums, then the remaining entries. The bits are the same for both tails, all partitions and all formats that
 * use it. BranchFree reads up to 4 entries past the row's end, whose columns must be valid. Only Coded values use `table`.
 */
@inline
export function rowSum<V, I, X, Tail>(x: usize, colIdx: usize, values: usize, table: usize, left: u32): X {
  if (sizeof<X>() === 4) return <X>rowSum32<V, I, Tail>(x, colIdx, values, table, left);
  return <X>rowSum64<V, I, Tail>(x, colIdx, values, table, left);
}

/** sum0 adds entries 0 1 mod 4, sum1 entries 2 3 mod 4. */
@inline
function rowSum64<V, I, Tail>(x: usize, colIdx: usize, values: usize, table: usize, left: u32): f64 {
  let sum0 = f64x2.splat(0);
  let sum1 = f64x2.splat(0);
  for (; left > 3; left -= 4) {
    sum0 = term64<V>(sum0, gather64<I>(x, colIdx, 0), values, table, 0);
    sum1 = term64<V>(sum1, gather64<I>(x, colIdx, 2), values, table, 2);
    colIdx += 4 << alignof<I>();
    if (!isBoolean<V>()) values += 4 << alignof<V>();
  }
  if (sizeof<Tail>() === sizeof<BranchFree>()) {
    const pair = left & 2;
    const pairMask = i64x2.splat(-(<i64>(pair >> 1)));
    sum0 = maskedTerm64<V>(sum0, gather64<I>(x, colIdx, 0), isBoolean<V>() ? sum0 : values64<V>(values, table, 0), pairMask);
    colIdx += pair << alignof<I>();
    if (!isBoolean<V>()) values += pair << alignof<V>();
    const oneMask = i64x2.splat(-(<i64>(left & 1)));
    const last = v128.load64_zero(at64<I>(x, colIdx, 0));
    sum1 = maskedTerm64<V>(sum1, last, isBoolean<V>() ? sum1 : value64<V>(values, table), oneMask);
  } else {
    if (left & 2) {
      sum0 = term64<V>(sum0, gather64<I>(x, colIdx, 0), values, table, 0);
      colIdx += 2 << alignof<I>();
      if (!isBoolean<V>()) values += 2 << alignof<V>();
    }
    if (left & 1) {
      const last = v128.load64_zero(at64<I>(x, colIdx, 0));
      sum1 = isBoolean<V>() ? f64x2.add(sum1, last) : madd64(sum1, value64<V>(values, table), last);
    }
  }
  const sum = f64x2.add(sum0, sum1);
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
}

/** acc + values · xs in two f64 lanes. */
@inline
export function term64<V>(acc: v128, xs: v128, values: usize, table: usize, offset: usize): v128 {
  if (isBoolean<V>()) return f64x2.add(acc, xs);
  return madd64(acc, values64<V>(values, table, offset), xs);
}

/** The same in lanes whose mask is set; acc in the others, even if xs or values are not finite there. */
@inline
function maskedTerm64<V>(acc: v128, xs: v128, values: v128, mask: v128): v128 {
  if (isBoolean<V>()) return f64x2.add(acc, v128.and(xs, mask));
  return madd64(acc, v128.and(values, mask), v128.and(xs, mask));
}

/** sum0 adds entries 0 … 3 mod 8, sum1 entries 4 … 7 mod 8. */
@inline
function rowSum32<V, I, Tail>(x: usize, colIdx: usize, values: usize, table: usize, left: u32): f32 {
  let sum0 = f32x4.splat(0);
  let sum1 = f32x4.splat(0);
  for (; left > 7; left -= 8) {
    sum0 = term32<V>(sum0, gather32<I>(x, colIdx, 0), values, table, 0);
    sum1 = term32<V>(sum1, gather32<I>(x, colIdx, 4), values, table, 4);
    colIdx += 8 << alignof<I>();
    if (!isBoolean<V>()) values += 8 << alignof<V>();
  }
  if (left & 4) {
    sum0 = term32<V>(sum0, gather32<I>(x, colIdx, 0), values, table, 0);
    colIdx += 4 << alignof<I>();
    if (!isBoolean<V>()) values += 4 << alignof<V>();
  }
  if (sizeof<Tail>() === sizeof<BranchFree>()) {
    const pair = left & 2;
    const pairMask = i32x4.splat(-(<i32>(pair >> 1)));
    sum1 = maskedTerm32<V>(sum1, gather32pair<I>(x, colIdx), isBoolean<V>() ? sum1 : values32pair<V>(values, table), pairMask);
    colIdx += pair << alignof<I>();
    if (!isBoolean<V>()) values += pair << alignof<V>();
    const oneMask = i32x4.splat(-(<i32>(left & 1)));
    const last = v128.load32_zero(at32<I>(x, colIdx, 0));
    sum0 = maskedTerm32<V>(sum0, last, isBoolean<V>() ? sum0 : value32<V>(values, table), oneMask);
  } else {
    if (left & 2) {
      const pair = gather32pair<I>(x, colIdx);
      sum1 = isBoolean<V>() ? f32x4.add(sum1, pair) : madd32(sum1, values32pair<V>(values, table), pair);
      colIdx += 2 << alignof<I>();
      if (!isBoolean<V>()) values += 2 << alignof<V>();
    }
    if (left & 1) {
      const last = v128.load32_zero(at32<I>(x, colIdx, 0));
      sum0 = isBoolean<V>() ? f32x4.add(sum0, last) : madd32(sum0, value32<V>(values, table), last);
    }
  }
  const sum = f32x4.add(sum0, sum1);
  const low = f32x4.extract_lane(sum, 0) + f32x4.extract_lane(sum, 1);
  const high = f32x4.extract_lane(sum, 2) + f32x4.extract_lane(sum, 3);
  return low + high;
}

/** acc + values · xs in four f32 lanes. */
@inline
export function term32<V>(acc: v128, xs: v128, values: usize, table: usize, offset: usize): v128 {
  if (isBoolean<V>()) return f32x4.add(acc, xs);
  return madd32(acc, values32<V>(values, table, offset), xs);
}

/** The same in lanes whose mask is set. */
@inline
function maskedTerm32<V>(acc: v128, xs: v128, values: v128, mask: v128): v128 {
  if (isBoolean<V>()) return f32x4.add(acc, v128.and(xs, mask));
  return madd32(acc, v128.and(values, mask), v128.and(xs, mask));
}
