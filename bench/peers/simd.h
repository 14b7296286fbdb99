/*
 * Common to simd-csr.c and simd-sell.c: the vector operations, for AVX-512 and AVX2, f64 and f32, and the choice among several
 * loops by trial. LANES elements; a gather reads LANES 32-bit columns. first(n) … reads nothing beyond the first n lanes; the
 * others are 0.
 */
#include <immintrin.h>
#include <omp.h>

#if defined __AVX512F__ && defined __AVX512VL__ && defined __AVX512DQ__
#define ISA "AVX-512"
#define DOUBLES 8
#elif defined __AVX2__ && defined __FMA__
#define ISA "AVX2"
#define DOUBLES 4
#else
#error neither AVX-512 nor AVX2 on this CPU
#endif

#define LANES ((int)(DOUBLES * 8 / sizeof(real)))

typedef real vec __attribute__((vector_size(DOUBLES * 8), aligned(sizeof(real)), may_alias));

#if DOUBLES == 8

static inline vec gather64(const uint32_t *idx, const void *in) {
  return (vec)_mm512_i32gather_pd(_mm256_loadu_si256((const void *)idx), in, 8);
}
static inline vec gather32(const uint32_t *idx, const void *in) {
  return (vec)_mm512_i32gather_ps(_mm512_loadu_si512(idx), in, 4);
}
static inline vec first64(int n, const void *val, const uint32_t *idx, const void *in) {
  __mmask8 mask = (1 << n) - 1;
  __m512d gathered = _mm512_mask_i32gather_pd(_mm512_setzero_pd(), mask, _mm256_maskz_loadu_epi32(mask, idx), in, 8);
  return (vec)_mm512_mul_pd(_mm512_maskz_loadu_pd(mask, val), gathered);
}
static inline vec first32(int n, const void *val, const uint32_t *idx, const void *in) {
  __mmask16 mask = (1 << n) - 1;
  __m512 gathered = _mm512_mask_i32gather_ps(_mm512_setzero_ps(), mask, _mm512_maskz_loadu_epi32(mask, idx), in, 4);
  return (vec)_mm512_mul_ps(_mm512_maskz_loadu_ps(mask, val), gathered);
}

#else

static const int32_t MASKS[16] = {-1, -1, -1, -1, -1, -1, -1, -1};

static inline vec gather64(const uint32_t *idx, const void *in) {
  return (vec)_mm256_i32gather_pd(in, _mm_loadu_si128((const void *)idx), 8);
}
static inline vec gather32(const uint32_t *idx, const void *in) {
  return (vec)_mm256_i32gather_ps(in, _mm256_loadu_si256((const void *)idx), 4);
}
static inline vec first64(int n, const void *val, const uint32_t *idx, const void *in) {
  __m128i narrow = _mm_loadu_si128((const void *)(MASKS + 8 - n));
  __m256i mask = _mm256_cvtepi32_epi64(narrow);
  __m128i at = _mm_maskload_epi32((const int *)idx, narrow);
  __m256d gathered = _mm256_mask_i32gather_pd(_mm256_setzero_pd(), in, at, _mm256_castsi256_pd(mask), 8);
  return (vec)_mm256_mul_pd(_mm256_maskload_pd(val, mask), gathered);
}
static inline vec first32(int n, const void *val, const uint32_t *idx, const void *in) {
  __m256i mask = _mm256_loadu_si256((const void *)(MASKS + 8 - n));
  __m256i at = _mm256_maskload_epi32((const int *)idx, mask);
  __m256 gathered = _mm256_mask_i32gather_ps(_mm256_setzero_ps(), in, at, _mm256_castsi256_ps(mask), 4);
  return (vec)_mm256_mul_ps(_mm256_maskload_ps(val, mask), gathered);
}

#endif

static inline vec gather(const uint32_t *idx, const real *in) {
  return sizeof(real) == 8 ? gather64(idx, in) : gather32(idx, in);
}

/* The products of the first n < LANES entries. */
static inline vec first(int n, const real *val, const uint32_t *idx, const real *in) {
  return sizeof(real) == 8 ? first64(n, val, idx, in) : first32(n, val, idx, in);
}

static inline real sumOf(vec lanes) {
  real sum[LANES];
  *(vec *)sum = lanes;
  for (int half = LANES / 2; half > 0; half /= 2)
    for (int lane = 0; lane < half; lane++) sum[lane] += sum[lane + half];
  return sum[0];
}

struct loop {
  const char *name;
  void (*run)(uint32_t begin, uint32_t end);
};

/* Units of a thread: bounds[t] … bounds[t + 1]. */
static uint32_t *bounds;
static void (*chosen)(uint32_t begin, uint32_t end);
static char version[128];

static void multiply(void) {
  if (threads == 1) {
    chosen(bounds[0], bounds[1]);
    return;
  }
#pragma omp parallel num_threads(threads)
  {
    int t = omp_get_thread_num();
    chosen(bounds[t], bounds[t + 1]);
  }
}

enum { TRIALS = 4 };

/* The fastest of some loops on this matrix, by the minimum of a few products. */
static void choose(const struct loop *loops, int count) {
  const struct loop *best = loops;
  double least = 1e300;
  for (int l = 0; l < count; l++) {
    chosen = loops[l].run;
    for (int trial = 0; trial < TRIALS; trial++) {
      double start = nowNs();
      multiply();
      double ns = nowNs() - start;
      if (ns < least) least = ns, best = loops + l;
    }
  }
  chosen = best->run;
  snprintf(version, sizeof version, "%s, %s, gcc " __VERSION__, ISA, best->name);
}
