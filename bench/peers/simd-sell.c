/*
 * SELL-C-sigma with hand-written SIMD (Kreutzer et al. 2014): the limit on this CPU, not an existing library. C = the lanes of a
 * vector of AVX-512 or AVX2, rows sorted by length within SCOPE rows; refused if padding is excessive. The faster of two loops,
 * by trial on the matrix: gathers, or vectors of 128 bits filled by loads of single elements. The protocol is that of peer.h, and
 * the trial a part of the setup.
 */
#include "peer.h"
#include "simd.h"

#define SCOPE 1024
#define MOST_FILL_IN 4
/* A tiny matrix may consist mostly of padding. */
#define SLACK 65536

/* chunkPtr in entries; order[place] = row, or `rows` if there is none. */
static uint32_t chunks, *chunkPtr, *cols32, *order;
static real *padded;

static uint32_t lengthOf(uint32_t row) { return row < rows ? rowPtr[row + 1] - rowPtr[row] : 0; }

/* Longest first; rows of equal length keep their order, so that y is written in order. */
static int byLength(const void *a, const void *b) {
  uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
  if (lengthOf(p) != lengthOf(q)) return lengthOf(p) < lengthOf(q) ? 1 : -1;
  return p < q ? -1 : p > q;
}

static void placeRows(void) {
  uint64_t stored = 0;
  chunks = (rows + LANES - 1) / LANES;
  order = room((size_t)chunks * LANES * 4), chunkPtr = room(((size_t)chunks + 1) * 4);
  for (uint32_t place = 0; place < chunks * LANES; place++) order[place] = place < rows ? place : rows;
  for (uint32_t begin = 0; begin < rows; begin += SCOPE)
    qsort(order + begin, rows - begin < SCOPE ? rows - begin : SCOPE, sizeof *order, byLength);
  for (uint32_t c = 0; c < chunks; c++) {
    chunkPtr[c] = (uint32_t)stored;
    stored += (uint64_t)lengthOf(order[c * LANES]) * LANES;
    if (stored > UINT32_MAX || stored > (uint64_t)MOST_FILL_IN * nnz + SLACK) fail("fill-in: more than four times the entries");
  }
  chunkPtr[chunks] = (uint32_t)stored;
}

/* Padding is 0 times the last element of x that the row uses, which is in a cache. */
static void fillRow(uint32_t row, uint32_t at, uint32_t width) {
  for (uint32_t k = 0, column = 0; k < width; k++) {
    int there = k < lengthOf(row);
    if (there) column = colIdx[rowPtr[row] + k];
    cols32[at + k * LANES] = column;
    padded[at + k * LANES] = there ? values[rowPtr[row] + k] : 0;
  }
}

static void shareChunks(void) {
  bounds = room((threads + 1) * sizeof *bounds);
  bounds[0] = 0;
  for (int t = 1; t <= threads; t++) {
    uint64_t target = (uint64_t)chunkPtr[chunks] * t / threads;
    bounds[t] = bounds[t - 1];
    while (bounds[t] < chunks && (t == threads || chunkPtr[bounds[t]] < target)) bounds[t]++;
  }
}

static void storeRows(uint32_t chunk, const real *sums) {
  for (int lane = 0; lane < LANES; lane++) {
    uint32_t row = order[chunk * LANES + lane];
    if (row < rows) y[row] = sums[lane];
  }
}

static void gathered(uint32_t begin, uint32_t end) {
  for (uint32_t c = begin; c < end; c++) {
    vec sum = {0};
    for (uint32_t k = chunkPtr[c]; k < chunkPtr[c + 1]; k += LANES)
      sum += *(const vec *)(padded + k) * gather(cols32 + k, x);
    storeRows(c, (const real *)&sum);
  }
}

typedef real part __attribute__((vector_size(16), aligned(sizeof(real)), may_alias));

#define PART ((int)(16 / sizeof(real)))
#define PARTS (LANES / PART)

static inline part loaded(const uint32_t *idx) {
  part lanes;
  for (int lane = 0; lane < PART; lane++) lanes[lane] = x[idx[lane]];
  return lanes;
}

static void narrow(uint32_t begin, uint32_t end) {
  for (uint32_t c = begin; c < end; c++) {
    part sums[PARTS] = {0};
    for (uint32_t k = chunkPtr[c]; k < chunkPtr[c + 1]; k += LANES)
      for (int p = 0; p < PARTS; p++) sums[p] += *(const part *)(padded + k + p * PART) * loaded(cols32 + k + p * PART);
    storeRows(c, (const real *)sums);
  }
}

static void prepare(void) {
  const struct loop loops[] = {{"128-bit loads", narrow}, {"gathers", gathered}};
  placeRows();
  cols32 = room((size_t)chunkPtr[chunks] * 4), padded = room((size_t)chunkPtr[chunks] * sizeof(real));
  for (uint32_t c = 0; c < chunks; c++)
    for (int lane = 0; lane < LANES; lane++)
      fillRow(order[c * LANES + lane], chunkPtr[c] + lane, (chunkPtr[c + 1] - chunkPtr[c]) / LANES);
  shareChunks();
  choose(loops, 2);
}

int main(int argc, char **argv) {
  load(argc, argv);
  serve(&(struct peer){.version = version, .prepare = prepare, .multiply = multiply});
  return 0;
}
