/** The kernels of SELL: a thread for a row, several threads for a row, pieces of long rows, and the conversion to slices of 32 rows. */
#pragma once
#include "columns.cuh"
#include "sell/sell.cuh"

namespace sparlane {

/** The chunk height supported by `row`; other heights are converted to slices. */
constexpr uint32_t ROW_STEP = 8;
constexpr int MAX_THREADS = 512;
constexpr int TEAMS_BLOCK = 256;
constexpr uint32_t MAX_WIDTH = 32;
/** log2 of the threads of a chunk whose rows are split. */
constexpr uint32_t LEAST_TEAM_SHIFT = 4;
constexpr uint32_t MOST_TEAM_SHIFT = 8;
/** Columns in a batch of theirs. */
constexpr int SPLIT_BATCH = 8;

/** Chunks, as passed to a kernel. */
template <class I>
struct Chunks {
  uint32_t rows;
  /** log2 C. */
  uint32_t shift;
  /** Chunks of more columns are in pieces. */
  uint32_t longColumns;
  /** Of every chunk, or 0 if chunks differ: then chunkPtr tells. */
  uint32_t columns;
  const uint32_t* chunkPtr;
  /** Where each slice of 32 rows begins; null if entries are stored by chunks. */
  const uint32_t* slicePtr;
  const I* colIdx;
  const uint32_t* rowOf;
  const uint32_t* chunkBase;

