/** Checks of the transposition of a stored matrix: the entries of Aᵀ, as the team moves them, in order and bit by bit. */
import { transposeMatrix } from '../algebra/transpose.js';
import { transposeOnTeam } from '../backends/team/transposition.js';
import type { CsrMatrix } from '../core/csr.js';
import { valueArray } from '../core/types.js';
import type { StoredMatrix } from '../formats/format.js';
import type { Engine } from '../operators/engine.js';
import { rowsOf } from '../operators/transposed.js';
import type { Findings } from './findings.js';

const transposes = new WeakMap<CsrMatrix, CsrMatrix>();

/** The transpose of a matrix; computed once. */
export function transposeOf(matrix: CsrMatrix): CsrMatrix {
  const known = transposes.get(matrix) ?? transposeMatrix(matrix);
  transposes.set(matrix, known);
  return known;
}

/** @param expected Aᵀ */
export function checkTransposed(
  findings: Findings,
  { context }: Engine,
  stored: StoredMatrix,
  expected: CsrMatrix,
): void {
  using scope = context.heap.scope();
  const { rowPtr, colIdx, values } = transposeOnTeam(context, scope, rowsOf(scope, stored));
  const rounded = valueArray(stored.dtype).from(expected.values);
  const isSame =
    firstDifference(rowPtr, expected.rowPtr) < 0 &&
    firstDifference(colIdx, expected.colIdx) < 0 &&
    values.length === rounded.length;
  findings.expect(isSame, 'transposed: structure', () => 'rowPtr or colIdx differ from those of the transpose');
  const wrong = firstDifference(values, rounded);
  findings.expect(wrong < 0, 'transposed: values', () => `values[${wrong}] is ${values[wrong]}, not ${rounded[wrong]}`);
}

/** The first place where two arrays differ in their bits, or −1. */
function firstDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) return Math.min(a.length, b.length);
  for (let k = 0; k < a.length; k++) if (!Object.is(a[k], b[k])) return k;
  return -1;
}
