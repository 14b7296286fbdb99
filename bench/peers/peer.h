/*
 * Common to the native peers: the file of the matrix, the protocol, the clock, the eviction of caches. For C and C++,
 * compiled with -DREAL=double or -DREAL=float.
 *
 * usage: PEER MATRIX X THREADS
 *   MATRIX  u32 rows, cols, nnz; u32 rowPtr[rows + 1]; u32 colIdx[nnz]; f64 values[nnz]
 *   X       f64 x[cols]
 * When ready it prints one line of JSON, { "setupMs": …, "version": … }; then it answers lines on stdin:
 *   time N        runs N products: their times in nanoseconds, on one line
 *   cold N        the same, with the caches full of other data before each
 *   read N        the same of reads of a buffer, by a peer that measures the bandwidth of memory
 *   count         the number of iterations of the latest product, by a peer whose products are solves
 *   setup         the nanoseconds of the latest product that went to its set-up, by such a peer
 *   again WHAT    prepares another product, by a peer that has several, and prints a line of JSON as when ready
 *   product FILE  runs one product, writes y (REAL, rows of them) to FILE, prints "done"
 *   result FILE   writes y of the latest product, by a peer whose results are not rows numbers
 * Errors are printed on stderr, with exit status 1.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef REAL real;

/* Not every peer needs all of these. */
struct peer {
  const char *version;
  /* Converts the arrays below to the library's own; reported as setupMs. */
  void (*prepare)(void);
  /* The timed part: the library's multiply call. */
  void (*multiply)(void);
  /* Reads a buffer; NULL if the peer has none. */
  void (*read)(void);
  /* Copies the library's result to y; not timed. NULL if it is already there. */
  void (*finish)(void);
  /* Called before the products of a line; may be NULL. */
  void (*begin)(int products, int cold);
  /* Replaces evict(). */
  void (*evict)(void);
  /* Replaces evict(), multiply() and the clock around it: returns nanoseconds of a product by another clock. */
  double (*timed)(int cold);
  /* Forgets what was prepared; prepare() then prepares another product. */
  void (*another)(const char *what);
  /* The iterations of the latest product, if it is a solve. */
  int (*count)(void);
  /* The nanoseconds of the latest product that went to its set-up, if it is a solve. */
  double (*setup)(void);
  /* The numbers in y, if they are not as many as rows. */
  size_t results;
};

static uint32_t rows, cols, nnz, *rowPtr, *colIdx;
static real *values, *x, *y;
static int threads;

static void fail(const char *reason) {
  fprintf(stderr, "%s\n", reason);
  exit(1);
}

/*
 * What is timed, by PEER_VERB in the environment: a product with A, one with its transpose, the transposition, A A, or A A and the product
 * of a vector with it.
 */
enum verb { PRODUCT, TRANSPOSED, TRANSPOSE, SQUARE, SQUARED };

/* `last`: the last one that the peer knows. */
static inline enum verb verb(enum verb last) {
  const char *name = getenv("PEER_VERB");
  const char *const names[] = {"product", "transposed", "transpose", "square", "squared"};
  if (!name) return PRODUCT;
  for (int v = PRODUCT; v <= last; v++)
    if (!strcmp(name, names[v])) return (enum verb)v;
  fail("PEER_VERB: not a verb of this peer");
  return PRODUCT;
}

/* Unknowns of a node, which follow each other: BLOCK of the environment, or 1. */
static inline int unknownsOfNode(void) {
  const char *block = getenv("BLOCK");
  return block ? atoi(block) : 1;
}

/* Aligned to a cache line; never NULL, even for 0 bytes. */
static void *room(size_t bytes) {
  void *data = aligned_alloc(64, bytes / 64 * 64 + 64);
  if (!data) fail("out of memory");
  return data;
}

static void *take(FILE *file, size_t size, size_t count) {
  void *data = room(size * count);
  if (fread(data, size, count, file) != count) fail("the file ends too early");
  return data;
}

static real *takeReals(FILE *file, size_t count) {
  double *given = (double *)take(file, sizeof(double), count);
  real *data;
  if (sizeof(real) == sizeof(double)) return (real *)given;
  data = (real *)room(count * sizeof(real));
  for (size_t k = 0; k < count; k++) data[k] = (real)given[k];
  free(given);
  return data;
}

static FILE *opened(const char *path, const char *mode) {
  FILE *file = fopen(path, mode);
  if (!file) fail(path);
  return file;
}

