/*
 * Plain C CSR, the best-known peer: y <- A x, one loop per row, rows split among OpenMP threads by entries. The
 * protocol is that of peer.h.
 */
#include <omp.h>
#include "peer.h"

static uint32_t *bounds;

static void spmv(uint32_t begin, uint32_t end, const uint32_t *restrict ptr, const uint32_t *restrict idx,
                 const real *restrict val, const real *restrict in, real *restrict out) {
  for (uint32_t i = begin; i < end; i++) {
    real sum = 0;
    for (uint32_t k = ptr[i]; k < ptr[i + 1]; k++) sum += val[k] * in[idx[k]];
    out[i] = sum;
  }
}

static void prepare(void) {
  bounds = room((threads + 1) * sizeof *bounds);
  for (int t = 0; t <= threads; t++) bounds[t] = split(t, threads);
}

static void multiply(void) {
  if (threads == 1) {
    spmv(0, rows, rowPtr, colIdx, values, x, y);
    return;
  }
#pragma omp parallel num_threads(threads)
  {
    int t = omp_get_thread_num();
    spmv(bounds[t], bounds[t + 1], rowPtr, colIdx, values, x, y);
  }
}

int main(int argc, char **argv) {
  load(argc, argv);
  serve(&(struct peer){.version = "gcc " __VERSION__, .prepare = prepare, .multiply = multiply});
  return 0;
}
