/** Pieces of rows of 32, 16, 8, 4, 2 and 1 entries, widest first (`components/components.cu`): the piece of a lane, and its sum. */
#pragma once
#include "device.cuh"

namespace sparlane {

/** Widths 32, 16, 8, 4, 2, 1. */
constexpr uint32_t COMPONENTS = 6;
constexpr uint32_t WIDEST = 32;

/**
 * One component of a slice, in each of the lanes 0 … 5: the distance of its first entry from the slice's begin; and the index of its
 * first piece, minus the number of pieces of its width that would fit before it.
 */
struct Component {
  uint32_t begin, pieceShift;
};

__device__ __forceinline__ Component componentOf(const uint32_t* piecePtr) {
  const uint32_t lane = threadIdx.x % WARP;
  const uint32_t piece = piecePtr[min(lane, COMPONENTS)];
  const uint32_t count = __shfl_down_sync(0xffffffffu, piece, 1) - piece;
  const uint32_t entries = lane < COMPONENTS ? count * (WIDEST >> lane) : 0;
  uint32_t begin = 0;
#pragma unroll
  for (uint32_t other = 0; other + 1 < COMPONENTS; other++) {
    const uint32_t before = __shfl_sync(0xffffffffu, entries, other);
    if (other < lane) begin += before;
  }
  if (lane >= COMPONENTS) return {0xffffffffu, 0};
  return {begin, piece - (begin >> (COMPONENTS - 1 - lane))};
}

/** Place of the sum of a lane's piece: by component, 0 the widest; NOWHERE in lanes where no piece begins. */
struct Place {
  uint32_t component, widest, at;
};

constexpr uint32_t NOWHERE = 0xffffffffu;

/**
 * `first`: the distance of lane 0's entry from the slice's begin. Pieces of 32 have a place by their number in the slice, the
 * others by width and row.
 */
__device__ __forceinline__ Place placeOf(const uint16_t* rowIdx, const Component& own, uint32_t first, uint32_t entries,
                                         uint32_t rows) {
  const uint32_t distance = first + threadIdx.x % WARP;
  const uint32_t widest = __popc(__ballot_sync(0xffffffffu, own.begin <= first)) - 1;
  const uint32_t narrowest = __popc(__ballot_sync(0xffffffffu, own.begin <= first + WARP - 1)) - 1;
  uint32_t component = widest;
  for (uint32_t next = widest + 1; next <= narrowest; next++) {
    if (distance >= __shfl_sync(0xffffffffu, own.begin, next)) component = next;
  }
  const uint32_t piece = __shfl_sync(0xffffffffu, own.pieceShift, component) + (distance >> (COMPONENTS - 1 - component));
  if (distance >= entries || (distance & ((WIDEST >> component) - 1)) != 0) return {component, widest, NOWHERE};
  return {component, widest, component == 0 ? distance / WIDEST : component * rows + __ldg(rowIdx + piece)};
}

/** Sums over the pieces of a group, each in the first lane of its piece; begins with the widest piece in the group. */
template <class X>
__device__ __forceinline__ X sumOfPiece(X sum, uint32_t component, uint32_t widest) {
#pragma unroll
  for (uint32_t c = 0; c + 1 < COMPONENTS; c++) {
    if (c < widest) continue;
    const X right = __shfl_down_sync(0xffffffffu, sum, WIDEST >> (c + 1));
    if (component <= c) sum += right;
  }
  return sum;
}

}  // namespace sparlane
