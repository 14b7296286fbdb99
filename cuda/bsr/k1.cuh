/**
 * K1: blocks of 2 × 2 to 8 × 8, a kernel for each size. A team of lanes computes a block row; each of its lanes has a row of the
 * blocks and some of their columns. A warp has as many teams as fit; they compute neighbouring block rows in lockstep.
 *
 *     b = 3, slots 3   lane  0  1  2 | 3  4  5 | 6  7  8    team 0; team 1 is lanes 9 … 17, team 2 lanes 18 … 26
 *                      row   0  1  2 | 0  1  2 | 0  1  2
 *                      col   0         1         2
 *     b = 7, slots 4   lane  0 … 6 | 7 … 13 | 14 … 20 | 21 … 27      one team, a block in two loads:
 *                      col   0       1        2         3            columns 0 1 2 3, then 4 5 6
 *
 * So a lane's row and columns never change, a warp's loads are of adjacent values, and every address is a register plus a
 * constant. A step is up to BLOCKS blocks of each team: all their values and x are requested before the first is used.
 */
#pragma once
#include "bsr/bsr.cuh"

namespace sparlane::bsr {

constexpr int LARGEST_SMALL = 8;

/**
 * By the size of blocks: columns of a block that a team reads at a time, and blocks of a step: with one buffer, or in f32, and
 * with two. The best of six combinations for each size, unless the other dtype loses more: 5-point in blocks of 5 takes 47 µs
 * in f64 and 30 in f32 with 2 and 3, 52 and 36 with 5 and 6. (H200, November 2026.)
 */
constexpr int SLOTS[LARGEST_SMALL + 1] = {0, 0, 2, 3, 2, 2, 2, 4, 4};
constexpr int BLOCKS[LARGEST_SMALL + 1][2] = {{}, {}, {6, 6}, {6, 6}, {6, 2}, {3, 2}, {3, 2}, {5, 3}, {5, 3}};

/** Maximum warps of a thread block, and minimum resident thread blocks of a multiprocessor: 72 registers. */
constexpr int MAX_ARRAYS = 4;
constexpr int HELD = 7;

template <int B>
struct Team {
  static constexpr int SLOTS = bsr::SLOTS[B];
  static constexpr int LANES = B * SLOTS;
  /** Number of teams of a warp. */
  static constexpr int COUNT = WARP / LANES;
};

/** The remaining blocks of a block row; empty if `end` is before `begin`. */
struct Range {
  uint32_t begin, end;
  __device__ __forceinline__ int length() const { return static_cast<int>(end - begin); }
};

/** Some blocks of a block row: a lane's share of their values, and of x. */
template <int B, int BUFFERS, class V, class X>
struct Step {
  static constexpr int SLOTS = bsr::SLOTS[B];
  static constexpr int BLOCKS = bsr::BLOCKS[B][sizeof(X) == 4 ? 0 : BUFFERS - 1];
  /** Columns of a block that a lane has. */
  static constexpr int COLUMNS = (B + SLOTS - 1) / SLOTS;

  V values[BLOCKS][COLUMNS];
  X xs[BLOCKS][COLUMNS];

  /** `a` and `x` are offset to the lane's own place in a block. */
  __device__ __forceinline__ void load(const V* a, const X* x, const uint32_t (&columns)[BLOCKS], Range at, uint32_t slot) {
    a += static_cast<size_t>(at.begin) * (B * B);
    const int blocks = at.length();
    // Some slots have no last column.
    const int lastBlocks = slot + (COLUMNS - 1) * SLOTS < B ? blocks : 0;
    // Values first: they do not depend on columns.
#pragma unroll
    for (int u = 0; u < BLOCKS; u++) {
#pragma unroll
      for (int i = 0; i < COLUMNS; i++) {
        const bool isThere = u < (i < COLUMNS - 1 ? blocks : lastBlocks);
        values[u][i] = streamIf(isThere, a + (u * B + i * SLOTS) * B);
      }
    }
#pragma unroll
    for (int u = 0; u < BLOCKS; u++) {
#pragma unroll
      for (int i = 0; i < COLUMNS; i++) {
        const bool isThere = u < (i < COLUMNS - 1 ? blocks : lastBlocks);
        xs[u][i] = fetchIf(isThere, x + columns[u] + i * SLOTS);
      }
    }
  }

