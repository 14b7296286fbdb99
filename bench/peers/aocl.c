/*
 * AOCL-Sparse, AMD's library: aoclsparse_?mv of a matrix over the CSR arrays. The setup includes aoclsparse_optimize after the hint that
 * products follow: the library converts f64 to another of its formats where it expects a gain, and keeps f32 in CSR. One of these formats
 * has no parallel product, and the conversion does not consider the number of threads. So with several threads the setup also times the
 * product of the matrix without the hint, whose CSR has a parallel product, and keeps the faster matrix. The protocol is that of peer.h.
 *
 * AOCL-Sparse is not in Debian: docs/benchmarks.md says how to build it. The environment variable AOCL_SPARSE names the folder where it
 * is installed.
 */
#include <aoclsparse.h>
#include "peer.h"

#define CREATE_CSR _Generic((real)0, double: aoclsparse_create_dcsr, float: aoclsparse_create_scsr)
#define MV _Generic((real)0, double: aoclsparse_dmv, float: aoclsparse_smv)

/* Chosen: the library asks only whether products are expected. */
#define EXPECTED_PRODUCTS 1000
/* Chosen: the least time of so many products decides. */
#define TRIALS 5

static aoclsparse_matrix matrix;
static aoclsparse_mat_descr general;
static const real one = 1, zero = 0;

static void check(aoclsparse_status status) {
  char reason[64];
  if (status == aoclsparse_status_success) return;
  snprintf(reason, sizeof reason, "AOCL-Sparse: aoclsparse_status %d", (int)status);
  fail(reason);
}

static aoclsparse_matrix create(int hinted) {
  aoclsparse_matrix created;
  check(CREATE_CSR(&created, aoclsparse_index_base_zero, rows, cols, nnz, (aoclsparse_int *)rowPtr, (aoclsparse_int *)colIdx, values));
  if (!hinted) return created;
  check(aoclsparse_set_mv_hint(created, aoclsparse_operation_none, general, EXPECTED_PRODUCTS));
  check(aoclsparse_optimize(created));
  return created;
}

static void multiply(void) { check(MV(aoclsparse_operation_none, &one, matrix, general, x, &zero, y)); }

static double leastNs(aoclsparse_matrix tried) {
  double least = 0;
  matrix = tried;
  for (int k = 0; k < TRIALS; k++) {
    double start = nowNs();
    multiply();
    double time = nowNs() - start;
    if (k == 0 || time < least) least = time;
  }
  return least;
}

static void prepare(void) {
  check(aoclsparse_create_mat_descr(&general));
  matrix = create(1);
  if (threads == 1 || sizeof(real) == sizeof(float)) return;
  aoclsparse_matrix hinted = matrix, plain = create(0);
  int keepsHinted = leastNs(hinted) <= leastNs(plain);
  matrix = keepsHinted ? hinted : plain;
  check(aoclsparse_destroy(keepsHinted ? &plain : &hinted));
}

int main(int argc, char **argv) {
  load(argc, argv);
  /* The library takes this number, or OpenMP's if that is smaller; without it never more than there are processors. */
  setenv("AOCLSPARSE_NUM_THREADS", argv[3], 1);
  serve(&(struct peer){.version = aoclsparse_get_version(), .prepare = prepare, .multiply = multiply});
  return 0;
}
