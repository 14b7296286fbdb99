/*
 * librsb: rsb_spmm with COLUMNS vectors, row-major, on a matrix of recursive sparse blocks: Y <- A X. Column j of X is x + j; column 0 of Y
 * is the result. The protocol is that of peer.h.
 */
#include "rsb-matrix.h"

static real *blockX, *blockY;

static void prepare(void) {
  convert();
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
