/*
 * librsb: rsb_spmm with COLUMNS vectors, row-major, on a matrix of recursive sparse blocks: Y <- A X. Column j of X is x + j; column 0 of Y
 * is the result. The protocol is that of peer.h.
 */
#include <rsb.h>
#include "peer.h"

static struct rsb_mtx_t *matrix;
static real *blockX, *blockY;
static const real one = 1, zero = 0;

static void check(rsb_err_t status) {
  char reason[256];
  if (status == RSB_ERR_NO_ERROR) return;
  rsb_strerror_r(status, reason, sizeof reason);
  fail(reason);
}

static void prepare(void) {
  rsb_type_t type = sizeof(real) == 8 ? RSB_NUMERICAL_TYPE_DOUBLE : RSB_NUMERICAL_TYPE_FLOAT;
  rsb_err_t status = RSB_ERR_NO_ERROR;
  check(rsb_lib_init(RSB_NULL_INIT_OPTIONS));
  matrix = rsb_mtx_alloc_from_csr_const(values, (const rsb_coo_idx_t *)rowPtr, (const rsb_coo_idx_t *)colIdx, nnz, type, rows,
                                        cols, RSB_DEFAULT_ROW_BLOCKING, RSB_DEFAULT_COL_BLOCKING, RSB_FLAG_NOFLAGS, &status);
  check(status);
  blockX = room((size_t)cols * COLUMNS * sizeof(real));
  blockY = room((size_t)rows * COLUMNS * sizeof(real));
  for (size_t k = 0; k < (size_t)cols * COLUMNS; k++) blockX[k] = x[k / COLUMNS] + k % COLUMNS;
  memset(blockY, 0, (size_t)rows * COLUMNS * sizeof(real));
}

static void multiply(void) {
  check(rsb_spmm(RSB_TRANSPOSITION_N, &one, matrix, COLUMNS, RSB_FLAG_WANT_ROW_MAJOR_ORDER, blockX, COLUMNS, &zero, blockY,
                 COLUMNS));
}

static void finish(void) {
  for (size_t i = 0; i < rows; i++) y[i] = blockY[i * COLUMNS];
}

int main(int argc, char **argv) {
  load(argc, argv);
  serve(&(struct peer){.version = RSB_HEADER_VERSION_STRING, .prepare = prepare, .multiply = multiply, .finish = finish});
  return 0;
}
