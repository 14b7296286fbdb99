/**
 * COO: entries sorted by row; every block has the same number of entries, for any distribution of row lengths.
 *
 * Source: Flegar & Anzt 2017, §3; Bell & Garland 2008, §4.4. Their own kernels: `coo-methods.cu`.
 * Differs: no atomic add. A lane has four neighbouring entries of each array, read 16 bytes at a time, and sums them in order.
 *   So the segmented scan over the lanes of a warp, five shuffles, is needed once per 128 entries instead of 32. The sums of
 *   the warps of a block are combined through shared memory, those of blocks through carries. If a row ends near the limit
 *   between two blocks, the limit is moved there and needs no carry. Every element of y is written once, by the block in which
 *   its row ends; separate blocks write the rows without entries (`empty-rows.cuh`).
 * Methods: `runs?tiles`, as above, with `tiles` tiles of 128 entries for each warp; and the methods of `coo-methods.cu`.
 * Bound: bytes, 8 + V per entry and 2 X per row; some 20 instructions for 32 entries; gathers where x is larger than L1.
 */
#include "carries.cuh"
#include "coo.cuh"
#include "empty-rows.cuh"
#include "quad.cuh"

namespace sparlane {

namespace {

constexpr int THREADS = 256;
constexpr uint32_t WARPS = THREADS / WARP;

/** Entries of a warp: four consecutive entries for each lane. */
constexpr uint32_t TILE = QUAD * WARP;

/** Maximum number of entries that a block gives up in order to end with a row. Rows up to this length are never shared. */
constexpr uint32_t SLACK = 128;

/** Tiles that a warp has in flight: R-MAT 253 µs with one, 284 with two; 5-point 100 and 112, 27-point 248 and 257. (H200, f64, November 2026.) */
constexpr int TILES_OF_WARP = 1;

/** The entries of a block, and the row that is unfinished at its end, or NO_ROW. */
struct Span {
  uint32_t begin, end, openRow;
};

/** A lane's share of a tile: entries k … k + 3 of the matrix. */
template <class V, class X>
struct LaneTile {
  Quad<uint32_t> row, col;
  ValueQuad<V, X> value;
  /** Elements of x, then products. */
  Quad<X> term;
  /** The row of entry k + 4, in the last lane only. */
  uint32_t after = NO_ROW;

  __device__ __forceinline__ void read(const Entries<V, X>& a, const Span& span, uint32_t k) {
    row = {{NO_ROW, NO_ROW, NO_ROW, NO_ROW}};
    if (k >= span.end) return;
    col = quad(a.colIdx + k);
    value.read(a.values, k);
    row = quad(a.rowIdx + k);
    if (threadIdx.x % WARP == WARP - 1 && k + QUAD < span.end) after = stream(a.rowIdx + k + QUAD);
  }

  __device__ __forceinline__ void gather(const X* x, const Span& span, uint32_t k) {
    if (k >= span.end) return;
#pragma unroll
    for (uint32_t j = 0; j < QUAD; j++) term.at[j] = __ldg(x + col.at[j]);
    if (k >= span.begin && k + QUAD <= span.end) return;
      // Entries of other blocks, or past the last entry.
#pragma unroll
    for (uint32_t j = 0; j < QUAD; j++) {
      if (k + j < span.begin || k + j >= span.end) row.at[j] = NO_ROW;
    }
  }

