/*
 * AOCL-Sparse, AMD's library: aoclsparse_?mv of a matrix over the CSR arrays. The setup includes aoclsparse_optimize after the hint that
 * products follow: the library converts f64 to another of its formats where it expects a gain, and keeps f32 in CSR. The protocol is
 * that of peer.h.
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

static aoclsparse_matrix matrix;
static aoclsparse_mat_descr general;
static const real one = 1, zero = 0;

static void check(aoclsparse_status status) {
  char reason[64];
  if (status == aoclsparse_status_success) return;
  snprintf(reason, sizeof reason, "AOCL-Sparse: aoclsparse_status %d", (int)status);
  fail(reason);
}

static void prepare(void) {
  check(CREATE_CSR(&matrix, aoclsparse_index_base_zero, rows, cols, nnz, (aoclsparse_int *)rowPtr, (aoclsparse_int *)colIdx,
                   values));
  check(aoclsparse_create_mat_descr(&general));
  check(aoclsparse_set_mv_hint(matrix, aoclsparse_operation_none, general, EXPECTED_PRODUCTS));
  check(aoclsparse_optimize(matrix));
}

static void multiply(void) { check(MV(aoclsparse_operation_none, &one, matrix, general, x, &zero, y)); }

int main(int argc, char **argv) {
  load(argc, argv);
  /* The library takes this number, or OpenMP's if that is smaller; without it never more than there are processors. */
  setenv("AOCLSPARSE_NUM_THREADS", argv[3], 1);
  serve(&(struct peer){.version = aoclsparse_get_version(), .prepare = prepare, .multiply = multiply});
  return 0;
}
