/**
 * CSR by tiles: y ← α A x + β y; a block computes neighbouring rows that together fill its shared memory.
 *
 * Source: Greathouse & Daga 2014 (CSR-Adaptive: rows packed into blocks, products in shared memory, then a sum for each row).
 * Differs: one kernel for all rows. A block computes a run of tiles, one after the other: it loads the entries of the next tile
 *   while it sums the rows of this one, and the whole run uses the x that it has in L1. A row longer than a tile is cut into
 *   pieces. If several runs have pieces of a row, the last of them looks back (`look-back.cuh`) and adds them, always in the same order.
 *   Every element of y is written once, and has the same bits every time.
 * Bound: by bytes if x is found in L1, 12 per entry in f64; else by gathers.
 */
#pragma once
#include <cuda_pipeline.h>

#include "csr/tiles.cuh"

namespace sparlane {

/**
 * Rows of at least this many entries per lane are summed by a whole warp: 16 and 64 are within 2 % on average, 8 takes 1.2 times
 * as long. (H200, f64, November 2026.)
 */
constexpr uint32_t LONG_FOR_LANE = 32;

/** Resident blocks per multiprocessor for which registers are allocated. */
template <class I, class X>
constexpr int TILE_BLOCKS = residentBlocks(sizeof(X) == 4   ? 6
                                           : sizeof(I) == 4 ? 5
                                                            : 4);

/** Begins a copy of words to shared memory. `__pipeline_wait_prior(0)` waits for the words that the calling thread has copied. */
__device__ __forceinline__ void beginCopy(uint32_t* target, const uint32_t* source, uint32_t length) {
#pragma unroll 1
  for (uint32_t i = threadIdx.x; i < length; i += TILE_THREADS) __pipeline_memcpy_async(target + i, source + i, 4);
  __pipeline_commit();
}

/** The sum of products `step` apart, four at a time, read in one of four orders: j ^ turn for j = 0 … 3. */
template <class X>
__device__ __forceinline__ X sumOf(const X* products, uint32_t from, uint32_t end, uint32_t step, uint32_t turn) {
  X sum{0};
  uint32_t k = from;
#pragma unroll 1
  for (; k + 3 * step < end; k += 4 * step) {
    X some[4];
#pragma unroll
    for (uint32_t j = 0; j < 4; j++) some[j] = products[k + (j ^ turn) * step];
    sum += (some[0] + some[1]) + (some[2] + some[3]);
  }
#pragma unroll 1
  for (; k < end; k += step) sum += products[k];
  return sum;
}

/**
 * α · sums + β y of the rows of a tile, from their products; `starts` are counted from `base`. A row is summed by its lanes of the tile, a
 * long one by a warp.
 */
template <class X, class S>
__device__ __forceinline__ void sumRows(const Tile& tile, const X* products, uint32_t turns, const S* starts, uint32_t base, X* y,
                                        Scalar<X> alpha, Scalar<X> beta, const uint32_t* rowOf = nullptr) {
  const uint32_t rows = tile.rows(), shift = tile.laneShift();
  const auto rowAt = [&](uint32_t i) { return rowOf == nullptr ? tile.row + i : __ldg(rowOf + tile.row + i); };
  const uint32_t lanes = 1u << shift;
  const uint32_t lane = threadIdx.x & (lanes - 1);
  // Rows of 4 entries conflict in a bank if their distance fills all banks.
  const uint32_t turn = threadIdx.x / (32 / sizeof(X)) & turns;
  for (uint32_t first = 0; first < rows; first += TILE_THREADS >> shift) {
    const uint32_t i = first + (threadIdx.x >> shift);
    uint32_t begin = 0, end = 0, row = 0;
    if (i < rows) {
      row = rowAt(i);
      begin = starts[i] - base;
      end = starts[i + 1] - base;
    }
    const bool isLong = end - begin > LONG_FOR_LANE << shift;
    X sum = isLong ? X{0} : sumOf(products, begin + lane, end, lanes, turn);
    sum = sumOfGroup(sum, lanes);
    if (i < rows && lane == 0 && !isLong) put(y + row, sum, alpha, beta);
    for (uint32_t left = __ballot_sync(0xffffffffu, isLong && lane == 0); left != 0; left &= left - 1) {
      const int owner = __ffs(left) - 1;
      const uint32_t from = __shfl_sync(0xffffffffu, begin, owner);
      const uint32_t until = __shfl_sync(0xffffffffu, end, owner);
      const uint32_t whose = __shfl_sync(0xffffffffu, i, owner);
      const X total = sumOfGroup<WARP>(sumOf(products, from + threadIdx.x % WARP, until, WARP, 0));
      if (threadIdx.x % WARP == 0) put(y + rowAt(whose), total, alpha, beta);
    }
  }
}

/** The sum over the block, in every thread. `sums` may be overwritten after this returns. */
template <class X>
__device__ __forceinline__ X sumOfBlock(X sum, X (&sums)[TILE_WARPS]) {
  sum = sumOfGroup<WARP>(sum);
  if (threadIdx.x % WARP == 0) sums[threadIdx.x / WARP] = sum;
  __syncthreads();
  X total{0};
#pragma unroll
  for (int warp = 0; warp < TILE_WARPS; warp++) total += sums[warp];
  return total;
}

template <class V, class I, class X>
__global__ void __launch_bounds__(TILE_THREADS, TILE_BLOCKS<I, X>)
    streamRows(const Tile* tiles, const Run* runs, const uint32_t* rowPtr, Columns<I> columns, Values<V, X> values,
               uint32_t turns, const X* __restrict__ x, X* y, const Cut* cuts, X* pieces, X alpha, X beta) {
  __shared__ Tile run[LONGEST_RUN + MORE_PIECES];
  __shared__ alignas(16) X products[TILE_ROOM];
  __shared__ uint32_t starts[TILE_ROWS + 1];
  __shared__ X sums[TILE_WARPS];
  // The share of this run in the row of its first pieces, which began in an earlier run.
  __shared__ X ending;
  __shared__ uint32_t endingCut;
  const Run own = runs[blockIdx.x];
  const uint32_t count = own.count;
  Share<V, I, X> share;
  // The first tile needs no second read: that would be a wait for memory before the entries are read.
  if (!own.tile.isEmpty()) share.load(columns, values, own.tile.begin, own.tile.end);
  // Every thread reads what it has written itself.
  run[0] = own.tile;
  if (count > 1) {
    if (threadIdx.x > 0 && threadIdx.x < count) run[threadIdx.x] = tiles[own.first + threadIdx.x];
    __syncthreads();
  }
  X sum{0};
  if (threadIdx.x == 0) endingCut = NO_CUT;
  for (uint32_t t = 0; t < count; t++) {
    const Tile tile = run[t];
    const uint32_t base = tileBase(tile.begin);
    const bool isPiece = tile.is(Tile::PIECE);
    if (!isPiece) beginCopy(starts, rowPtr + tile.row, tile.rows() + 1);
    if (!tile.isEmpty()) {
      Two<X> elements[TILE_PAIRS];
      share.gather(x, elements);
#pragma unroll
      for (int i = 0; i < TILE_PAIRS; i++) {
        *reinterpret_cast<Two<X>*>(products + share.place(i)) = share.product(values, i, elements[i]);
      }
    }
    if (t + 1 < count && !run[t + 1].isEmpty()) share.load(columns, values, run[t + 1].begin, run[t + 1].end);
    __pipeline_wait_prior(0);
    __syncthreads();
    if (!isPiece) {
      sumRows(tile, products, turns, starts, base, y, alpha, beta);
    } else {
      sum += sumOf(products, tile.begin - base + threadIdx.x, tile.end - base, TILE_THREADS, 0);
      if (tile.is(Tile::LAST)) {
        sum = sumOfBlock(sum, sums);
        if (threadIdx.x == 0) {
          if (tile.is(Tile::ENDING)) {
            ending = sum;
            endingCut = tile.row;
          } else if (tile.is(Tile::SHARED)) {
            publish(pieces + tile.row, sum);
          } else {
            put(y + tile.row, sum, alpha, beta);
          }
        }
        sum = 0;
      }
    }
    // No thread writes for the next tile before all threads have read this one.
    __syncthreads();
  }
  // At the end, so that later runs do not wait for what this one waits for.
  if (endingCut == NO_CUT || threadIdx.x >= WARP) return;
  const Cut cut = cuts[endingCut];
  const X taken = take(pieces + cut.first, cut.end - cut.first);
  if (threadIdx.x == 0) put(y + cut.row, ending + taken, alpha, beta);
}

/** Columns of 32 or 16 bits; values as stated in the header. */
template <class V, class I, class X>
class StreamPlan : public Plan {
 public:
  /** `uploadColumns(plan)` returns the columns, counted in the plan. */
  template <class UploadColumns>
  StreamPlan(const Request& request, const CsrHeader& header, const UploadColumns& uploadColumns, int longestRun)
      : columns_(uploadColumns(*this)),
        values_(request, *this, header.values, header.table, header.nnz + READ_PAST),
        rowPtr_(request.share<uint32_t>(*this, header.rowPtr, header.rows + size_t{1})) {
    int blocks = 0;
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, streamRows<V, I, X>, TILE_THREADS, 0));
    const uint32_t multiprocessors = request.context->properties.multiProcessorCount;
    const auto rowPtr = request.heap.at<uint32_t>(header.rowPtr, header.rows + size_t{1});
    const Tiling tiling = tilingOf(rowPtr, multiprocessors, multiprocessors * std::max(1, blocks), longestRun);
    turns_ = tiling.turns;
    blocks_ = static_cast<uint32_t>(tiling.runs.size());
    method = "stream?run=" + std::to_string(longestRun);
    if (blocks_ == 0) return;
    tiles_ = request.upload(*this, std::span{tiling.tiles});
    runs_ = request.upload(*this, std::span{tiling.runs});
    if (tiling.cuts.empty()) return;
    cuts_ = request.upload(*this, std::span{tiling.cuts});
    pieces_ = emptyPlaces<X>(request, *this, tiling.cuts.back().end);
  }

  void run(cudaStream_t stream, const void* x, void* y, double alpha, double beta) override {
    if (blocks_ == 0) return;
    streamRows<V, I, X><<<blocks_, TILE_THREADS, 0, stream>>>(
        tiles_.data(), runs_.data(), rowPtr_.data(), columns_.view(), values_.view(), turns_, static_cast<const X*>(x),
        static_cast<X*>(y), cuts_.data(), pieces_.data(), static_cast<X>(alpha), static_cast<X>(beta));
    CHECK_LAUNCH("csr stream");
  }

 private:
  StoredColumns<I> columns_;
  StoredValues<V, X> values_;
  DeviceArray<uint32_t> rowPtr_;
  DeviceArray<Tile> tiles_;
  DeviceArray<Run> runs_;
  DeviceArray<Cut> cuts_;
  DeviceArray<X> pieces_;
  uint32_t blocks_ = 0;
  uint32_t turns_ = 0;
};

}  // namespace sparlane