  __device__ __forceinline__ void multiply(const Values<V, X>& values, const Span& span, uint32_t k) {
    if (k >= span.end) return;
#pragma unroll
    for (uint32_t j = 0; j < QUAD; j++) term.at[j] *= value.at(values, j);
  }
};

/** The sums that a warp leaves for the other warps of its block. */
template <class X>
struct WarpEnds {
  /** The first row that ends in this warp, and its sum from the warp's begin; NO_ROW in the first warp, or if none ends here. */
  uint32_t firstRow;
  X first;
  /** Whether the last row continues in the next warp, and its sum so far; whether the warp has no other row. */
  bool open, through;
  X last;
};

template <int TILES, class V, class X>
__global__ void __launch_bounds__(THREADS, 4)
    runs(const Entries<V, X> a, const Span* spans, uint32_t blocks, const EmptyRowsView empty, const X* __restrict__ x, X* y,
         X* carries, X alpha, X beta) {
  if (blockIdx.x >= blocks) {
    scaleEmptyRows(empty, blockIdx.x - blocks, y, beta);
    return;
  }
  __shared__ WarpEnds<X> ends[WARPS];
  const Span span = spans[blockIdx.x];
  const uint32_t warp = threadIdx.x / WARP;
  const uint32_t lane = threadIdx.x % WARP;
  const uint32_t k = span.begin / QUAD * QUAD + warp * TILES * TILE + lane * QUAD;

  LaneTile<V, X> tiles[TILES];
#pragma unroll
  for (int t = 0; t < TILES; t++) tiles[t].read(a, span, k + t * TILE);
#pragma unroll
  for (int t = 0; t < TILES; t++) tiles[t].gather(x, span, k + t * TILE);
#pragma unroll
  for (int t = 0; t < TILES; t++) tiles[t].multiply(a.values, span, k + t * TILE);

  const auto emit = [&](uint32_t row, X sum) {
    if (row == NO_ROW) return;
    if (row == span.openRow) carries[blockIdx.x] = alpha * sum;
    else put(y + row, sum, alpha, beta);
  };

  // Sum so far of a row that continues from the previous tiles into the next one.
  X carry = 0;
  bool open = false;
  // Whether no row has ended yet in this warp: the first one to end may have begun in a previous warp.
  bool pending = warp > 0;
#pragma unroll
  for (int t = 0; t < TILES; t++) {
    const LaneTile<V, X>& tile = tiles[t];
    const auto& row = tile.row.at;
    const auto& term = tile.term.at;
    // Sum of the lane's last row, and of its first row if another follows. No branches: rows end at different places in the lanes.
    X head = 0;
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
    if (!open) carry = 0;

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
    if (pending || warp == 0) ends[warp].firstRow = NO_ROW;
    ends[warp].open = open;
    ends[warp].through = pending;
    ends[warp].last = carry;
  }
  __syncthreads();
  if (threadIdx.x >= WARPS) return;
  // The first row of each warp, plus the share of the previous warps.
  const WarpEnds<X>& own = ends[threadIdx.x];
  if (own.firstRow == NO_ROW) return;
  X sum = own.first;
  for (uint32_t before = threadIdx.x - 1; ends[before].open; before--) {
    sum += ends[before].last;
    if (!ends[before].through) break;
  }
  emit(own.firstRow, sum);
}

/** Blocks of at most `capacity` entries, beginning at a multiple of four; cut between rows if one ends within SLACK. */
std::vector<Span> cut(std::span<const uint32_t> rowIdx, uint32_t capacity) {
  const auto nnz = static_cast<uint32_t>(rowIdx.size());
  const auto goesOn = [&](uint32_t k) { return rowIdx[k] == rowIdx[k - 1]; };
  std::vector<Span> spans;
  spans.reserve(nnz / (capacity - SLACK) + 1);
  for (uint32_t begin = 0; begin < nnz;) {
    uint32_t end = std::min(begin / QUAD * QUAD + capacity, nnz);
    if (end < nnz) {
      uint32_t rowEnd = end;
      while (rowEnd > end - SLACK && goesOn(rowEnd)) rowEnd--;
      if (!goesOn(rowEnd)) end = rowEnd;
    }
    spans.push_back({begin, end, end < nnz && goesOn(end) ? rowIdx[end] : NO_ROW});
    begin = end;
  }
  return spans;
}

std::vector<uint32_t> openRows(std::span<const Span> spans) {
  std::vector<uint32_t> rows;
  rows.reserve(spans.size());
  for (const Span& span : spans) rows.push_back(span.openRow);
  return rows;
}

template <class V, class X>
class RunsPlan : public Plan {
 public:
  RunsPlan(const Request& request, const CooAtomicHeader& coo, int tiles)
      : RunsPlan(request, coo, tiles, cut(request.heap.at<uint32_t>(coo.rowIdx, coo.nnz), tiles * TILE * WARPS)) {}

  void run(cudaStream_t stream, const void* x, void* y, double alpha, double beta) override {
    if (tiles_ == 1) queue<1>(stream, x, y, alpha, beta);
    else queue<2>(stream, x, y, alpha, beta);
  }

 private:
  RunsPlan(const Request& request, const CooAtomicHeader& coo, int tiles, const std::vector<Span>& spans)
      : tiles_(tiles),
        entries_(request, *this, coo),
        spans_(request.upload(*this, std::span(spans))),
        carries_(request, *this, openRows(spans)) {
    if (!coo.adds) empty_ = EmptyRows(request, *this, coo.rows, entries_.view().rowIdx, coo.nnz);
    method = "runs?tiles=" + std::to_string(tiles);
  }

  template <int TILES>
  void queue(cudaStream_t stream, const void* x, void* y, double alpha, double beta) {
    const auto blocks = static_cast<uint32_t>(spans_.length());
    if (const uint32_t all = blocks + empty_.blocks(); all > 0) {
      runs<TILES><<<all, THREADS, 0, stream>>>(entries_.view(), spans_.data(), blocks, empty_.view(), static_cast<const X*>(x),
                                               static_cast<X*>(y), carries_.data(), static_cast<X>(alpha), static_cast<X>(beta));
      CHECK_LAUNCH("coo runs");
    }
    carries_.add(stream, static_cast<X*>(y));
  }

  int tiles_;
  StoredEntries<V, X> entries_;
  DeviceArray<Span> spans_;
  Carries<X> carries_;
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
    return std::make_unique<RunsPlan<V, X>>(request, coo, tiles);
  });
}

}  // namespace

extern const KernelEntry cooKernel;
const KernelEntry cooKernel{"coo", "spmv", makeCoo, METHODS};

}  // namespace sparlane
