/*
 * Common to the peers of librsb: the matrix in recursive sparse blocks.
 */
#include <rsb.h>
#include "peer.h"

static struct rsb_mtx_t *matrix;
static const real one = 1, zero = 0;
static const rsb_type_t type = sizeof(real) == 8 ? RSB_NUMERICAL_TYPE_DOUBLE : RSB_NUMERICAL_TYPE_FLOAT;

static void check(rsb_err_t status) {
  char reason[256];
  if (status == RSB_ERR_NO_ERROR) return;
  rsb_strerror_r(status, reason, sizeof reason);
  fail(reason);
}

static void convert(void) {
  rsb_err_t status = RSB_ERR_NO_ERROR;
  check(rsb_lib_init(RSB_NULL_INIT_OPTIONS));
  matrix = rsb_mtx_alloc_from_csr_const(values, (const rsb_coo_idx_t *)rowPtr, (const rsb_coo_idx_t *)colIdx, nnz, type, rows,
                                        cols, RSB_DEFAULT_ROW_BLOCKING, RSB_DEFAULT_COL_BLOCKING, RSB_FLAG_NOFLAGS, &status);
  check(status);
}
