/** Checks of the transposition of a stored matrix: the entries of Aᵀ, as the team and devices move them, in order and bit by bit. */
import { transposeMatrix } from '../algebra/transpose.js';
import type { CompressedRows, CsrMatrix } from '../core/csr.js';
import { rounded } from '../core/types.js';
import type { Engine } from '../engine/engine.js';
import type { StoredMatrix } from '../formats/format.js';
import { transposeOnTeam } from '../matrices/transposition.js';
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
  { context, gpus }: Engine,
  stored: StoredMatrix,
  expected: CsrMatrix,
): void {
  using scope = context.heap.scope();
  const rows = rowsOf(scope, stored);
  const asStored = { ...expected, values: rounded(expected.values, stored.dtype) };
  checkRows(findings, 'transposed', transposeOnTeam(context, scope, rows), asStored);
  for (const { transpose } of gpus) {
    using found = transpose?.(scope, rows);
    if (found !== undefined) checkRows(findings, 'transposed on the device', found, asStored);
  }
}

function checkRows(
  findings: Findings,
  what: string,
  { rowPtr, colIdx, values }: CompressedRows,
  expected: CompressedRows,
): void {
  const isSame =
    firstDifference(rowPtr, expected.rowPtr) < 0 &&
    firstDifference(colIdx, expected.colIdx) < 0 &&
    values.length === expected.values.length;
  findings.expect(isSame, `${what}: structure`, () => 'rowPtr or colIdx differ from those of the transpose');
  const wrong = firstDifference(values, expected.values);
  findings.expect(
    wrong < 0,
    `${what}: values`,
    () => `values[${wrong}] is ${values[wrong]}, not ${expected.values[wrong]}`,
  );
}

/** The first place where two arrays differ in their bits, or −1. */
function firstDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) return Math.min(a.length, b.length);
  for (let k = 0; k < a.length; k++) if (!Object.is(a[k], b[k])) return k;
  return -1;
}
