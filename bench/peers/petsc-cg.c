/*
 * PETSc: KSPCG with PCJACOBI. A "product" is a solve of A y = x from y = 0 by exactly CG_ITERATIONS iterations (of the
 * environment). The norm is the natural one, √(r, z), which costs no further dot product, and no norm ends the solve.
 */
#include "petsc.h"

static KSP solver;

static void prepare(void) {
  const char *iterations = getenv("CG_ITERATIONS");
  PC jacobi;
  if (!iterations) fail("CG_ITERATIONS is not set");
  prepareMatrix();
  CHECK(KSPCreate(PETSC_COMM_WORLD, &solver));
  CHECK(KSPSetType(solver, KSPCG));
  CHECK(KSPGetPC(solver, &jacobi));
  CHECK(PCSetType(jacobi, PCJACOBI));
  CHECK(KSPSetOperators(solver, matrix, matrix));
  CHECK(KSPSetNormType(solver, KSP_NORM_NATURAL));
  CHECK(KSPSetConvergenceTest(solver, KSPConvergedSkip, NULL, NULL));
  CHECK(KSPSetTolerances(solver, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, atoi(iterations)));
  CHECK(KSPSetUp(solver));
}

static void solve(void) {
  CHECK(KSPSolve(solver, in, out));
  if (ranks > 1) MPI_Barrier(PETSC_COMM_WORLD);
}

int main(int argc, char **argv) { return runPetsc(argc, argv, prepare, solve, NULL, NULL); }
