/** The part of the host that is loaded with complex operators. */
import { type ComplexMatrix, complexFrom } from '../core/complex.js';
import { csrMatrix, type MatrixInput } from '../core/csr.js';

export { complexOperator } from '../complex/operator.js';

/** A matrix of real numbers gets imaginary parts 0. @throws as `csrMatrix` */
export function complexOf(matrix: MatrixInput | ComplexMatrix): ComplexMatrix {
  return 'field' in matrix && matrix.field === 'complex' ? matrix : complexFrom(csrMatrix(matrix as MatrixInput));
}
