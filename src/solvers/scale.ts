/**
 * The scale of a solve. Methods compute with squares of norms, which f64 has not for a b of 1e-160 or 1e160; and f32 loses residuals of a b of 1e-35.
 * Such a system is solved as A (s x) = s b, for a power of two s that brings ‖b‖ near 1. Only exponents change, so bits and iterations are those of a
 * b of ordinary size; x, residuals and `atol` are in the units of the caller.
 *
 * Cost of an ordinary system: the norm of x0, if there is one. Of another: three passes over x, and a product, since x may have lost bits in the units
 * of the caller, or not exist there.
 */
import type { FloatArrayConstructor } from '../core/types.js';
import { greatestExponent } from './norms.js';

interface Exponents {
  /** With a ‖b‖ between 2 to the power of ± this, s = 1. */
  readonly ordinary: number;
  /** s ‖x0‖ is at most 2 to this power, whatever that makes of b. */
  readonly start: number;
}

/** Half of the range is left to A and to the fall of the residual. By the bytes of an element. */
const EXPONENTS: Readonly<Record<number, Exponents>> = {
  4: { ordinary: 60, start: 60 },
  8: { ordinary: 100, start: 400 },
};

/** @param bNorm ‖b‖₂; if it is 0, x0 takes its place @returns s, a power of two; 1 for norms that are not known */
export function scaleOf(type: FloatArrayConstructor, bNorm: number, x0Norm: number): number {
  const { ordinary, start } = EXPONENTS[type.BYTES_PER_ELEMENT]!;
  const greatest = greatestExponent(type);
  const exponent = exponentOf(bNorm > 0 ? bNorm : x0Norm);
  const wanted = Math.abs(exponent) <= ordinary ? 0 : -exponent;
  const allowed = x0Norm > 0 ? Math.min(wanted, start - exponentOf(x0Norm)) : wanted;
  return 2 ** Math.max(-greatest, Math.min(greatest, allowed));
}

/** That of a norm that f64 has not, 0 or NaN is 0; one that overflows counts as the greatest. */
function exponentOf(norm: number): number {
  return norm > 0 ? Math.min(Math.floor(Math.log2(norm)), 1024) : 0;
}
