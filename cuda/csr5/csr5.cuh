/** The kernel of CSR5 (`csr5.cu`), and its header. */
#pragma once
#include "empty-rows.cuh"
#include "look-back.cuh"

namespace sparlane::csr5 {

constexpr int THREADS = 256;
constexpr uint32_t WARPS = THREADS / WARP;

/** Bit of tilePtr: rows without entries lie between those that end in the tile. */
constexpr uint32_t EMPTY_ROWS = 0x80000000u;

/** Bit r of a word of tileDesc: a row ends at step r. The words of the tail have its entries in order, 16 in a word. */
constexpr uint32_t FLAGS = 0xffffu;
constexpr uint32_t FLAGS_BITS = 16;

template <class V, class X>
struct Tiles {
  /** Number of full tiles. If `tail` is not 0, there is one more tile, of `tail` entries. */
  uint32_t tiles, sigma, tail;
  /** Maximum number of rows that end in a warp's tiles. */
  uint32_t room;
  const uint32_t *tilePtr, *tileDesc, *emptyOffsetPtr, *emptyOffset, *colIdx;
  Values<V, X> values;
};

/** A lane's share of a tile: entries first, first + stride …, and the row ends among them. */
struct Lane {
  uint32_t first, stride, steps, flags;
};

template <int OMEGA, class V, class X>
__device__ __forceinline__ Lane laneOf(const Tiles<V, X>& a, uint32_t tile, uint32_t lane) {
  if (tile > a.tiles) return {0, 0, 0, 0};
  const uint32_t begin = tile * OMEGA * a.sigma;
  if (tile < a.tiles) return {begin + lane, OMEGA, a.sigma, __ldg(a.tileDesc + tile * OMEGA + lane) & FLAGS};
  const uint32_t from = a.sigma * lane;
  if (from >= a.tail) return {0, 0, 0, 0};
  const uint32_t word = from / FLAGS_BITS;
  const uint32_t* desc = a.tileDesc + tile * OMEGA;
  const uint32_t low = desc[word] & FLAGS;
  const uint32_t high = word + 1 < OMEGA ? desc[word + 1] << FLAGS_BITS : 0;
  const uint32_t flags = (high | low) >> from % FLAGS_BITS & ((1u << a.sigma) - 1);
  return {begin + from, 1, min(a.sigma, a.tail - from), flags};
}

/** Number of rows that end in previous lanes. */
__device__ __forceinline__ uint32_t endsBefore(uint32_t ends) {
  const uint32_t lane = threadIdx.x % WARP;
  uint32_t sum = ends;
#pragma unroll
  for (uint32_t step = 1; step < WARP; step *= 2) {
    const uint32_t left = __shfl_up_sync(0xffffffffu, sum, step);
    if (lane >= step) sum += left;
  }
  return sum - ends;
}

/**
 * Blocks of a multiprocessor for which registers are allocated: five in f32 take 0.97 of the time of four, eight matrices of 0.7 to 2.5
 * million entries; in f64 1.03 below 0.3 million. (H200, 22 November 2026.)
 */
template <class X>
constexpr int RESIDENT = residentBlocks(sizeof(X) == 4 ? 5 : 4);

/** Reads BATCH steps ahead. */
template <int OMEGA, int BATCH, class V, class X>
__global__ void __launch_bounds__(THREADS, RESIDENT<X>)
    tiles(const Tiles<V, X> a, uint32_t blocks, const LookBackView<X> lookBack, const EmptyRowsView empty,
          const X* __restrict__ x, X* y, X alpha, X beta) {
  if (blockIdx.x >= blocks) {
    scaleEmptyRows(empty, blockIdx.x - blocks, y, beta);
    return;
  }
  extern __shared__ __align__(16) unsigned char sharedBytes[];
  __shared__ X last[WARPS];
  __shared__ bool through[WARPS];
  const Shared shared = lookBack.own();
  const uint32_t warp = threadIdx.x / WARP;
  const uint32_t lane = threadIdx.x % WARP;
  /** Sums of the rows that end in the warp's tiles, in order. */
  X* sums = reinterpret_cast<X*>(sharedBytes) + warp * a.room;
  const uint32_t tile = (blockIdx.x * WARPS + warp) * (WARP / OMEGA) + lane / OMEGA;
  const Lane own = laneOf<OMEGA>(a, tile, lane % OMEGA);
  const uint32_t ptr = own.steps > 0 ? __ldg(a.tilePtr + tile) : 0;
  const uint32_t place = endsBefore(__popc(own.flags));

  // Whether all lanes have all steps. Then distances are constants, and ptxas keeps the loads of a batch together.
  const bool whole = (blockIdx.x * WARPS + warp + 1) * (WARP / OMEGA) <= a.tiles;
  X sum = 0;
  uint32_t at = place;
  for (uint32_t first = 0; first < a.sigma; first += BATCH) {
    V value[BATCH];
    X term[BATCH];
    uint32_t col[BATCH];
    if (whole && first + BATCH <= a.sigma) {
      const uint32_t k = own.first + first * OMEGA;
      const auto values = a.values.from(k);
#pragma unroll
      for (uint32_t i = 0; i < BATCH; i++) col[i] = stream(a.colIdx + k + i * OMEGA);
#pragma unroll
      for (uint32_t i = 0; i < BATCH; i++) value[i] = values.read(i * OMEGA);
    } else {
      // Missing steps of a lane read its first entry; the result is not used.
#pragma unroll
      for (uint32_t i = 0; i < BATCH; i++) {
        const uint32_t k = own.first + (first + i < own.steps ? (first + i) * own.stride : 0);
        col[i] = stream(a.colIdx + k);
        value[i] = a.values.read(k);
      }
    }
#pragma unroll
    for (uint32_t i = 0; i < BATCH; i++) term[i] = __ldg(x + col[i]);
#pragma unroll
    for (uint32_t i = 0; i < BATCH; i++) {
      sum += first + i < own.steps ? a.values.decode(value[i]) * term[i] : X{0};
      if (own.flags >> (first + i) & 1) {
        sums[at++] = sum;
        sum = 0;
      }
    }
  }

  // The first row that ends in a lane has shares in previous lanes; the first one of all, in previous warps.
  sum = sumOfRun(sum, __ballot_sync(0xffffffffu, own.flags != 0));
  const X before = __shfl_up_sync(0xffffffffu, sum, 1);
  if (lane > 0 && own.flags != 0) sums[place] += before;
  const uint32_t ends = __shfl_sync(0xffffffffu, at, WARP - 1);
  if (lane == WARP - 1) {
    last[warp] = sum;
    through[warp] = ends == 0;
  }
  __syncthreads();
  X open = 0;
  // Whether no row ends in a previous warp of the block.
  bool isFirst = true;
  for (uint32_t other = warp; isFirst && other-- > 0;) {
    open += last[other];
    isFirst = through[other];
  }
  if (warp == WARPS - 1 && lane == 0 && shared.openRow != NO_ROW) {
    lookBack.publish(ends > 0 ? last[warp] : last[warp] + open);
  }
  if (isFirst && ends > 0 && shared.count > 0) open += lookBack.take(shared.count);
  if (lane == 0 && ends > 0) sums[0] += open;
  __syncwarp();

#pragma unroll
  for (uint32_t t = 0; t < WARP / OMEGA; t++) {
    const uint32_t first = __shfl_sync(0xffffffffu, place, t * OMEGA);
    const uint32_t end = t + 1 < WARP / OMEGA ? __shfl_sync(0xffffffffu, place, (t + 1) * OMEGA % WARP) : ends;
    const uint32_t marked = __shfl_sync(0xffffffffu, ptr, t * OMEGA);
    const uint32_t row = marked & ~EMPTY_ROWS;
    if (marked < EMPTY_ROWS) {
      for (uint32_t i = first + lane; i < end; i += WARP) put(y + row + (i - first), sums[i], alpha, beta);
    } else {
      const uint32_t* offsets = a.emptyOffset + a.emptyOffsetPtr[__shfl_sync(0xffffffffu, tile, t * OMEGA)];
      for (uint32_t i = first + lane; i < end; i += WARP) put(y + row + __ldg(offsets + (i - first)), sums[i], alpha, beta);
    }
  }
}

}  // namespace sparlane::csr5
