/*
 * Plain C CSR times a block of COLUMNS vectors, row-major, COLUMNS a constant of the compiler: Y <- A X. Column j of X is
 * x + j; column 0 of Y is the result. The protocol is that of peer.h.
 */
#include <omp.h>
#include "peer.h"

static uint32_t *bounds;
static real *blockX, *blockY;

static void spmm(uint32_t begin, uint32_t end, const uint32_t *restrict ptr, const uint32_t *restrict idx,
                 const real *restrict val, const real *restrict in, real *restrict out) {
  for (uint32_t i = begin; i < end; i++) {
    real sum[COLUMNS] = {0};
    for (uint32_t k = ptr[i]; k < ptr[i + 1]; k++) {
      const real *row = in + (size_t)idx[k] * COLUMNS;
      for (int j = 0; j < COLUMNS; j++) sum[j] += val[k] * row[j];
    }
    for (int j = 0; j < COLUMNS; j++) out[(size_t)i * COLUMNS + j] = sum[j];
  }
}

static void prepare(void) {
  bounds = room((threads + 1) * sizeof *bounds);
  for (int t = 0; t <= threads; t++) bounds[t] = split(t, threads);
  blockX = room((size_t)cols * COLUMNS * sizeof(real));
  blockY = room((size_t)rows * COLUMNS * sizeof(real));
  for (size_t k = 0; k < (size_t)cols * COLUMNS; k++) blockX[k] = x[k / COLUMNS] + k % COLUMNS;
  memset(blockY, 0, (size_t)rows * COLUMNS * sizeof(real));
}

static void multiply(void) {
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    int t = omp_get_thread_num();
    spmm(bounds[t], bounds[t + 1], rowPtr, colIdx, values, blockX, blockY);
  }
}

static void finish(void) {
  for (size_t i = 0; i < rows; i++) y[i] = blockY[i * COLUMNS];
}

int main(int argc, char **argv) {
  load(argc, argv);
  serve(&(struct peer){.version = "gcc " __VERSION__, .prepare = prepare, .multiply = multiply, .finish = finish});
  return 0;
}
