/** Batches of columns, for formats that gather x by column and sum in the order of the rows. */
#pragma once
#include "device.cuh"

namespace sparlane {

/** Distance between the entries of neighbouring columns, in `colIdx` and in `values`. */
struct Steps {
  uint32_t column, value;
};

/** sum + values · x over a batch of columns: all of them if ALL, else the first `count`. Reads come before uses. */
template <int UNROLL, bool ALL, class V, class I, class X>
__device__ __forceinline__ X addBatch(X sum, const I* colIdx, Values<V, X> values, Steps steps, const X* x, uint32_t count) {
  uint32_t column[UNROLL];
  typename Values<V, X>::Stored stored[UNROLL];
  X factor[UNROLL];
#pragma unroll
  for (uint32_t j = 0; j < UNROLL; j++) {
    if (ALL || j < count) column[j] = stream(colIdx + j * steps.column);
  }
#pragma unroll
  for (uint32_t j = 0; j < UNROLL; j++) {
    if (ALL || j < count) stored[j] = values.read(j * steps.value);
  }
#pragma unroll
  for (uint32_t j = 0; j < UNROLL; j++) {
    if (ALL || j < count) factor[j] = __ldg(x + column[j]);
  }
#pragma unroll
  for (uint32_t j = 0; j < UNROLL; j++) {
    if (ALL || j < count) sum += values.decode(stored[j]) * factor[j];
  }
  return sum;
}

/**
 * Σ values · x over `count` columns, left to right. If steps are constants, all addresses of a batch are immediates, and
 * ptxas issues its reads together.
 */
template <int UNROLL, class V, class I, class X>
__device__ __forceinline__ X sumColumns(const I* colIdx, Values<V, X> values, Steps steps, const X* x, uint32_t count) {
  X sum = 0;
#pragma unroll 1
  for (; count >= UNROLL; count -= UNROLL) {
    sum = addBatch<UNROLL, true>(sum, colIdx, values, steps, x, count);
    colIdx += UNROLL * steps.column;
    values = values.from(UNROLL * steps.value);
  }
  if (count > 0) sum = addBatch<UNROLL, false>(sum, colIdx, values, steps, x, count);
  return sum;
}

}  // namespace sparlane
