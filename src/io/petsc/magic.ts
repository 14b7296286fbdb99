/** How objects begin in a binary file of PETSc: `MAT_FILE_CLASSID` and `VEC_FILE_CLASSID` of petscmat.h and petscvec.h. */
export const PETSC_MAT = 1211216;
export const PETSC_VEC = 1211214;
/** Of all objects in files: `PETSC_SMALLEST_CLASSID` of petscsys.h, and more than PETSc has. */
export const FIRST_CLASS = 1211211;
export const LAST_CLASS = 1211311;
/** A matrix begins with four integers: what it is, its rows, columns and entries. */
export const INT_BYTES = 4;
export const MATRIX_BYTES: number = 4 * INT_BYTES;
/** What an error says of a file of PETSc `--with-64-bit-indices`. */
export const PETSC_WIDE = 'indices of 64 bits (write them with a PETSc of 32-bit indices)';

export function isPetsc(head: Uint8Array): boolean {
  if (head.length < 8) return false;
  const view = new DataView(head.buffer, head.byteOffset, 8);
  const [first, second] = [view.getInt32(0), view.getInt32(4)];
  const isObject = (id: number) => id === PETSC_MAT || id === PETSC_VEC;
  return isObject(first) || (first === 0 && isObject(second));
}