  __device__ __forceinline__ uint32_t rowAt(uint32_t place) const { return rowOf == nullptr ? place : __ldg(rowOf + place); }
  /** Distance between the entries of neighbouring columns. */
  __device__ __forceinline__ uint32_t step() const { return slicePtr == nullptr ? 1u << shift : WARP; }
  /** The first entry of a row whose chunk begins at `chunkBegin`. */
  __device__ __forceinline__ uint32_t first(uint32_t place, uint32_t chunkBegin) const {
    if (slicePtr == nullptr) return chunkBegin + (place & ((1u << shift) - 1));
    return __ldg(slicePtr + place / WARP) + place % WARP;
  }
  /** The element of x at the base of a row's columns. */
  template <class X>
  __device__ __forceinline__ const X* base(const X* x, uint32_t place) const {
    if constexpr (sizeof(I) == sizeof(uint16_t)) return x + __ldg(chunkBase + (place >> shift));
    return x;
  }
};

/** A thread per row, with STEP rows side by side. */
template <class V, class I, class X, uint32_t STEP, int UNROLL>
__global__ void __launch_bounds__(MAX_THREADS)
    rowKernel(Chunks<I> a, Values<V, X> values, const X* __restrict__ x, X* __restrict__ y, X alpha, X beta) {
  const uint32_t place = blockIdx.x * blockDim.x + threadIdx.x;
  if (place >= a.rows) return;
  uint32_t k = place % STEP;
  uint32_t count = a.columns;
  if (count > 0) {
    k += place / STEP * (STEP * count);
  } else {
    const uint32_t begin = __ldg(a.chunkPtr + (place >> a.shift));
    const uint32_t end = __ldg(a.chunkPtr + (place >> a.shift) + 1);
    k += STEP == WARP ? __ldg(a.slicePtr + place / WARP) : begin;
    count = (end - begin) >> a.shift;
  }
  if (count > a.longColumns) return;
  const X sum = sumColumns<UNROLL>(a.colIdx + k, values.from(k), {STEP, STEP}, a.base(x, place), count);
  put(y + a.rowAt(place), sum, alpha, beta);
}

/**
 * TEAM neighbouring threads for a chunk of C rows: thread C p + i sums the columns p, p + TEAM / C … of row i, so that they read neighbouring
 * entries. Sums are added by shuffles, and in shared memory if the team has several warps.
 */
template <class V, class I, class X, uint32_t TEAM>
__global__ void __launch_bounds__(TEAMS_BLOCK, residentBlocks(sizeof(X) == 4 ? 6 : 4))
    splitKernel(Chunks<I> a, Values<V, X> values, const X* __restrict__ x, X* __restrict__ y, X alpha, X beta) {
  const uint32_t at = threadIdx.x % TEAM;
  const uint32_t chunk = blockIdx.x * (TEAMS_BLOCK / TEAM) + threadIdx.x / TEAM;
  const uint32_t lane = at & ((1u << a.shift) - 1);
  const uint32_t place = (chunk << a.shift) + lane;
  uint32_t entries = a.columns << a.shift;
  uint32_t begin = chunk * entries;
  if (a.columns == 0 && place < a.rows) {
    begin = __ldg(a.chunkPtr + chunk);
    entries = __ldg(a.chunkPtr + chunk + 1) - begin;
  }
  const bool isRow = place < a.rows && entries >> a.shift <= a.longColumns;
  X sum = 0;
  if (isRow && at < entries) {
    const uint32_t k = begin + at;
    sum = sumColumns<SPLIT_BATCH>(a.colIdx + k, values.from(k), {TEAM, TEAM}, a.base(x, place), (entries - at + TEAM - 1) / TEAM);
  }
  for (uint32_t step = 1u << a.shift; step < min(TEAM, WARP); step *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  if constexpr (TEAM > WARP) {
    __shared__ X sums[TEAMS_BLOCK / WARP][ROW_STEP];
    if (threadIdx.x % WARP < 1u << a.shift) sums[threadIdx.x / WARP][lane] = sum;
    __syncthreads();
    if (at >= 1u << a.shift) return;
#pragma unroll
    for (uint32_t other = 1; other < TEAM / WARP; other++) sum += sums[threadIdx.x / WARP + other][lane];
  }
  if (isRow && at < 1u << a.shift) put(y + a.rowAt(place), sum, alpha, beta);
}

/** A block of C · width threads per piece: thread C p + i sums the columns p, p + width … of row i. */
template <class V, class I, class X>
__global__ void __launch_bounds__(TEAMS_BLOCK)
    pieceKernel(Chunks<I> a, Values<V, X> values, const Piece* pieces, uint32_t count, uint32_t widthShift, X* slots,
                const X* __restrict__ x, X* __restrict__ y, X alpha, X beta) {
  __shared__ X sums[TEAMS_BLOCK];
  const uint32_t width = 1u << widthShift;
  const uint32_t teamShift = a.shift + widthShift;
  const uint32_t at = blockIdx.x * (TEAMS_BLOCK >> teamShift) + (threadIdx.x >> teamShift);
  const uint32_t part = threadIdx.x >> a.shift & (width - 1);
  const uint32_t lane = threadIdx.x & ((1u << a.shift) - 1);
  const Piece piece = at < count ? pieces[at] : Piece{};
  const uint32_t place = (piece.unit << a.shift) + lane;
  const bool isRow = at < count && place < a.rows;
  X sum = 0;
  if (isRow && piece.begin + part < piece.end) {
    const uint32_t k = a.first(place, __ldg(a.chunkPtr + piece.unit)) + (piece.begin + part) * a.step();
    const uint32_t step = a.step() << widthShift;
    const uint32_t columns = (piece.end - piece.begin - part + width - 1) >> widthShift;
    sum = sumColumns<4>(a.colIdx + k, values.from(k), {step, step}, a.base(x, place), columns);
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (!isRow || part > 0) return;
  for (uint32_t other = 1; other < width; other++) sum += sums[threadIdx.x + (other << a.shift)];
  if (piece.slot == WHOLE) put(y + a.rowAt(place), sum, alpha, beta);
  else slots[piece.slot + lane] = sum;
}

/** Copies columns or values of chunks, row by row, to their places in slices. */
template <class I, class T>
__global__ void __launch_bounds__(TEAMS_BLOCK) sliceKernel(Chunks<I> chunks, Chunks<I> slices, const T* from, T* to) {
  const uint32_t place = blockIdx.x * TEAMS_BLOCK + threadIdx.x;
  if (place >= chunks.rows) return;
  const uint32_t begin = chunks.chunkPtr[place >> chunks.shift];
  const uint32_t end = chunks.chunkPtr[(place >> chunks.shift) + 1];
  uint32_t target = slices.first(place, begin);
  for (uint32_t k = chunks.first(place, begin); k < end; k += chunks.step(), target += slices.step()) to[target] = from[k];
}

}  // namespace sparlane
