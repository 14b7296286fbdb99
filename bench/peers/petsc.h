/*
 * Common to the peers of PETSc: the matrix as AIJ on as many MPI ranks as there are threads (PETSc has none), rows split
 * evenly by PETSC_DECIDE, and the vectors. Rank 0 speaks the protocol of peer.h; between its lines the other ranks sleep,
 * so they take no time from other contenders. The timed part begins and ends when all ranks do.
 */
#include <petscksp.h>
#include <unistd.h>
#include "peer.h"

#define TEXT(value) #value
#define VERSION(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)
#define CHECK(call) PetscCallAbort(PETSC_COMM_WORLD, call)

enum { IDLE_US = 2000 };

static Mat matrix;
/* The vector of the file, and the result. */
static Vec in, out;
static int rank, ranks;

/* Commands of rank 0 to the others: products, each with cold caches or not; or, all zero, their parts of y; or the end. */
struct order { int products, cold, end; };

static struct order pass(struct order order) {
  MPI_Request request;
  int there = 0;
  MPI_Ibcast(&order, sizeof order / sizeof(int), MPI_INT, 0, PETSC_COMM_WORLD, &request);
  while (MPI_Test(&request, &there, MPI_STATUS_IGNORE), !there)
    if (rank > 0) usleep(IDLE_US);
  MPI_Barrier(PETSC_COMM_WORLD);
  return order;
}

/* This rank's share of the unknowns; a node has all of its own on one rank. */
static PetscInt ownUnknowns(uint32_t unknowns, int block) {
  PetscInt own = PETSC_DECIDE, nodes = unknowns / block;
  CHECK(PetscSplitOwnership(PETSC_COMM_WORLD, &own, &nodes));
  return own * block;
}

static void prepareMatrix(void) {
  const int block = unknownsOfNode();
  PetscInt localRows = ownUnknowns(rows, block), localCols = ownUnknowns(cols, block), allRows = rows, allCols = cols, end, begin;
  PetscScalar *local;
  MPI_Scan(&localRows, &end, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD);
  begin = end - localRows;
  PetscInt *ptr = room(((size_t)localRows + 1) * sizeof *ptr), *idx = (PetscInt *)colIdx + rowPtr[begin];
  for (PetscInt i = 0; i <= localRows; i++) ptr[i] = rowPtr[begin + i] - rowPtr[begin];
  CHECK(MatCreate(PETSC_COMM_WORLD, &matrix));
  CHECK(MatSetSizes(matrix, localRows, localCols, allRows, allCols));
  CHECK(MatSetType(matrix, MATAIJ));
  if (block > 1) CHECK(MatSetBlockSize(matrix, block));
  CHECK(MatSeqAIJSetPreallocationCSR(matrix, ptr, idx, values + rowPtr[begin]));
  CHECK(MatMPIAIJSetPreallocationCSR(matrix, ptr, idx, values + rowPtr[begin]));
  CHECK(MatCreateVecs(matrix, &in, &out));
  CHECK(VecGetOwnershipRange(in, &begin, &end));
  CHECK(VecGetArrayWrite(in, &local));
  for (PetscInt j = begin; j < end; j++) local[j - begin] = x[j];
  CHECK(VecRestoreArrayWrite(in, &local));
  free(ptr);
}

static void begin(int products, int cold) { pass((struct order){products, cold, 0}); }

static void evictTogether(void) {
  evict();
  MPI_Barrier(PETSC_COMM_WORLD);
}

/* Collects the parts of all ranks in y of rank 0. */
static void gather(void) {
  const PetscScalar *local;
  const PetscInt *ranges;
  int *counts = room(ranks * sizeof *counts), *starts = room(ranks * sizeof *starts);
  CHECK(VecGetOwnershipRanges(out, &ranges));
  for (int r = 0; r < ranks; r++) starts[r] = ranges[r], counts[r] = ranges[r + 1] - ranges[r];
  CHECK(VecGetArrayRead(out, &local));
  MPI_Gatherv(local, counts[rank], MPIU_SCALAR, y, counts, starts, MPIU_SCALAR, 0, PETSC_COMM_WORLD);
  CHECK(VecRestoreArrayRead(out, &local));
  free(counts), free(starts);
}

static void finish(void) {
  pass((struct order){0, 0, 0});
  gather();
}

static void follow(void (*multiply)(void)) {
  for (struct order order; order = pass((struct order){0, 0, 0}), !order.end;) {
    if (order.products == 0) gather();
    for (int p = 0; p < order.products; p++) {
      if (order.cold) evictTogether();
      multiply();
    }
  }
}

/* The program: `multiply` is the timed part, and ends with a barrier if there are several ranks; `count` and `setup` may be NULL. */
static int runPetsc(int argc, char **argv, void (*prepare)(void), void (*multiply)(void), int (*count)(void), double (*setup)(void)) {
  load(argc, argv);
  CHECK(PetscInitialize(NULL, NULL, NULL, NULL));
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  struct peer petsc = {.version = "PETSc " VERSION(PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR),
                       .prepare = prepare,
                       .multiply = multiply,
                       .finish = finish,
                       .begin = begin,
                       .evict = evictTogether,
                       .count = count,
                       .setup = setup};
  if (rank == 0) {
    serve(&petsc);
    pass((struct order){0, 0, 1});
  } else {
    prepare();
    follow(multiply);
  }
  CHECK(PetscFinalize());
  return 0;
}
