/**
 * COO: entries sorted by row; every block has the same number of entries, for any distribution of row lengths.
 *
 * Source: Flegar & Anzt 2017, §3; Bell & Garland 2008, §4.4. Their own kernels: `methods.cu`.
 * Differs: no atomic add. A lane has four neighbouring entries of each array, read 16 bytes at a time, and sums them in order.
 *   So the segmented scan over the lanes of a warp, five shuffles, is needed once per 128 entries instead of 32. The sums of
 *   the warps of a block are combined through shared memory, those of blocks by looking back (`look-back.cuh`): one kernel. Every
 *   element of y is written once, by the block in which its row ends; separate blocks write the rows without entries
 *   (`empty-rows.cuh`).
 * Methods: `runs?tiles`, as above, with `tiles` tiles of 128 entries for each warp; and the methods of `methods.cu`.
 *   Complex numbers: `runs`, one tile for each warp.
 * Bound: bytes, 8 + V per entry and 2 X per row; some 20 instructions for 32 entries; gathers where x is larger than L1.
 */
#include "blocks/quad.cuh"
#include "complex/complex.cuh"
#include "coo/coo.cuh"
#include "empty-rows.cuh"
#include "look-back.cuh"

namespace sparlane {

namespace {

constexpr int THREADS = 256;
constexpr uint32_t WARPS = THREADS / WARP;

/** Entries of a warp: four consecutive entries for each lane. */
constexpr uint32_t TILE = QUAD * WARP;

/** Tiles that a warp has in flight: R-MAT 253 µs with one, 284 with two; 5-point 100 and 112, 27-point 248 and 257. (H200, f64, November 2026.) */
constexpr int TILES_OF_WARP = 1;

/**
 * Blocks of a multiprocessor for which registers are allocated: with 4 of them, medians are 1.03 times as long for 0.3 to 3 million entries,
 * 1.06 times beyond, the same below. Blocks of 128 threads, and loads that leave L1 to x, were no faster. (H200, 22 November 2026, 30
 * matrices of `bench/matrices/kinds`, f64 and f32.) Pairs of f64 need twice the registers.
 */
template <class X>
constexpr int RESIDENT = residentBlocks(sizeof(X) == 4   ? 6
                                        : sizeof(X) == 8 ? 5
                                                         : 4);

/** A lane's share of a tile: entries k … k + 3 of the matrix. */
template <class V, class X>
struct LaneTile {
  Quad<uint32_t> row, col;
  ValueQuad<V, X> value;
  /** Elements of x, then products. */
  Quad<X> term;
  /** The row of entry k + 4, in the last lane only. */
  uint32_t after = NO_ROW;

  __device__ __forceinline__ void read(const Entries<V, X>& a, uint32_t end, uint32_t k) {
    row = {{NO_ROW, NO_ROW, NO_ROW, NO_ROW}};
    if (k >= end) return;
    col = quad(a.colIdx + k);
    value.read(a.values, k);
    row = quad(a.rowIdx + k);
    if (threadIdx.x % WARP == WARP - 1 && k + QUAD < end) after = stream(a.rowIdx + k + QUAD);
  }

  __device__ __forceinline__ void gather(const X* x, uint32_t end, uint32_t k) {
    if (k >= end) return;
#pragma unroll
    for (uint32_t j = 0; j < QUAD; j++) term.at[j] = __ldg(x + col.at[j]);
    if (k + QUAD <= end) return;
      // Past the last entry.
#pragma unroll
    for (uint32_t j = 0; j < QUAD; j++) {
      if (k + j >= end) row.at[j] = NO_ROW;
    }
  }

