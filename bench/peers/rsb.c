/*
 * librsb: rsb_spmv on a matrix of recursive sparse blocks. With RSB_TUNE in the environment, its tuner first searches for better
 * blocks and threads, as a part of the setup. The protocol is that of peer.h.
 */
#include "rsb-matrix.h"

static void prepare(void) {
  convert();
  if (getenv("RSB_TUNE"))
    check(rsb_tune_spmm(&matrix, NULL, NULL, 0, 0, RSB_TRANSPOSITION_N, &one, NULL, 1, RSB_FLAG_WANT_COLUMN_MAJOR_ORDER, x, cols,
                        &zero, y, rows));
}

static void multiply(void) { check(rsb_spmv(RSB_TRANSPOSITION_N, &one, matrix, x, 1, &zero, y, 1)); }

/* Of a square matrix. */
static void multiplyTransposed(void) { check(rsb_spmv(RSB_TRANSPOSITION_T, &one, matrix, x, 1, &zero, y, 1)); }

static void transpose(void) {
  struct rsb_mtx_t *transposed = NULL;
  check(rsb_mtx_clone(&transposed, type, RSB_TRANSPOSITION_T, NULL, matrix, RSB_FLAG_IDENTICAL_FLAGS));
  rsb_mtx_free(transposed);
}

int main(int argc, char **argv) {
  void (*const verbs[])(void) = {multiply, multiplyTransposed, transpose};
  load(argc, argv);
  serve(&(struct peer){.version = RSB_HEADER_VERSION_STRING, .prepare = prepare, .multiply = verbs[verb(TRANSPOSE)]});
  return 0;
}
