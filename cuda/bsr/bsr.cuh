/** Common parts of the kernels of BSR (`bsr.cu`): block rows, lanes on columns, sums over them. */
#pragma once
#include "device.cuh"

namespace sparlane::bsr {

/** Maximum rows of a panel (`src/formats/bsr/blocks.ts`). */
constexpr uint32_t PANEL_ROWS = 8;

/** Block rows, or segments of them, on the device. */
template <class V>
struct BlockRows {
  /** Rows of y, or of the partial sums. */
  uint32_t rows = 0;
  uint32_t blockRows = 0;
  uint32_t blockSize = 0;
  uint32_t panels = 0;
  const uint32_t* blockRowPtr = nullptr;
  const uint32_t* blockColIdx = nullptr;
  const V* values = nullptr;
  /**
   * For block rows with panels that were cut for the device: first block and number of blocks of the block row of each segment.
   */
  const uint2* wholes = nullptr;
};

/**
 * The sum over `slots` lanes that are `stride` apart, in the first of them; the order is fixed. All lanes of the warp must
 * call this, including those outside all slots.
 */
template <class X>
__device__ __forceinline__ X sumOfSlots(X sum, uint32_t slot, uint32_t slots, uint32_t stride) {
#pragma unroll
  for (uint32_t n = slots; n > 1; n = (n + 1) / 2) {
    const uint32_t half = (n + 1) / 2;
    const X other = __shfl_down_sync(0xffffffffu, sum, half * stride);
    if (slot + half < n) sum += other;
  }
  return sum;
}

}  // namespace sparlane::bsr
