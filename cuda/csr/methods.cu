/**
 * CSR in equal shares of the work, independent of row ends: y ← α A x + β y.
 *
 * Methods: `balanced` (Flegar & Anzt 2017, CSRI): equal numbers of entries per warp. The row of an entry is found by search in
 *   rowPtr. When a lane reaches another row, a segmented scan over the lanes follows, and the sums are added to y by atomics:
 *   the bits of y may differ from run to run. y ← β y is computed first.
 *   `merge` (Merrill & Garland 2016): equal numbers of entries and row ends per thread, along the merge path of
 *   `assembly/csr/merge.ts`. A block gathers the products of its part of the path in shared memory. Its threads pass on the
 *   sums of unfinished rows by a segmented scan, its blocks by looking back (`look-back.cuh`), always in the same order.
 * Differs: (`balanced`) the first row of a warp is searched on the device; (`merge`) the positions of the blocks on the path
 *   are found once, when the plan is made.
 * Bound: `balanced` by a dependent read of rowPtr for each 32 entries, `merge` by instructions per entry.
 */
#include <algorithm>
#include <vector>

#include "csr/stream.cuh"

namespace sparlane {

namespace {

constexpr uint32_t ALL_LANES = 0xffffffffu;
/**
 * Warps per resident warp: ω in the paper. 1 and 4 take 1.02 and 1.03 times as long on average, 8 takes 1.15.
 * (H200, f64, November 2026.)
 */
constexpr uint32_t OVERSUBSCRIPTION = 2;

template <class X>
__global__ void __launch_bounds__(TILE_THREADS) scale(X* y, uint32_t rows, X beta) {
  const uint32_t i = blockIdx.x * TILE_THREADS + threadIdx.x;
  if (i < rows) y[i] = beta == X{0} ? X{0} : beta * y[i];
}

/** The row of entry k, which is `row` or a later one: the last row that begins at or before k. */
__device__ uint32_t rowOf(const uint32_t* rowPtr, uint32_t rows, uint32_t row, uint32_t k) {
  uint32_t step = 1;
  for (; row + step < rows && rowPtr[row + step] <= k; step *= 2) row += step;
  uint32_t end = min(row + step, rows);
  while (end - row > 1) {
    const uint32_t middle = row + (end - row) / 2;
    if (rowPtr[middle] <= k) row = middle;
    else end = middle;
  }
  return row;
}

/** Adds the lanes' sums to their rows, which ascend with the lanes. Lanes of the same row are summed first. */
template <class X>
__device__ void addToRows(X* y, uint32_t row, X sum) {
  const uint32_t lane = threadIdx.x % WARP;
#pragma unroll
  for (uint32_t step = 1; step < WARP; step *= 2) {
    const X other = __shfl_down_sync(ALL_LANES, sum, step);
    const uint32_t rowOfOther = __shfl_down_sync(ALL_LANES, row, step);
    if (lane + step < WARP && rowOfOther == row) sum += other;
  }
  const uint32_t rowBefore = __shfl_up_sync(ALL_LANES, row, 1);
  if (row != NO_ROW && (lane == 0 || rowBefore != row)) atomicAdd(y + row, sum);
}

/** A warp computes `share` entries, a lane every 32nd of them. */
template <class V, class X>
__global__ void __launch_bounds__(TILE_THREADS)
    entriesByWarps(uint32_t rows, uint32_t nnz, uint32_t share, CsrView<V, uint32_t, X> a, const X* __restrict__ x, X* y,
                   X alpha) {
  const uint64_t first = uint64_t{share} * (blockIdx.x * TILE_WARPS + threadIdx.x / WARP);
  if (first >= nnz) return;
  const uint32_t end = static_cast<uint32_t>(min(first + share, uint64_t{nnz}));
  uint32_t k = static_cast<uint32_t>(first) + threadIdx.x % WARP;
  uint32_t row = k < end ? rowOf(a.rowPtr, rows, 0, k) : NO_ROW;
  X sum{0};
  for (uint32_t from = static_cast<uint32_t>(first); from < end; from += WARP) {
    if (k < end) sum += a.product(k, x);
    k += WARP;
    const uint32_t next = k < end ? rowOf(a.rowPtr, rows, row, k) : NO_ROW;
    if (__any_sync(ALL_LANES, next != row)) {
      addToRows(y, row, alpha * sum);
      sum = 0;
    }
    row = next;
  }
}

template <class V, class X>
class BalancedPlan : public Plan {
 public:
  BalancedPlan(const Request& request, const CsrHeader& header)
      : arrays_(request, *this, header), rows_(header.rows), nnz_(header.nnz) {
    const cudaDeviceProp& properties = request.context->properties;
    const uint64_t threads = uint64_t{OVERSUBSCRIPTION} * properties.multiProcessorCount * properties.maxThreadsPerMultiProcessor;
    share_ = WARP * std::max(1u, divideUp(nnz_, threads));
    method = "balanced";
  }

