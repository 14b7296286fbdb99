/*
 * SLEPc: a "product" is a whole search for K eigenpairs of A x = λ B x, or for K singular triplets if TRIPLETS is set, by what PETSC_OPTIONS of the environment
 * name. WHICH is smallest or largest, MASS the file of B, if there is one; with TARGETED they are those nearest to SIGMA, by its inverse. y has K values (NaN for those
 * that are missing), then the vectors, one after the other; of triplets those of the left and of the right. One rank. With CLOCK=cpu times are those of the processor.
 */
#include <slepceps.h>
#include <slepcsvd.h>
#include "petsc.h"

static PetscInt wanted;
static int isLargest, isTriplets, count, isTargeted;
static double sigma;
static Mat mass;

static const char *given(const char *name) {
  const char *text = getenv(name);
  if (!text) fail(name);
  return text;
}

/* The matrix of a file as that of peer.h. */
static Mat readMatrix(const char *path) {
  Mat read;
  FILE *file = opened(path, "rb");
  uint32_t *size = take(file, 4, 3);
  PetscInt *ptr = take(file, 4, (size_t)size[0] + 1), *idx = take(file, 4, size[2]);
  real *numbers = takeReals(file, size[2]);
  fclose(file);
  CHECK(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, size[0], size[1], ptr, idx, numbers, &read));
  return read;
}

/* An error ends the program with its message alone. */
static PetscErrorCode tell(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code, PetscErrorType type,
                           const char *message, void *context) {
  fail(message);
  return code;
}

static void prepare(void) {
  CHECK(SlepcInitialize(NULL, NULL, NULL, NULL));
  CHECK(PetscPushErrorHandler(tell, NULL));
  CHECK(PetscLogDefaultBegin());
  prepareMatrix();
  wanted = atoi(given("K"));
  isLargest = !strcmp(given("WHICH"), "largest");
  isTriplets = getenv("TRIPLETS") != NULL;
  isTargeted = getenv("TARGETED") != NULL;
  sigma = atof(given("SIGMA"));
  if (getenv("MASS")) mass = readMatrix(getenv("MASS"));
  if (!isTriplets) CHECK(MatSetOption(matrix, MAT_SYMMETRIC, PETSC_TRUE));
  if (mass) CHECK(MatSetOption(mass, MAT_SYMMETRIC, PETSC_TRUE));
}

/* How often an event of PETSc's log has happened. */
static int happened(const char *name) {
  PetscLogEvent event;
  PetscEventPerfInfo info;
  CHECK(PetscLogEventGetId(name, &event));
  CHECK(PetscLogEventGetPerfInfo(0, event, &info));
  return info.count;
}

static void copy(Vec from, real *to, size_t length) {
  const PetscScalar *numbers;
  CHECK(VecGetArrayRead(from, &numbers));
  memcpy(to, numbers, length * sizeof *to);
  CHECK(VecRestoreArrayRead(from, &numbers));
}

static void pairs(void) {
  EPS solver;
  PetscInt found;
  CHECK(EPSCreate(PETSC_COMM_SELF, &solver));
  CHECK(EPSSetOperators(solver, matrix, mass));
  CHECK(EPSSetProblemType(solver, mass ? EPS_GHEP : EPS_HEP));
  CHECK(EPSSetDimensions(solver, wanted, PETSC_DEFAULT, PETSC_DEFAULT));
  CHECK(EPSSetInitialSpace(solver, 1, &in));
  CHECK(EPSSetWhichEigenpairs(solver, isTargeted ? EPS_TARGET_MAGNITUDE : isLargest ? EPS_LARGEST_REAL : EPS_SMALLEST_REAL));
  if (isTargeted) CHECK(EPSSetTarget(solver, sigma));
  CHECK(EPSSetFromOptions(solver));
  CHECK(EPSSolve(solver));
  CHECK(EPSGetConverged(solver, &found));
  for (PetscInt j = 0; j < wanted; j++) {
    y[j] = NAN;
    if (j >= found) continue;
    CHECK(EPSGetEigenpair(solver, j, &y[j], NULL, out, NULL));
    copy(out, y + wanted + (size_t)j * rows, rows);
  }
  CHECK(EPSDestroy(&solver));
}

static void triplets(void) {
  SVD solver;
  PetscInt found;
  CHECK(SVDCreate(PETSC_COMM_SELF, &solver));
  CHECK(SVDSetOperators(solver, matrix, NULL));
  CHECK(SVDSetDimensions(solver, wanted, PETSC_DEFAULT, PETSC_DEFAULT));
  CHECK(SVDSetWhichSingularTriplets(solver, isLargest ? SVD_LARGEST : SVD_SMALLEST));
  CHECK(SVDSetFromOptions(solver));
  CHECK(SVDSolve(solver));
  CHECK(SVDGetConverged(solver, &found));
  for (PetscInt j = 0; j < wanted; j++) {
    y[j] = NAN;
    if (j >= found) continue;
    CHECK(SVDGetSingularTriplet(solver, j, &y[j], out, in));
    copy(out, y + wanted + (size_t)j * rows, rows);
    copy(in, y + wanted + (size_t)wanted * rows + (size_t)j * cols, cols);
  }
  CHECK(SVDDestroy(&solver));
}

static void search(void) {
  int solves = happened("MatSolve"), products = happened("MatMult") + happened("MatMultTranspose");
  if (isTriplets) triplets();
  else pairs();
  solves = happened("MatSolve") - solves;
  products = happened("MatMult") + happened("MatMultTranspose") - products;
  count = isTargeted ? solves : products;
}

/* Nanoseconds of the processor. */
static double searchByCpu(int cold) {
  clock_t start = clock();
  search();
  return (clock() - start) * (1e9 / CLOCKS_PER_SEC);
}

static int counted(void) { return count; }

int main(int argc, char **argv) {
  load(argc, argv);
  size_t length = atoi(given("K")) * (1 + (size_t)rows + (getenv("TRIPLETS") ? cols : 0));
  free(y);
  y = room(length * sizeof *y);
  memset(y, 0, length * sizeof *y);
  struct peer slepc = {.version = "SLEPc " VERSION(SLEPC_VERSION_MAJOR, SLEPC_VERSION_MINOR, SLEPC_VERSION_SUBMINOR),
                       .prepare = prepare,
                       .multiply = search,
                       .count = counted,
                       .results = length};
  if (getenv("CLOCK") && !strcmp(getenv("CLOCK"), "cpu")) slepc.timed = searchByCpu;
  ranks = 1;
  serve(&slepc);
  CHECK(SlepcFinalize());
  return 0;
}
