/*
 * PETSc: KSP. A "product" is a whole solve of A y = x from y = 0: the set-up of the solver and of its preconditioner, which
 * PETSC_OPTIONS of the environment name, and the iterations. It stops by the norm of the residual itself, not of the
 * preconditioned one, where the method has it.
 */
#include "petsc.h"

static int iterations;

static void prepare(void) { prepareMatrix(); }

static void solve(void) {
  KSP solver;
  PetscInt steps;
  PetscBool isGmres;
  CHECK(KSPCreate(PETSC_COMM_WORLD, &solver));
  CHECK(KSPSetOperators(solver, matrix, matrix));
  CHECK(KSPSetFromOptions(solver));
  CHECK(PetscObjectTypeCompare((PetscObject)solver, KSPGMRES, &isGmres));
  if (isGmres) CHECK(KSPSetPCSide(solver, PC_RIGHT));
  CHECK(KSPSetNormType(solver, KSP_NORM_UNPRECONDITIONED));
  CHECK(KSPSolve(solver, in, out));
  CHECK(KSPGetIterationNumber(solver, &steps));
  CHECK(KSPDestroy(&solver));
  iterations = (int)steps;
  if (ranks > 1) MPI_Barrier(PETSC_COMM_WORLD);
}

static int count(void) { return iterations; }

int main(int argc, char **argv) { return runPetsc(argc, argv, prepare, solve, count); }