  __device__ __forceinline__ void multiply(const Values<V, X>& values, uint32_t end, uint32_t k) {
    if (k >= end) return;
#pragma unroll
    for (uint32_t j = 0; j < QUAD; j++) term.at[j] *= value.at(values, j);
  }
};

/** The sums that a warp leaves for the other warps of its block. */
template <class X>
struct WarpEnds {
  /** The first row that ends in this warp, and its sum from the warp's begin; NO_ROW if none ends here. */
  uint32_t firstRow;
  X first;
  /** Whether the last row continues in the next warp, and its sum so far; whether the warp has no other row. */
  bool open, through;
  X last;
};

template <int TILES, class V, class X>
__global__ void __launch_bounds__(THREADS, RESIDENT<X>)
    runs(const Entries<V, X> a, const LookBackView<X> lookBack, uint32_t blocks, const EmptyRowsView empty,
         const X* __restrict__ x, X* y, Scalar<X> alpha, Scalar<X> beta) {
  if (blockIdx.x >= blocks) {
    scaleEmptyRows(empty, blockIdx.x - blocks, y, beta);
    return;
  }
  __shared__ WarpEnds<X> ends[WARPS];
  const Shared shared = lookBack.own();
  const uint32_t warp = threadIdx.x / WARP;
  const uint32_t lane = threadIdx.x % WARP;
  const uint32_t begin = blockIdx.x * (WARPS * TILES * TILE);
  const uint32_t end = min(begin + WARPS * TILES * TILE, a.nnz);
  const uint32_t k = begin + warp * TILES * TILE + lane * QUAD;

  LaneTile<V, X> tiles[TILES];
#pragma unroll
  for (int t = 0; t < TILES; t++) tiles[t].read(a, end, k + t * TILE);
#pragma unroll
  for (int t = 0; t < TILES; t++) tiles[t].gather(x, end, k + t * TILE);
#pragma unroll
  for (int t = 0; t < TILES; t++) tiles[t].multiply(a.values, end, k + t * TILE);

  const auto emit = [&](uint32_t row, X sum) {
    if (row == NO_ROW) return;
    if (row == shared.openRow) lookBack.publish(sum);
    else put(y + row, sum, alpha, beta);
  };

  // Sum so far of a row that continues from the previous tiles into the next one.
  X carry{0};
  bool open = false;
  // Whether no row has ended yet in this warp: the first one to end may have begun earlier.
  bool pending = true;
#pragma unroll
  for (int t = 0; t < TILES; t++) {
    const LaneTile<V, X>& tile = tiles[t];
    const auto& row = tile.row.at;
    const auto& term = tile.term.at;
    // Sum of the lane's last row, and of its first row if another follows. No branches: rows end at different places in the lanes.
    X head{0};
    X sum = term[0];
    bool ended = false;
#pragma unroll
    for (uint32_t j = 1; j < QUAD; j++) {
      const bool ends = row[j] != row[j - 1];
      if (ends && !ended) head = sum;
      ended |= ends;
      sum = ends ? term[j] : sum + term[j];
    }
    if (row[1] != row[2] && row[0] != row[1]) emit(row[1], term[1]);
    if (row[2] != row[3] && row[0] != row[2]) emit(row[2], row[1] == row[2] ? term[1] + term[2] : term[2]);
    const uint32_t next = __shfl_down_sync(0xffffffffu, row[0], 1);
    const bool goesOn = row[QUAD - 1] == (lane == WARP - 1 ? tile.after : next);
    const uint32_t endedIn = __ballot_sync(0xffffffffu, ended);
    const uint32_t goesOnFrom = __ballot_sync(0xffffffffu, goesOn);
    if (t > 0 && lane == 0) (ended ? head : sum) += carry;
    sum = sumOfRun(sum, endedIn | ~(goesOnFrom << 1));
    const X before = __shfl_up_sync(0xffffffffu, sum, 1);
    if (goesOnFrom << 1 >> lane & 1) head += before;
    open = goesOnFrom >> (WARP - 1);
    carry = __shfl_sync(0xffffffffu, sum, WARP - 1);
    if (!open) carry = X{0};

    X first = ended ? head : sum;
    uint32_t firstRow = ended || !goesOn ? row[0] : NO_ROW;
    if (const uint32_t lanes = endedIn | ~goesOnFrom; pending && lanes != 0) {
      if (lane == static_cast<uint32_t>(__ffs(static_cast<int>(lanes)) - 1)) {
        ends[warp].firstRow = firstRow;
        ends[warp].first = first;
        firstRow = NO_ROW;
      }
      pending = false;
    }
    emit(firstRow, first);
    if (ended && !goesOn) emit(row[QUAD - 1], sum);
  }

  if (lane == 0) {
    if (pending) ends[warp].firstRow = NO_ROW;
    ends[warp].open = open;
    ends[warp].through = pending;
    ends[warp].last = carry;
  }
  __syncthreads();
  if (warp > 0) return;
  // The first row of each warp, plus the share of the previous warps, and of previous blocks.
  const WarpEnds<X>& own = ends[lane % WARPS];
  const uint32_t row = lane < WARPS ? own.firstRow : NO_ROW;
  X sum = row == NO_ROW ? X{0} : own.first;
  for (uint32_t before = lane; row != NO_ROW && before-- > 0 && ends[before].open;) {
    sum += ends[before].last;
    if (!ends[before].through) break;
  }
  const uint32_t ended = __ballot_sync(0xffffffffu, row != NO_ROW);
  const bool waits = shared.count > 0 && lane == static_cast<uint32_t>(__ffs(static_cast<int>(ended)) - 1);
  // The unfinished row is published before this block waits.
  if (!waits) emit(row, sum);
  if (shared.count == 0) return;
  const X taken = lookBack.take(shared.count);
  if (waits) emit(row, sum + taken);
}

/** The row that is unfinished at the end of each block. */
std::vector<uint32_t> openRows(std::span<const uint32_t> rowIdx, uint32_t capacity) {
  std::vector<uint32_t> rows;
  for (size_t end = capacity; end < rowIdx.size() + capacity; end += capacity) {
    const bool goesOn = end < rowIdx.size() && rowIdx[end] == rowIdx[end - 1];
    rows.push_back(goesOn ? rowIdx[end] : NO_ROW);
  }
  return rows;
}

template <int TILES, class V, class X>
class RunsPlan final : public Plan {
 public:
  RunsPlan(const Request& request, const CooAtomicHeader& coo)
      : blocks_(divideUp(coo.nnz, TILES * TILE * WARPS)), entries_(request, *this, coo) {
    const auto rowIdx = request.heap.at<uint32_t>(coo.rowIdx, coo.nnz);
    lookBack_ = LookBack<X>(request, *this, openRows(rowIdx, TILES * TILE * WARPS));
    // Where COO adds to y, another part of the matrix writes the rows without entries.
    if (!coo.adds && coo.rows > 0) empty_ = EmptyRows(request, *this, coo.rows, entries_.view().rowIdx, coo.nnz);
    method = IS_COMPLEX<X> ? "runs" : "runs?tiles=" + std::to_string(TILES);
  }

