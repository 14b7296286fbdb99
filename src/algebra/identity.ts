/** The identity matrix. */
import { type CsrMatrix, csrMatrix } from '../core/csr.js';

export function identityMatrix(size: number): CsrMatrix {
  const rowPtr = new Uint32Array(size + 1);
  for (let i = 0; i <= size; i++) rowPtr[i] = i;
  const values = new Float64Array(size).fill(1);
  return csrMatrix({ rows: size, cols: size, rowPtr, colIdx: rowPtr.slice(0, size), values });
}
