/** Common parts of the kernels of BSR (`bsr.cu`): block rows, lanes on columns, sums over them. */
#pragma once
#include "device.cuh"

namespace sparlane::bsr {

/** Maximum rows of a panel (`src/formats/bsr/blocks.ts`). */
constexpr uint32_t PANEL_ROWS = 8;

/** Blocks from this size on are large: several warps share a block row. Chosen. */
constexpr uint32_t LARGE_BLOCKS = 32;

/**
 * Length of the segments of a long block row, in steps of the lanes that compute it. A circuit in 7×7 blocks takes 112 µs with 8, 115 with 4, 123
 * with 16; in 2×2 blocks 95, 105 and 98; in 16×16 blocks 60, 72 and 58. (H200, f64, November 2026.)
 */
constexpr uint32_t STEPS_KEPT = 8;

/**
 * So many columns are kept in one piece where blocks are large, and several warps share a block row. Chosen: less would cut a 27-point grid in
 * blocks of 64.
 */
constexpr uint32_t COLUMNS_KEPT = 1024;

/**
 * λ: block rows of more blocks are cut; 0 if no block row is so long that its lanes would finish after the others. `columnsOfStep`: columns of a
 * block row that its lanes read at a time, if blocks are not large.
 */
inline uint32_t fittingLimit(std::span<const uint32_t> blockRowPtr, uint32_t b, uint32_t columnsOfStep) {
  const uint32_t limit = std::max(1u, (b < LARGE_BLOCKS ? STEPS_KEPT * columnsOfStep : COLUMNS_KEPT) / b);
  uint32_t longest = 0;
  for (size_t i = 0; i + 1 < blockRowPtr.size(); i++) longest = std::max(longest, blockRowPtr[i + 1] - blockRowPtr[i]);
  return longest > 2 * limit ? limit : 0;
}

/** A warp or a team reads so many columns of a block row at a time, where the size of blocks says nothing else. Chosen. */
constexpr uint32_t USUAL_STEP = 16;

/** A method may ask for segments of at most so many blocks, as the format may (`src/formats/bsr/prospects.ts`). */
constexpr int MOST_ROW_BLOCKS = 1 << 24;

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