  void run(cudaStream_t stream, const void* x, void* y, double alpha, double beta) override {
    const uint32_t all = blocks_ + empty_.blocks();
    if (all == 0) return;
    runs<TILES><<<all, THREADS, 0, stream>>>(entries_.view(), lookBack_.view(), blocks_, empty_.view(), static_cast<const X*>(x),
                                             static_cast<X*>(y), static_cast<Scalar<X>>(alpha), static_cast<Scalar<X>>(beta));
    CHECK_LAUNCH("coo runs");
    lookBack_.add(stream, static_cast<X*>(y), static_cast<Scalar<X>>(alpha));
  }

 private:
  uint32_t blocks_;
  StoredEntries<V, X> entries_;
  LookBack<X> lookBack_;
  EmptyRows empty_;
};

constexpr MethodEntry METHODS[] = {{"runs", {"tiles"}},
                                   {"flegar", {"omega"}, true},
                                   {"segmented"},
                                   {"atomic", {"blocks", "threads"}, true},
                                   {"shared", {"blocks", "threads"}, true}};

std::unique_ptr<Plan> makeCoo(const Request& request) {
  const auto& coo = request.heap.header<CooAtomicHeader>(request.header);
  const Method method(request.method, METHODS);
  if (method.name() != "runs") return makeCooMethod(request, method);
  const int tiles = method.get("tiles", TILES_OF_WARP, 1, 2);
  return withValues(request.dtype, coo.values, coo.table, [&]<class V, class X>(Types<V, X>) -> std::unique_ptr<Plan> {
    if (tiles == 1) return std::make_unique<RunsPlan<1, V, X>>(request, coo);
    return std::make_unique<RunsPlan<2, V, X>>(request, coo);
  });
}

constexpr MethodEntry COMPLEX_METHODS[] = {{"runs"}};

std::unique_ptr<Plan> makeComplex(const Request& request) {
  const Method method(request.method, COMPLEX_METHODS);
  return withPairs<Complex, CooAtomicHeader>(
      request, [&]<class V, class X>(Types<V, X>, const CooAtomicHeader& coo) -> std::unique_ptr<Plan> {
        return std::make_unique<RunsPlan<TILES_OF_WARP, V, X>>(request, coo);
      });
}

}  // namespace

extern const KernelEntry cooKernel, complexCooKernel;
const KernelEntry cooKernel{"coo", "spmv", makeCoo, METHODS};
const KernelEntry complexCooKernel{"complex_coo", "spmv", makeComplex, COMPLEX_METHODS};

}  // namespace sparlane
