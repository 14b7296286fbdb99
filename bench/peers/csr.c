/*
 * Plain C CSR, the peer that everybody knows: y <- A x, one loop per row, rows split among OpenMP threads by entries.
 * usage: csr MATRIX      (u32 rows, cols, nnz; u32 rowPtr[rows + 1]; u32 colIdx[nnz]; f64 values[nnz])
 * Each line "THREADS PRODUCTS" on stdin is answered by one line: the time of every product in nanoseconds, then y's checksum.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <omp.h>

static uint32_t rows, cols, nnz, *rowPtr, *colIdx;
static double *values, *x, *y;

static void *take(FILE *file, size_t size, size_t count) {
  void *data = aligned_alloc(64, (size * count + 63) / 64 * 64);
  if (!data || fread(data, size, count, file) != count) { fprintf(stderr, "csr: short file\n"); exit(1); }
  return data;
}

static void spmv(uint32_t begin, uint32_t end, const uint32_t *restrict ptr, const uint32_t *restrict idx,
                 const double *restrict val, const double *restrict in, double *restrict out) {
  for (uint32_t i = begin; i < end; i++) {
    double sum = 0;
    for (uint32_t k = ptr[i]; k < ptr[i + 1]; k++) sum += val[k] * in[idx[k]];
    out[i] = sum;
  }
}

/* First row whose entries start at or after a share of all entries. */
static uint32_t split(int part, int parts) {
  uint64_t target = (uint64_t)nnz * part / parts;
  uint32_t low = 0, high = rows;
  if (part == parts) return rows;
  while (low < high) { uint32_t mid = low + (high - low) / 2; if (rowPtr[mid] < target) low = mid + 1; else high = mid; }
  return low;
}

static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1e9 + t.tv_nsec; }

int main(int argc, char **argv) {
  FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (!file) { fprintf(stderr, "usage: csr MATRIX\n"); return 2; }
  uint32_t *size = take(file, 4, 3);
  rows = size[0], cols = size[1], nnz = size[2];
  rowPtr = take(file, 4, (size_t)rows + 1), colIdx = take(file, 4, nnz), values = take(file, 8, nnz);
  x = aligned_alloc(64, ((size_t)cols * 8 + 63) / 64 * 64 + 64), y = aligned_alloc(64, ((size_t)rows * 8 + 63) / 64 * 64 + 64);
  for (uint32_t j = 0; j < cols; j++) x[j] = 1.0 / (1 + j % 7);
  int threads, products;
  while (scanf("%d %d", &threads, &products) == 2) {
    for (int p = 0; p < products; p++) {
      double start = now();
      if (threads == 1) spmv(0, rows, rowPtr, colIdx, values, x, y);
      else {
        #pragma omp parallel num_threads(threads)
        { int t = omp_get_thread_num(); spmv(split(t, threads), split(t + 1, threads), rowPtr, colIdx, values, x, y); }
      }
      printf("%.0f ", now() - start);
    }
    double sum = 0;
    for (uint32_t i = 0; i < rows; i++) sum += y[i];
    printf("%.17g\n", sum);
    fflush(stdout);
  }
  return 0;
}
