/** What the caller is told of an operator. */
import type { ComplexMatrix } from '../core/complex.js';
import { isDenseMatrix, type MatrixInput } from '../core/csr.js';
import type { MatrixOperator } from '../operators/matrix-operator.js';
import type { OperatorInfo } from './protocol.js';

export function describe(operator: MatrixOperator): Omit<OperatorInfo, 'field' | 'symmetry' | 'sourceMs'> {
  const { matrix, plan, setupMs, decision, ordering } = operator;
  const { rows, cols, nnz, spec, dtype, bytes } = matrix;
  const { backend, threads, parts, memories } = plan;
  const where = { backend, threads, parts, ...(memories !== undefined && { memories }) };
  return { rows, cols, nnz, format: spec, dtype, decision, ordering, ...where, bytes, setupMs };
}

/** The field and the symmetry that the source declares, as input of `csrMatrix`. */
export function claims(matrix: MatrixInput | ComplexMatrix): Pick<OperatorInfo, 'field' | 'symmetry'> {
  if (isDenseMatrix(matrix)) return { field: 'real', symmetry: 'general' };
  const { field, values, symmetry } = matrix;
  return { field: field ?? (values ? 'real' : 'pattern'), symmetry: symmetry ?? 'general' };
}
