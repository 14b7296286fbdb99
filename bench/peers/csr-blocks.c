/*
 * C CSR times a block of COLUMNS vectors, row-major, COLUMNS a constant of the compiler: Y <- A X. A row is computed by tiles of up to eight vectors
 * of columns, whose sums stay in registers. They have gcc's vector types, as wide as the processor's and as divide COLUMNS: of a plain loop over an array
 * of sums gcc 12 keeps 64 of them in memory, and does not vectorize 4 or 8 of float. Column j of X is x + j; column 0 of Y is the result. The protocol
 * is that of peer.h.
 */
#include <omp.h>
#include "peer.h"

#if defined(__AVX512F__)
#define REGISTER 64
#elif defined(__AVX__)
#define REGISTER 32
#else
#define REGISTER 16
#endif

#define DIVISOR (COLUMNS & -COLUMNS)
#define WIDEST (REGISTER / (int)sizeof(real))
#define LANES (DIVISOR < WIDEST ? DIVISOR : WIDEST)
#define VECTORS (COLUMNS / LANES)
#define AT_ONCE 8

typedef real vector __attribute__((vector_size(LANES * sizeof(real)), aligned(sizeof(real))));

static uint32_t *bounds;
static real *blockX, *blockY;

/* `count`: vectors of the tile, a constant where this is inlined. */
static inline __attribute__((always_inline)) void tile(int count, uint32_t begin, uint32_t end, const uint32_t *restrict idx,
                                                       const real *restrict val, const real *restrict in,
                                                       real *restrict out) {
  vector sum[AT_ONCE] = {0};
  for (uint32_t k = begin; k < end; k++) {
    const vector *row = (const vector *)(in + (size_t)idx[k] * COLUMNS);
#pragma GCC unroll 8
    for (int j = 0; j < count; j++) sum[j] += val[k] * row[j];
  }
#pragma GCC unroll 8
  for (int j = 0; j < count; j++) ((vector *)out)[j] = sum[j];
}

static void spmm(uint32_t begin, uint32_t end, const uint32_t *restrict ptr, const uint32_t *restrict idx,
                 const real *restrict val, const real *restrict in, real *restrict out) {
  for (uint32_t i = begin; i < end; i++) {
    int first = 0;
    for (; first + AT_ONCE * LANES <= COLUMNS; first += AT_ONCE * LANES)
      tile(AT_ONCE, ptr[i], ptr[i + 1], idx, val, in + first, out + (size_t)i * COLUMNS + first);
    if (VECTORS % AT_ONCE > 0)
      tile(VECTORS % AT_ONCE, ptr[i], ptr[i + 1], idx, val, in + first, out + (size_t)i * COLUMNS + first);
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
