/*
 * SuiteSparse:GraphBLAS: GrB_mxv over plus-times. x is a vector with all its entries; rows without entries have none in the
 * result, which are zeros in y. The protocol is that of peer.h.
 */
#include <GraphBLAS.h>
#include "peer.h"

#define TEXT(value) #value
#define VERSION(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)
#define TYPED(function) _Generic((real)0, double: function##_FP64, float: function##_FP32)

static GrB_Matrix matrix;
static GrB_Vector in, out;
static GrB_Semiring plusTimes;

static void check(GrB_Info info) {
  char reason[64];
  if (info == GrB_SUCCESS) return;
  snprintf(reason, sizeof reason, "GraphBLAS: GrB_Info %d", (int)info);
  fail(reason);
}

static GrB_Index *widened(const uint32_t *narrow, size_t count) {
  GrB_Index *wide = room(count * sizeof *wide);
  for (size_t k = 0; k < count; k++) wide[k] = narrow[k];
  return wide;
}

static void prepareX(GrB_Type type) {
  GrB_Index *all = room((size_t)cols * sizeof *all);
  for (uint32_t j = 0; j < cols; j++) all[j] = j;
  check(GrB_Vector_new(&in, type, cols));
  check(TYPED(GrB_Vector_build)(in, all, x, cols, NULL));
  check(GrB_Vector_wait(in, GrB_MATERIALIZE));
  free(all);
}

static void prepare(void) {
  check(GrB_init(GrB_BLOCKING));
  GrB_Type type = sizeof(real) == 8 ? GrB_FP64 : GrB_FP32;
  GrB_Index *wideRowPtr = widened(rowPtr, (size_t)rows + 1), *wideColIdx = widened(colIdx, nnz);
  plusTimes = sizeof(real) == 8 ? GrB_PLUS_TIMES_SEMIRING_FP64 : GrB_PLUS_TIMES_SEMIRING_FP32;
  check(TYPED(GrB_Matrix_import)(&matrix, type, rows, cols, wideRowPtr, wideColIdx, values, (GrB_Index)rows + 1, nnz, nnz,
                                 GrB_CSR_FORMAT));
  check(GrB_Matrix_wait(matrix, GrB_MATERIALIZE));
  free(wideRowPtr), free(wideColIdx);
  prepareX(type);
  check(GrB_Vector_new(&out, type, rows));
}

static void multiply(void) { check(GrB_mxv(out, NULL, NULL, plusTimes, matrix, in, NULL)); }

static void finish(void) {
  GrB_Index count = rows, *at = room((size_t)rows * sizeof *at);
  real *found = room((size_t)rows * sizeof *found);
  check(TYPED(GrB_Vector_extractTuples)(at, found, &count, out));
  memset(y, 0, (size_t)rows * sizeof *y);
  for (GrB_Index k = 0; k < count; k++) y[at[k]] = found[k];
  free(at), free(found);
}

int main(int argc, char **argv) {
  load(argc, argv);
  serve(&(struct peer){
      .version = "GraphBLAS " VERSION(GxB_IMPLEMENTATION_MAJOR, GxB_IMPLEMENTATION_MINOR, GxB_IMPLEMENTATION_SUB),
      .prepare = prepare,
      .multiply = multiply,
      .finish = finish});
  return 0;
}
