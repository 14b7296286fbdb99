/** One triangle of a symmetric or skew-symmetric matrix, as `src/formats/sss/sss.ts` lays it out. */
#pragma once
#include "plan.cuh"

namespace sparlane {

/** Number of columns that 16 bits can distinguish. */
constexpr uint32_t SPAN = 1 << 16;

template <class I>
__host__ __device__ __forceinline__ uint32_t columnOf(I stored, uint32_t row) {
  if constexpr (sizeof(I) == sizeof(uint16_t)) return row + stored - SPAN;
  return stored;
}

/** The triangle in the heap. */
template <class V, class I>
struct Triangle {
  uint32_t rows;
  int32_t sign;
  std::span<const uint32_t> rowPtr;
  std::span<const I> colIdx;
  std::span<const V> values, diagonal;

  Triangle(const Heap& heap, const SssHeader& header)
      : rows(header.rows),
        sign(header.sign),
        rowPtr(heap.at<uint32_t>(header.rowPtr, rows + size_t{1})),
        colIdx(heap.at<I>(header.colIdx, rowPtr.back())),
        values(heap.at<V>(header.values, rowPtr.back())),
        diagonal(heap.at<V>(header.diagonal, rows)) {}
};

}  // namespace sparlane
