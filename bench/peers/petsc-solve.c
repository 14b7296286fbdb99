/*
 * PETSc: KSP. A "product" is a whole solve of A y = x from y = 0: the set-up of the solver and of its preconditioner, which
 * PETSC_OPTIONS of the environment name, and the iterations. It stops by the norm of the residual itself, not of the
 * preconditioned one, where the method has it. BLOCK and NEAR_NULL_SPACE of the environment are those of peer.h.
 */
#include "petsc.h"

static int iterations;
static double setupNs;

/* Multigrid by aggregation wants orthonormal vectors. */
static void attachNearNullSpace(void) {
  enum { MOST = 16 };
  uint32_t count;
  PetscInt begin, end;
  real *given = nearNullSpace(&count);
  Vec vectors[MOST];
  PetscScalar dots[MOST];
  MatNullSpace space;
  if (!given) return;
  if (count > MOST) fail("NEAR_NULL_SPACE: expected at most 16 vectors");
  CHECK(VecGetOwnershipRange(in, &begin, &end));
  for (uint32_t v = 0; v < count; v++) {
    PetscScalar *local;
    CHECK(VecDuplicate(in, &vectors[v]));
    CHECK(VecGetArrayWrite(vectors[v], &local));
    memcpy(local, given + (size_t)v * rows + begin, (end - begin) * sizeof *local);
    CHECK(VecRestoreArrayWrite(vectors[v], &local));
    CHECK(VecMDot(vectors[v], v, vectors, dots));
    for (uint32_t w = 0; w < v; w++) dots[w] = -dots[w];
    CHECK(VecMAXPY(vectors[v], v, dots, vectors));
    CHECK(VecNormalize(vectors[v], NULL));
  }
  CHECK(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_FALSE, count, vectors, &space));
  CHECK(MatSetNearNullSpace(matrix, space));
  CHECK(MatNullSpaceDestroy(&space));
  for (uint32_t v = 0; v < count; v++) CHECK(VecDestroy(&vectors[v]));
  free(given);
}

static void prepare(void) {
  prepareMatrix();
  attachNearNullSpace();
}

static void solve(void) {
  KSP solver;
  PetscInt steps;
  PetscBool isGmres;
  double start = nowNs();
  CHECK(KSPCreate(PETSC_COMM_WORLD, &solver));
  CHECK(KSPSetOperators(solver, matrix, matrix));
  CHECK(KSPSetFromOptions(solver));
  CHECK(PetscObjectTypeCompare((PetscObject)solver, KSPGMRES, &isGmres));
  if (isGmres) CHECK(KSPSetPCSide(solver, PC_RIGHT));
  CHECK(KSPSetNormType(solver, KSP_NORM_UNPRECONDITIONED));
  CHECK(KSPSetUp(solver));
  CHECK(KSPSetUpOnBlocks(solver));
  setupNs = nowNs() - start;
  CHECK(KSPSolve(solver, in, out));
  CHECK(KSPGetIterationNumber(solver, &steps));
  CHECK(KSPDestroy(&solver));
  iterations = (int)steps;
  if (ranks > 1) MPI_Barrier(PETSC_COMM_WORLD);
}

static int count(void) { return iterations; }

static double setup(void) { return setupNs; }

int main(int argc, char **argv) { return runPetsc(argc, argv, prepare, solve, count, setup); }
