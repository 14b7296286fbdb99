/** Sparse matrices of SciPy. */
import type { ComplexMatrix } from '../../core/complex.js';
import type { CsrMatrix } from '../../core/csr.js';
import { isNpz } from '../bytes/file-kind.js';
import type { FileKind } from './kind.js';

export const npz: FileKind = {
  name: 'npz',
  summary: 'sparse matrices of SciPy: CSR, CSC, COO, BSR and DIA',
  source: 'scipy.sparse.save_npz',
  extensions: ['npz'],
  matches: isNpz,
  read: async (file) => (await import('../npy/npz.js')).readNpz(file),
  readAny: async (file) => (await import('../npy/npz.js')).readAnyNpz(file),
  write: writeMatrix,
  writeComplex: writeMatrix,
};

async function writeMatrix(matrix: CsrMatrix | ComplexMatrix): Promise<ReadableStream<Uint8Array>> {
  return (await import('../npy/write.js')).writeNpz(matrix);
}
