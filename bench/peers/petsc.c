/* PETSc: MatMult of an AIJ matrix, which detects identical consecutive rows (inodes). */
#include "petsc.h"

static void multiply(void) {
  CHECK(MatMult(matrix, in, out));
  if (ranks > 1) MPI_Barrier(PETSC_COMM_WORLD);
}

/* Of a square matrix. */
static void multiplyTransposed(void) {
  CHECK(MatMultTranspose(matrix, in, out));
  if (ranks > 1) MPI_Barrier(PETSC_COMM_WORLD);
}

static void transpose(void) {
  Mat transposed;
  CHECK(MatTranspose(matrix, MAT_INITIAL_MATRIX, &transposed));
  CHECK(MatDestroy(&transposed));
  if (ranks > 1) MPI_Barrier(PETSC_COMM_WORLD);
}

/* Of a square matrix. */
static void square(void) {
  Mat product;
  CHECK(MatMatMult(matrix, matrix, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &product));
  CHECK(MatDestroy(&product));
  if (ranks > 1) MPI_Barrier(PETSC_COMM_WORLD);
}

static void multiplySquared(void) {
  Mat product;
  CHECK(MatMatMult(matrix, matrix, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &product));
  CHECK(MatMult(product, in, out));
  CHECK(MatDestroy(&product));
  if (ranks > 1) MPI_Barrier(PETSC_COMM_WORLD);
}

int main(int argc, char **argv) {
  void (*const verbs[])(void) = {multiply, multiplyTransposed, transpose, square, multiplySquared};
  return runPetsc(argc, argv, prepareMatrix, verbs[verb(SQUARED)], NULL, NULL);
}
