/** Sparse matrices of SciPy. */
import { isNpz } from '../bytes/file-kind.js';
import type { FileKind } from './kind.js';

export const npz: FileKind = {
  name: 'npz',
  summary: 'sparse matrices of SciPy: CSR, CSC, COO, BSR and DIA',
  source: 'scipy.sparse.save_npz',
  extensions: ['npz'],
  matches: isNpz,
  read: async (file) => (await import('../npy/npz.js')).readNpz(file),
  readComplex: async (file) => (await import('../npy/npz.js')).readComplexNpz(file),
  writeComplex: async (matrix) => (await import('../npy/write.js')).writeNpz(matrix),
  write: async (matrix) => (await import('../npy/write.js')).writeNpz(matrix),
};
