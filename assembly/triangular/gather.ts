/** Numbers of factors, from where they are to where they are read: the loops of `src/preconditioners/triangular/gather.ts`. */
import { GatherHeader, NO_ENTRY, PivotsHeader } from '../../build/headers';
import { Operands } from '../operands';
import { word } from '../word';

/** target ← values[from] */
export function factors_gather<V>(header: GatherHeader, operands: Operands, begin: u32, end: u32): void {
  for (let k = begin; k < end; k++)
    store<V>(header.target + ((<usize>k) << alignof<V>()), <V>load<f64>(header.values + ((<usize>load<u32>(word(header.from, k))) << 3)));
}

/** target ← −values[from − 1]; 0 where `from` is 0 */
export function factors_negate<V>(header: GatherHeader, operands: Operands, begin: u32, end: u32): void {
  let differences: V = 0;
  for (let k = begin; k < end; k++) {
    const from = load<u32>(word(header.from, k));
    const value: V = from === 0 ? 0 : <V>-load<f64>(header.values + ((<usize>(from - 1)) << 3));
    store<V>(header.target + ((<usize>k) << alignof<V>()), value);
    differences += value - value;
  }
  if (differences !== 0) atomic.store<u32>(header.isBeyond, 1);
}

/** The diagonal, and the sums of the moduli of the rows. In a row without entries the sum is 1: it gets a pivot by a shift. */
export function factors_pivots<X>(header: PivotsHeader, operands: Operands, begin: u32, end: u32): void {
  for (let i = begin; i < end; i++) {
    const row = word(header.rowPtr, header.order === 0 ? i : load<u32>(word(header.order, i)));
    const last = header.values + ((<usize>load<u32>(row, 4)) << 3);
    let sum: f64 = 0;
    for (let value = header.values + ((<usize>load<u32>(row)) << 3); value < last; value += 8) sum += abs<f64>(load<f64>(value));
    const entry = load<u32>(word(header.entries, i));
    const at = (<usize>i) << alignof<X>();
    store<X>(header.diagonal + at, entry === NO_ENTRY ? 0 : <X>load<f64>(header.values + ((<usize>entry) << 3)));
    store<X>(header.sums + at, sum === 0 ? <X>1 : <X>sum);
  }
}