  __device__ __forceinline__ X addTo(X sum) const {
#pragma unroll
    for (int u = 0; u < BLOCKS; u++) {
#pragma unroll
      for (int i = 0; i < COLUMNS; i++) sum += static_cast<X>(values[u][i]) * xs[u][i];
    }
    return sum;
  }
};

/**
 * A warp computes `turns` block rows with each team. Columns are read a step ahead of their values and x. With two buffers,
 * values and x in turn are read a step ahead of their use, across the ends of block rows.
 */
template <int B, int BUFFERS, class V, class X>
__global__ void __launch_bounds__(MAX_ARRAYS* WARP, HELD)
    k1(BlockRows<V> a, uint32_t turns, const X* __restrict__ x, X* __restrict__ y, X alpha, X beta) {
  using T = Team<B>;
  constexpr int BLOCKS = Step<B, BUFFERS, V, X>::BLOCKS;
  const uint32_t lane = threadIdx.x % WARP;
  const uint32_t team = lane / T::LANES;
  const uint32_t slot = lane % T::LANES / B;
  uint32_t first = (blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP) * turns * T::COUNT;
  const uint32_t last = min(a.blockRows, first + turns * T::COUNT);
  if (first >= last) return;
  // Lanes outside all teams have no block rows.
  const uint32_t limit = team < T::COUNT ? last : 0;
  const V* const values = a.values + lane % T::LANES;
  x += slot;

  const auto blocksOf = [&](uint32_t blockRow) -> Range {
    if (blockRow >= limit) return {0, 0};
    return {__ldg(a.blockRowPtr + blockRow), __ldg(a.blockRowPtr + blockRow + 1)};
  };
  uint32_t columns[BLOCKS];
  const auto loadColumns = [&](Range at) {
#pragma unroll
    for (int u = 0; u < BLOCKS; u++) columns[u] = fetchIf(u < at.length(), a.blockColIdx + at.begin + u);
  };

  Range at = blocksOf(first + team);
  Range following = blocksOf(first + T::COUNT + team);
  loadColumns(at);
  Step<B, BUFFERS, V, X> step, ahead;
  step.load(values, x, columns, at, slot);
  X sum{0};
  for (;;) {
    Range next{at.begin + BLOCKS, at.end};
    const bool ends = !__any_sync(0xffffffffu, next.length() > 0);
    if (ends) {
      next = following;
      following = blocksOf(first + 2 * T::COUNT + team);
    }
    loadColumns(next);
    if (BUFFERS == 2) ahead.load(values, x, columns, next, slot);
    sum = step.addTo(sum);
    if (ends) {
      sum = sumOfSlots(sum, slot, T::SLOTS, B);
      const uint32_t row = (first + team) * B + lane % B;
      if (slot == 0 && first + team < limit && row < a.rows) put(y + row, sum, alpha, beta);
      sum = 0;
      first += T::COUNT;
      if (first >= last) break;
    }
    if (BUFFERS == 1) ahead.load(values, x, columns, next, slot);
    step = ahead;
    at = next;
  }
}

template <int B, class V, class X>
void launchK1(cudaStream_t stream, const BlockRows<V>& a, int arrays, int rows, int buffers, const X* x, X* y, X alpha, X beta) {
  const uint32_t warps = divideUp(a.blockRows, uint64_t{Team<B>::COUNT} * rows);
  const auto kernel = buffers == 1 ? k1<B, 1, V, X> : k1<B, 2, V, X>;
  kernel<<<divideUp(warps, arrays), arrays * WARP, 0, stream>>>(a, rows, x, y, alpha, beta);
  CHECK_LAUNCH("bsr k1");
}

/** `arrays` warps to a thread block, `rows` block rows to a team. */
template <class V, class X>
void launchK1(cudaStream_t stream, const BlockRows<V>& a, int arrays, int rows, int buffers, const X* x, X* y, X alpha, X beta) {
  constexpr decltype(&launchK1<2, V, X>) BY_SIZE[] = {launchK1<2, V, X>, launchK1<3, V, X>, launchK1<4, V, X>, launchK1<5, V, X>,
                                                      launchK1<6, V, X>, launchK1<7, V, X>, launchK1<8, V, X>};
  BY_SIZE[a.blockSize - 2](stream, a, arrays, rows, buffers, x, y, alpha, beta);
}

}  // namespace sparlane::bsr