  void run(cudaStream_t stream, const void* x, void* y, double alpha, double beta) override {
    X* const target = static_cast<X*>(y);
    if (rows_ > 0 && beta != 1) {
      scale<X><<<divideUp(rows_, TILE_THREADS), TILE_THREADS, 0, stream>>>(target, rows_, static_cast<X>(beta));
      CHECK_LAUNCH("csr scale");
    }
    if (nnz_ == 0) return;
    entriesByWarps<V, X><<<divideUp(nnz_, uint64_t{share_} * TILE_WARPS), TILE_THREADS, 0, stream>>>(
        rows_, nnz_, share_, arrays_.view(), static_cast<const X*>(x), target, static_cast<X>(alpha));
    CHECK_LAUNCH("csr balanced");
  }

 private:
  CsrArrays<V, uint32_t, X> arrays_;
  uint32_t rows_;
  uint32_t nnz_;
  uint32_t share_;
};

/** Steps of a thread on the merge path: odd, so that bank conflicts are rare. A block's entries fit into a tile. */
constexpr uint32_t MERGE_STEPS = TILE_ITEMS - 1;
constexpr uint32_t MERGE_TILE = MERGE_STEPS * TILE_THREADS;
static_assert(MERGE_TILE + ENTRY_GROUP <= TILE_ROOM);

constexpr uint32_t NO_END = 0xffffffffu;

/** A position on the path: number of finished rows, and number of entries consumed. */
struct alignas(8) Place {
  uint32_t row;
  uint32_t entry;
};

/** The sum of a thread's unfinished row, and whether a row ended in the thread before it. */
template <class X>
struct Open {
  X sum;
  bool ended;
  /** The combination of the other one and then this one. */
  __device__ Open after(const Open& before) const { return {ended ? sum : before.sum + sum, ended || before.ended}; }
};

/** The row at a step, counted from the first row of the block: the first one whose end is not before the step. */
__device__ uint32_t rowAt(const uint32_t* ends, uint32_t rows, uint32_t firstEntry, uint32_t step) {
  uint32_t low = 0, high = rows;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (ends[middle] - firstEntry + middle < step) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The unfinished sum before this thread. Every thread of the block must call this; `total` is the one after the last thread. */
template <class X>
__device__ Open<X> openBefore(Open<X> mine, Open<X> (&warps)[TILE_WARPS], Open<X>& total) {
  const uint32_t lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
#pragma unroll
  for (uint32_t step = 1; step < WARP; step *= 2) {
    const Open<X> before{__shfl_up_sync(ALL_LANES, mine.sum, step), __shfl_up_sync(ALL_LANES, int{mine.ended}, step) != 0};
    if (lane >= step) mine = mine.after(before);
  }
  if (lane == WARP - 1) warps[warp] = mine;
  __syncthreads();
  Open<X> before{X{0}, false};
  for (uint32_t w = 0; w < warp; w++) before = warps[w].after(before);
  total = mine.after(before);
  const Open<X> left{__shfl_up_sync(ALL_LANES, mine.sum, 1), __shfl_up_sync(ALL_LANES, int{mine.ended}, 1) != 0};
  return lane == 0 ? before : left.after(before);
}

template <class V, class X>
__global__ void __launch_bounds__(TILE_THREADS, TILE_BLOCKS<uint32_t, X>)
    mergePath(const Place* path, const uint32_t* rowPtr, Columns<uint32_t> columns, Values<V, X> values,
              const LookBackView<X> lookBack, const X* __restrict__ x, X* y, X alpha, X beta) {
  __shared__ alignas(16) X products[TILE_ROOM];
  __shared__ uint32_t ends[MERGE_TILE];
  __shared__ Open<X> warps[TILE_WARPS];
  const Place from = path[blockIdx.x], to = path[blockIdx.x + 1];
  const Shared shared = lookBack.own();
  const uint32_t rows = to.row - from.row, steps = rows + to.entry - from.entry;
  beginCopy(ends, rowPtr + from.row + 1, rows);
  if (from.entry < to.entry) {
    Share<V, uint32_t, X> share;
    Two<X> elements[TILE_PAIRS];
    share.load(columns, values, from.entry, to.entry);
    share.gather(x, elements);
#pragma unroll
    for (int i = 0; i < TILE_PAIRS; i++) {
      *reinterpret_cast<Two<X>*>(products + share.place(i)) = share.product(values, i, elements[i]);
    }
  }
  __pipeline_wait_prior(0);
  __syncthreads();

  const uint32_t base = tileBase(from.entry);
  const uint32_t firstStep = min(threadIdx.x * MERGE_STEPS, steps);
  const uint32_t firstRow = rowAt(ends, rows, from.entry, firstStep);
  uint32_t row = firstRow;
  uint32_t k = from.entry + firstStep - row;
  // The unfinished row of the block ends in a later block.
  uint32_t end = row < rows ? ends[row] : NO_END;
  X sumOfFirst{0};
  Open<X> open{X{0}, false};
#pragma unroll 1
  for (uint32_t step = firstStep; step < min(firstStep + MERGE_STEPS, steps); step++) {
    if (k < end) {
      open.sum += products[k++ - base];
      continue;
    }
    if (open.ended) put(y + from.row + row, open.sum, alpha, beta);
    else sumOfFirst = open.sum;
    open = {X{0}, true};
    row++;
    end = row < rows ? ends[row] : NO_END;
  }
  const bool ended = open.ended;
  Open<X> total;
  const Open<X> before = openBefore(open, warps, total);
  if (threadIdx.x == TILE_THREADS - 1 && shared.openRow != NO_ROW) lookBack.publish(total.sum);
  const bool endsFirst = ended && firstRow == 0;
  X taken{0};
  if (shared.count > 0 && __any_sync(ALL_LANES, endsFirst)) taken = lookBack.take(shared.count);
  if (ended) put(y + from.row + firstRow, before.sum + sumOfFirst + (endsFirst ? taken : X{0}), alpha, beta);
}

/** The positions where the blocks begin, and the end of the last one. */
std::vector<Place> pathOf(std::span<const uint32_t> rowPtr) {
  const uint32_t rows = static_cast<uint32_t>(rowPtr.size() - 1);
  const uint64_t steps = uint64_t{rows} + rowPtr.back();
  std::vector<Place> path(divideUp(steps, MERGE_TILE) + size_t{1});
  for (size_t block = 1; block < path.size(); block++) {
    const uint64_t step = std::min<uint64_t>(steps, block * MERGE_TILE);
    uint32_t low = path[block - 1].row, high = rows;
    while (low < high) {
      const uint32_t middle = low + (high - low) / 2;
      if (uint64_t{rowPtr[middle + 1]} + middle < step) low = middle + 1;
      else high = middle;
    }
    path[block] = {low, static_cast<uint32_t>(step - low)};
  }
  return path;
}

/** The row that is unfinished at the end of each block. */
std::vector<uint32_t> openRows(const std::vector<Place>& path, std::span<const uint32_t> rowPtr) {
  std::vector<uint32_t> rows;
  for (size_t block = 1; block < path.size(); block++) {
    const auto [row, entry] = path[block];
    rows.push_back(entry == rowPtr[row] ? NO_ROW : row);
  }
  return rows;
}

template <class V, class X>
class MergePlan : public Plan {
 public:
  MergePlan(const Request& request, const CsrHeader& header) : arrays_(request, *this, header) {
    method = "merge";
    const auto rowPtr = request.heap.at<uint32_t>(header.rowPtr, header.rows + size_t{1});
    const std::vector<Place> path = pathOf(rowPtr);
    blocks_ = static_cast<uint32_t>(path.size() - 1);
    if (blocks_ == 0) return;
    path_ = request.upload(*this, std::span{path});
    lookBack_ = LookBack<X>(request, *this, openRows(path, rowPtr));
  }

  void run(cudaStream_t stream, const void* x, void* y, double alpha, double beta) override {
    if (blocks_ == 0) return;
    mergePath<V, X><<<blocks_, TILE_THREADS, 0, stream>>>(path_.data(), arrays_.rowPtr.data(), {arrays_.colIdx.data()},
                                                          arrays_.values.view(), lookBack_.view(), static_cast<const X*>(x),
                                                          static_cast<X*>(y), static_cast<X>(alpha), static_cast<X>(beta));
    CHECK_LAUNCH("csr merge");
    lookBack_.add(stream, static_cast<X*>(y), static_cast<X>(alpha));
  }

 private:
  CsrArrays<V, uint32_t, X> arrays_;
  DeviceArray<Place> path_;
  LookBack<X> lookBack_;
  uint32_t blocks_ = 0;
};

template <template <class, class> class P>
std::unique_ptr<Plan> make(const Request& request, const CsrHeader& header) {
  return withValues(request.dtype, header.values, header.table, [&]<class V, class X>(Types<V, X>) -> std::unique_ptr<Plan> {
    return std::make_unique<P<V, X>>(request, header);
  });
}

}  // namespace

std::unique_ptr<Plan> makeBalanced(const Request& request, const CsrHeader& header) {
  return make<BalancedPlan>(request, header);
}

std::unique_ptr<Plan> makeMerge(const Request& request, const CsrHeader& header) { return make<MergePlan>(request, header); }

}  // namespace sparlane
