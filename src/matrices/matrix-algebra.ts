/** Operations on matrices by all threads of an engine: functions of `algebra/`, with the same bits. */
import { matricesThatFit } from '../algebra/multiply.js';
import { newMatrix } from '../algebra/new-matrix.js';
import type { TeamContext } from '../backends/team/backend.js';
import { runOnTeam } from '../backends/team/run-loop.js';
import { type CompressedRows, type CsrMatrix, inspectedMatrix, type MatrixInput } from '../core/csr.js';
import type { HeapScope } from '../memory/heap.js';
import { multiplyOnTeam } from './multiplication.js';
import { inHeap } from './stage.js';

/** `multiplyMatrices`. @throws as it, and SparlaneError `heap` if there is no room in the heap */
export function multiplyInEngine(context: TeamContext, a: MatrixInput, b: MatrixInput): CsrMatrix {
  using scope = context.heap.scope();
  const left = inspected(context, scope, a);
  const right = a === b ? left : inspected(context, scope, b);
  return outside(multiplyOnTeam(context, scope, ...matricesThatFit(left, right)));
}

/** A matrix that is checked by all threads if it is large, and perhaps copied into the heap. */
function inspected(context: TeamContext, scope: HeapScope, input: MatrixInput): CsrMatrix {
  return inspectedMatrix(input, inHeap(scope, runOnTeam(context)));
}

/** A copy that is not in the heap. */
function outside({ rows, cols, rowPtr, colIdx, values }: CompressedRows): CsrMatrix {
  const arrays = { rowPtr: rowPtr.slice(), colIdx: colIdx.slice(), values: values.slice() };
  return newMatrix({ rows, cols, ...arrays });
}
