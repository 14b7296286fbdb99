/** Transposition of compressed rows on the device (`transpose.cu`). */
#pragma once
#include "plan.cuh"

namespace sparlane {

/** Compressed rows, and room for those of the transpose. */
template <class V>
struct Transposition {
  uint32_t rows, cols, nnz;
  /** rows + 1, nnz and nnz elements. */
  const uint32_t *rowPtr, *colIdx;
  const V* values;
  /** cols + 1, nnz and nnz elements. */
  uint32_t *ptr, *idx;
  V* moved;
};

/** Queues it. @throws Failure `heap` if the device has no room for the sort */
template <class V>
void queueTransposition(const std::shared_ptr<Context>& context, const Transposition<V>& a);

}  // namespace sparlane
