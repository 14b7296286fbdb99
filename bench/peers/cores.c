/*
 * Plain C CSR as in csr.c, for machines with many cores: every thread copies its own rows, and its share of the buffer that
 * `read` reads, into memory that it touches first, so that the pages lie on its NUMA node. READ_BYTES of the environment: the size of that buffer.
 */
#include <omp.h>
#include "peer.h"

static uint32_t *bounds;
static uint64_t *buffer, words, sum;

static void spmv(uint32_t begin, uint32_t end, const uint32_t *restrict ptr, const uint32_t *restrict idx,
                 const real *restrict val, const real *restrict in, real *restrict out) {
  for (uint32_t i = begin; i < end; i++) {
    real total = 0;
    for (uint32_t k = ptr[i]; k < ptr[i + 1]; k++) total += val[k] * in[idx[k]];
    out[i] = total;
  }
}

static void copyShares(void *to, const void *from, size_t size, const uint32_t *starts) {
#pragma omp parallel num_threads(threads)
  {
    size_t begin = size * starts[omp_get_thread_num()], end = size * starts[omp_get_thread_num() + 1];
    memcpy((char *)to + begin, (const char *)from + begin, end - begin);
  }
}

static void prepareBuffer(void) {
  const char *bytes = getenv("READ_BYTES");
  words = bytes ? strtoull(bytes, NULL, 10) / sizeof *buffer : 0;
  buffer = (uint64_t *)room(words * sizeof *buffer);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (uint64_t k = 0; k < words; k++) buffer[k] = k;
}

static void prepare(void) {
  uint32_t *starts = (uint32_t *)room((threads + 1) * sizeof *starts), *oldIdx = colIdx;
  real *oldValues = values;
  bounds = (uint32_t *)room((threads + 1) * sizeof *bounds);
  for (int t = 0; t <= threads; t++) {
    bounds[t] = split(t, threads);
    starts[t] = rowPtr[bounds[t]];
  }
  colIdx = (uint32_t *)room((size_t)nnz * sizeof *colIdx);
  values = (real *)room((size_t)nnz * sizeof *values);
  copyShares(colIdx, oldIdx, sizeof *colIdx, starts);
  copyShares(values, oldValues, sizeof *values, starts);
  free(oldIdx), free(oldValues), free(starts);
  prepareBuffer();
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

static void readBuffer(void) {
  uint64_t total = 0;
#pragma omp parallel for schedule(static) reduction(+ : total) num_threads(threads)
  for (uint64_t k = 0; k < words; k++) total += buffer[k];
  sum += total;
}

int main(int argc, char **argv) {
  load(argc, argv);
  serve(&(struct peer){
      .version = "gcc " __VERSION__, .prepare = prepare, .multiply = multiply, .read = readBuffer});
  /* The sums are used. */
  return sum == 1;
}