static void load(int argc, char **argv) {
  if (argc != 4) fail("usage: PEER MATRIX X THREADS");
  FILE *file = opened(argv[1], "rb");
  uint32_t *size = (uint32_t *)take(file, 4, 3);
  rows = size[0], cols = size[1], nnz = size[2];
  rowPtr = (uint32_t *)take(file, 4, (size_t)rows + 1);
  colIdx = (uint32_t *)take(file, 4, nnz);
  values = takeReals(file, nnz);
  fclose(file);
  file = opened(argv[2], "rb");
  x = takeReals(file, cols);
  fclose(file);
  y = (real *)room(rows * sizeof(real));
  memset(y, 0, rows * sizeof(real));
  threads = atoi(argv[3]);
}

/*
 * Vectors that A maps to almost 0, one after the other, each with `rows` numbers; their number is stored in *count. NEAR_NULL_SPACE of the
 * environment is a file: u32 count; f64 vectors[count][rows]. Without it NULL, and no vector.
 */
static inline real *nearNullSpace(uint32_t *count) {
  const char *path = getenv("NEAR_NULL_SPACE");
  *count = 0;
  if (!path) return NULL;
  FILE *file = opened(path, "rb");
  uint32_t *number = (uint32_t *)take(file, 4, 1);
  *count = number[0];
  free(number);
  real *vectors = takeReals(file, (size_t)*count * rows);
  fclose(file);
  return vectors;
}

static double nowNs(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

/* More than one core can fill of the last cache of any CPU of today. */
#define EVICTING_WORDS ((size_t)1 << 25)

/* Every thread reads its share of 256 MiB; reading leaves no dirty lines. */
static void evict(void) {
  static uint64_t *words, sum;
  uint64_t total = 0;
  if (!words) {
    words = (uint64_t *)room(EVICTING_WORDS * 8);
    for (size_t k = 0; k < EVICTING_WORDS; k++) words[k] = k;
  }
#pragma omp parallel for reduction(+ : total) num_threads(threads)
  for (size_t k = 0; k < EVICTING_WORDS; k += 8) total += words[k];
  sum += total;
}

static void timeProducts(const struct peer *peer, int products, int cold) {
  if (peer->begin) peer->begin(products, cold);
  for (int p = 0; p < products; p++) {
    if (peer->timed) {
      printf("%.0f ", peer->timed(cold));
      continue;
    }
    if (cold) (peer->evict ? peer->evict : evict)();
    double start = nowNs();
    peer->multiply();
    printf("%.0f ", nowNs() - start);
  }
  printf("\n");
}

static void timeReads(const struct peer *peer, int reads) {
  if (!peer->read) fail("this peer reads nothing");
  for (int r = 0; r < reads; r++) {
    double start = nowNs();
    peer->read();
    printf("%.0f ", nowNs() - start);
  }
  printf("\n");
}

static void writeResult(const struct peer *peer, const char *path) {
  const size_t length = peer->results ? peer->results : rows;
  FILE *file = opened(path, "wb");
  if (fwrite(y, sizeof(real), length, file) != length || fclose(file)) fail("y cannot be written");
  printf("done\n");
}

static void writeProduct(const struct peer *peer, const char *path) {
  if (peer->begin) peer->begin(1, 0);
  peer->multiply();
  if (peer->finish) peer->finish();
  writeResult(peer, path);
}

static void getReady(const struct peer *peer) {
  double start = nowNs();
  peer->prepare();
  printf("{ \"setupMs\": %.3f, \"version\": \"%s\" }\n", (nowNs() - start) / 1e6, peer->version);
  fflush(stdout);
}

/* Requires load(). */
static void serve(const struct peer *peer) {
  char line[4096];
  getReady(peer);
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    if (!strncmp(line, "time ", 5) || !strncmp(line, "cold ", 5)) timeProducts(peer, atoi(line + 5), line[0] == 'c');
    else if (!strncmp(line, "read ", 5)) timeReads(peer, atoi(line + 5));
    else if (!strcmp(line, "count") && peer->count) printf("%d\n", peer->count());
    else if (!strcmp(line, "setup") && peer->setup) printf("%.0f\n", peer->setup());
    else if (!strncmp(line, "product ", 8)) writeProduct(peer, line + 8);
    else if (!strncmp(line, "result ", 7) && peer->results) writeResult(peer, line + 7);
    else if (!strncmp(line, "again ", 6) && peer->another) peer->another(line + 6), getReady(peer);
    else fail(line);
    fflush(stdout);
  }
}

/* First row whose entries start at or after a share of all entries. */
static inline uint32_t split(int part, int parts) {
  uint64_t target = (uint64_t)nnz * part / parts;
  uint32_t low = 0, high = rows;
  if (part == parts) return rows;
  while (low < high) {
    uint32_t mid = low + (high - low) / 2;
    if (rowPtr[mid] < target) low = mid + 1;
    else high = mid;
  }
  return low;
}
