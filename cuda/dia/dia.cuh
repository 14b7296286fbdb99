/** Common to the files of DIA: the header, and the diagonals on the device. */
#pragma once
#include "device.cuh"

namespace sparlane {

/** Rows of a chunk: 64 bytes of y. Complex matrices have the layout of f64. */
template <class X>
constexpr uint32_t CHUNK_ROWS = 64 / (IS_COMPLEX<X> ? sizeof(double) : sizeof(X));

struct Diagonals {
  uint32_t rows, cols, count;
  uint32_t insideBegin, insideChunks;
  /** Where the first inside chunk begins, in units of a chunk's diagonal. */
  uint32_t insidePtr;
  /** Whether chunks share values, so that those inside do not follow one another. */
  bool isShared;
  const int32_t* offsets;
  const uint32_t* chunkPtr;

  /** Where the values of an inside chunk begin. */
  __device__ __forceinline__ uint32_t insideBeginOf(uint32_t inside) const {
    return isShared ? __ldg(chunkPtr + insideBegin + inside) : insidePtr + inside * count;
  }

  /** Number of offsets below a bound. */
  __device__ __forceinline__ uint32_t below(int32_t bound) const {
    uint32_t low = 0;
    for (uint32_t high = count; low < high;) {
      const uint32_t middle = (low + high) / 2;
      if (__ldg(offsets + middle) < bound) low = middle + 1;
      else high = middle;
    }
    return low;
  }
};

/** The pointers of chunks inside that are not shared are a chunk's diagonals apart. */
inline bool areShared(const DiaHeader& header, std::span<const uint32_t> chunkPtr) {
  for (uint32_t chunk = header.insideBegin; chunk + 1 < header.insideEnd; chunk++) {
    if (chunkPtr[chunk + 1] - chunkPtr[chunk] != header.diagonals) return true;
  }
  return false;
}

inline Diagonals diagonalsOf(const DiaHeader& header, std::span<const uint32_t> chunkPtr, const int32_t* offsets,
                             const uint32_t* chunkPtrOnDevice) {
  return {header.rows,
          header.cols,
          header.diagonals,
          header.insideBegin,
          header.insideEnd - header.insideBegin,
          header.insideBegin < header.insideEnd ? chunkPtr[header.insideBegin] : 0,
          areShared(header, chunkPtr),
          offsets,
          chunkPtrOnDevice};
}

}  // namespace sparlane
