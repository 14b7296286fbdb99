/**
 * CSR-k: y ← α A x + β y over the coarsest groups [begin, end): super-rows (k = 2) or super-super-rows (k = 3). Layout:
 * `src/formats/csrk/csrk.ts`. Algorithm: listing 1 of the paper; the loops over rows are CSR's.
 */
import { CsrkHeader } from '../../build/headers';
import { hasBranches, readsTwoPlaces, rowsOfTwo } from '../csr/csr';
import { Operands } from '../operands';

export function csrk_spmv<V, I, X>(header: CsrkHeader, operands: Operands, begin: u32, end: u32): void {
  superRows<V, I, X>(header, operands.x, operands.y, begin, end, <X>operands.alpha, <X>operands.beta);
}

/**
 * With 32-bit columns nothing changes between super-rows: all rows of the range are computed as in CSR. (Super-rows of unequal
 * size pair badly: in Band-k order, laplace3d7 took 5.5 ms by pairs of super-rows instead of 4.7, mdual 1.05 instead of 0.92.
 * One core of an AMD EPYC Zen 4, f64, November 2026.)
 *
 * With bases and two places, super-rows of the first half of the range are paired with those of the second. With one, they are computed
 * one after the other: of long rows, alternating between two streams of 30 KiB each cost a third.
 */
function superRows<V, I, X>(header: CsrkHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  const superRowPtr = header.superRowPtr;
  const first = superRowOf(header, begin);
  const last = superRowOf(header, end);
  const row = rowOf(superRowPtr, first);
  const rowEnd = rowOf(superRowPtr, last);
  const branches = hasBranches(header, row, rowEnd, rowEnd - row);
  if (sizeof<I>() === 4) {
    const middle = row + ((rowEnd - row) >> 1);
    rowsOfTwo<V, I, X>(header, branches, x, x, y, row, middle, middle, rowEnd, alpha, beta);
    return;
  }
  let a = first;
  if (readsTwoPlaces(header)) {
    const half = (last - first) >> 1;
    for (let b = first + half; a < first + half; a++, b++) {
      const endA = rowOf(superRowPtr, a + 1);
      const endB = rowOf(superRowPtr, b + 1);
      const xA = baseOf<X>(header, x, a);
      const xB = baseOf<X>(header, x, b);
      rowsOfTwo<V, I, X>(header, branches, xA, xB, y, rowOf(superRowPtr, a), endA, rowOf(superRowPtr, b), endB, alpha, beta);
    }
    a += half;
  }
  for (; a < last; a++) {
    const next = rowOf(superRowPtr, a + 1);
    const base = baseOf<X>(header, x, a);
    rowsOfTwo<V, I, X>(header, branches, base, base, y, rowOf(superRowPtr, a), next, next, next, alpha, beta);
  }
}

/** The address of the element of x at the base column of a super-row. */
function baseOf<X>(header: CsrkHeader, x: usize, superRow: u32): usize {
  return x + ((<usize>load<u32>(header.superRowBase + ((<usize>superRow) << 2))) << alignof<X>());
}

/** The first super-row of a unit. */
export function superRowOf(header: CsrkHeader, unit: u32): u32 {
  if (header.superSuperRowPtr === 0) return unit;
  return load<u32>(header.superSuperRowPtr + ((<usize>unit) << 2));
}

/** The first row of a super-row. */
export function rowOf(superRowPtr: usize, superRow: u32): u32 {
  return load<u32>(superRowPtr + ((<usize>superRow) << 2));
}
