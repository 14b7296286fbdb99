/** Binary files of PETSc. */
import { isPetsc } from '../petsc/magic.js';
import { sparse } from './dense.js';
import type { FileKind } from './kind.js';

export const petsc: FileKind = {
  name: 'petsc',
  summary: 'binary matrices (AIJ) and vectors of PETSc, 32-bit indices',
  source: 'PETSc manual pages, MatLoad and VecLoad',
  extensions: ['petsc', 'bin', 'dat'],
  matches: isPetsc,
  read: async (file) => {
    const { readPetscMatrix } = await import('../petsc/petsc.js');
    const content = await readPetscMatrix(file);
    return 'rowPtr' in content ? content : sparse(file.name, content);
  },
  readBlock: async (file, columns) => (await import('../petsc/petsc.js')).readPetscVector(file, columns),
};
