/*
 * METIS_PartGraphKway with its default options: `metis GRAPH WEIGHTS PARTS REPEATS FILE` writes the part of each vertex to FILE, and the milliseconds
 * of each repeat to the output. GRAPH is a file of writeMatrixFile (matrix-file.mjs), without loops; WEIGHTS one of f64, the weight of each vertex.
 */
#include <metis.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#if IDXTYPEWIDTH != 32
#error expected a METIS with 32-bit integers
#endif

static void *take(FILE *file, size_t bytes) {
  void *array = malloc(bytes + 1);
  if (array == NULL || fread(array, 1, bytes, file) != bytes) exit(1);
  return array;
}

int main(int count, char **arguments) {
  if (count != 6) return 1;
  FILE *file = fopen(arguments[1], "rb");
  FILE *weightFile = fopen(arguments[2], "rb");
  FILE *out = fopen(arguments[5], "wb");
  if (file == NULL || weightFile == NULL || out == NULL) return 1;
  idx_t *sizes = take(file, 12);
  idx_t rows = sizes[0], one = 1, parts = atoi(arguments[3]), cut;
  idx_t *ptr = take(file, 4 * ((size_t)rows + 1));
  idx_t *neighbours = take(file, 4 * (size_t)sizes[2]);
  double *given = take(weightFile, 8 * (size_t)rows);
  idx_t *weights = malloc(4 * (size_t)rows + 1), *partOf = malloc(4 * (size_t)rows + 1);
  for (idx_t v = 0; v < rows; v++) weights[v] = (idx_t)given[v];
  for (int repeats = atoi(arguments[4]); repeats > 0; repeats--) {
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    if (METIS_PartGraphKway(&rows, &one, ptr, neighbours, weights, NULL, NULL, &parts, NULL, NULL, NULL, &cut, partOf) != METIS_OK)
      return 1;
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%.3f\n", (end.tv_sec - begin.tv_sec) * 1e3 + (end.tv_nsec - begin.tv_nsec) / 1e6);
  }
  fwrite(partOf, 4, rows, out);
  return fclose(out);
}
