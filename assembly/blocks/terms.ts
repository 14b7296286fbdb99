/** The terms of a block product: a value in all lanes, times a vector of a row of X. */
import { isCoded, madd32, madd64 } from '../lanes';

/** A value in all lanes. */
@inline
export function splatValue<V, X>(value: usize, table: usize): v128 {
  if (isBoolean<V>()) return v128.splat<X>(1);
  if (isCoded<V>()) return v128.load_splat<X>(table + ((<usize>load<u8>(value)) << alignof<X>()));
  if (sizeof<V>() === sizeof<X>()) return v128.load_splat<X>(value);
  return v128.splat<X>(<X>load<V>(value));
}

@inline
export function term<V, X>(sum: v128, a: v128, xs: v128): v128 {
  if (isBoolean<V>()) return v128.add<X>(sum, xs);
  return sizeof<X>() === 4 ? madd32(sum, a, xs) : madd64(sum, a, xs);
}
