/**
 * SELL-C-σ, sliced ELLPACK: C rows side by side. Also ELL, and the first stage of HYB. Layout: `src/formats/sell/sell.ts`.
 *
 * Source: Kreutzer et al. 2014; Anzt, Tomov & Dongarra 2014 (SELL-P: several threads per row); Bell & Garland 2008, §4.2 (ELL).
 * Differs: C is the CPU's 4 or 8, not a warp's 32: lanes 8 i … 8 i + 7 of a warp read a column of chunk i, 64 bytes in f64, whole
 *   sectors. A batch of columns is read before the first of them is used.
 * Methods:
 *   row     a thread per row (Bell & Garland's ELL kernel). `unroll`: columns in a batch, 5, 7 or 14; `block`: threads.
 *   slices  the same over slices of 32 rows, converted from chunks on the device: entries narrower than 4 bytes then fill
 *           whole sectors too. A thread stops where its chunk ended, so the additional padding is neither read nor multiplied.
 *   split   `width` threads per row (SELL-P), the neighbours of a chunk's other rows; sums are added by shuffles.
 *   Chunks too wide for their threads are cut into pieces, 32 threads to a row (`pieces.cuh`).
 * Bound: bytes, S (I + V) + 4 (chunks + 1) + X (rows + cols); for short rows of narrow entries: latency of chunkPtr, columns, x.
 */
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "sell/kernels.cuh"

namespace sparlane {
namespace {

constexpr MethodEntry METHODS[] = {{"row", {"unroll", "block"}}, {"slices", {"unroll", "block"}}, {"split", {"width"}}};

// Defaults.
/**
 * Threads. Together with a batch chosen by the mean columns of a row, they are within 1.0 % of the best of 64 to 512 threads with `row`
 * in batches of 5 and 7; with 16-bit columns within 3.7 % of the best with `slices`; on five matrices at a quarter of their size. (H200,
 * f64, November 2026, `bench/cuda/shapes.mjs`.)
 */
constexpr uint32_t BLOCK = 256;
/** A thread that has a row reads so many columns in a batch. */
constexpr uint32_t ROW_BATCH = 7;
/**
 * Rows per multiprocessor up to which rows of more than 7 columns are read in batches of 14: all rows are then resident, and each
 * further batch only adds its latency. With batches of 7, ELL and SELL take 1.01 times as long on average (H200, 22 November 2026, 25
 * matrices of `bench/matrices/kinds` below 3 million entries).
 */
constexpr uint32_t RESIDENT_ROWS = 768;
/**
 * Mean columns of a row above which `slices` is used: 27-point with 16-bit columns 139 µs, with `row` 152, band 83 and 99;
 * but 5-point 80 and 77, with a table 54 and 50. (H200, f64, November 2026.)
 */
constexpr uint32_t SHORT_COLUMNS = 6;
/**
 * Places of slices per entry of chunks above which `slices` is not chosen by default. Above it, R-MAT takes 57 µs with slices and 53
 * without; below it, circuit 38.7 and 39.5. (H200, f64, November 2026, `bench/cuda/run.mjs`.)
 */
constexpr double MAX_GROWTH = 1.5;
/**
 * Chunks of more columns, in number and as a multiple of the mean, are cut: one thread per row would delay all others. Lognormal
 * rows of mean 64 take 97 µs with 64, 104 with 128, 118 with 256; of mean 200 273, 262 and 244. (H200, f64, November 2026.)
 */
constexpr uint32_t LONG_COLUMNS = 64;
constexpr double LONG_SHARE = 1.25;
/**
 * Columns of a piece per thread of a row: 4, 8 and 32 are within 2 % on average, 64 takes 1.03 times as long. (H200,
 * f64, November 2026.)
 */
constexpr uint32_t PIECE_COLUMNS = 16;
/**
 * Columns up to which a row has one thread; of longer rows a thread has about so many, if the device has room for that many threads. 1,016
 * rows of 41 columns take 4.5 µs, 6.7 with two threads each, 7.0 by pieces of all rows; 70,454 of 51 16.5, 19.0 and 33.9. (H200, f64,
 * 23 November 2026, `bench/matrices/kinds`.)
 */
constexpr uint32_t THREAD_COLUMNS = 8;
/**
 * Rows of one batch are split only if there are few per multiprocessor: 35,765 rows of 13 columns take 6.4 µs unsplit, 6.7 with two threads
 * each; 3,340 of 16 5.0 and 4.5 (same run).
 */
constexpr uint32_t BATCH_COLUMNS = 14;
constexpr uint32_t FEW_ROWS = 128;
/** Threads per thread that is resident at a time: a few may come later. */
constexpr double ROOM = 1.1;

/** Where slices of 32 rows begin, each as wide as its widest chunk; none if the number of entries exceeds 32 bits. */
std::optional<std::vector<uint32_t>> slicesOf(std::span<const uint32_t> chunkPtr, uint32_t shift) {
  const size_t chunks = chunkPtr.size() - 1;
  const size_t inSlice = WARP >> shift;
  std::vector<uint32_t> slicePtr{0};
  uint64_t entries = 0;
  for (size_t first = 0; first < chunks; first += inSlice) {
    uint32_t widest = 0;
    for (size_t chunk = first; chunk < std::min(first + inSlice, chunks); chunk++) {
      widest = std::max(widest, chunkPtr[chunk + 1] - chunkPtr[chunk]);
    }
    entries += uint64_t{widest} * inSlice;
    if (entries > UINT32_MAX) return {};
    slicePtr.push_back(static_cast<uint32_t>(entries));
  }
  return slicePtr;
}

/** The columns of all chunks, if they are as wide as each other; else 0. */
uint32_t commonColumns(std::span<const uint32_t> chunkPtr, uint32_t shift) {
  if (chunkPtr.size() < 2) return 0;
  const uint32_t entries = chunkPtr[1] - chunkPtr[0];
  for (size_t chunk = 1; chunk + 1 < chunkPtr.size(); chunk++) {
    if (chunkPtr[chunk + 1] - chunkPtr[chunk] != entries) return 0;
  }
  return entries >> shift;
}

/** Threads per row. */
uint32_t fittingWidth(const cudaDeviceProp& device, uint32_t rows, uint32_t entries) {
  if (rows == 0) return 1;
  const uint32_t columns = divideUp(entries, rows);
  const auto multiprocessors = static_cast<uint32_t>(device.multiProcessorCount);
  if (columns <= THREAD_COLUMNS || (columns <= BATCH_COLUMNS && rows > FEW_ROWS * multiprocessors)) return 1;
  const double threads = ROOM * multiprocessors * device.maxThreadsPerMultiProcessor;
  const auto most = static_cast<uint32_t>(std::clamp(threads / rows, 1.0, double{MAX_WIDTH}));
  const uint32_t wanted = divideUp(columns, THREAD_COLUMNS);
  const bool isSmall = 2.0 * rows * std::bit_ceil(wanted) <= threads;
  return std::min(isSmall ? std::bit_ceil(wanted) : std::bit_floor(wanted), std::bit_floor(most));
}

template <class V, class I, class X>
class SellPlan final : public Plan {
 public:
  SellPlan(const Request& request, const SellHeader& header)
      : entries_(chunkPtrOf(request, header).back()),
        a_(request, *this, header, entries_),
        columns_(commonColumns(chunkPtrOf(request, header), a_.shift)) {
    const Method asked(request.method, METHODS);
    const uint32_t columns = a_.rows == 0 ? 0 : divideUp(entries_, a_.rows);
    const uint32_t fitting = fittingWidth(request.context->properties, a_.rows, entries_);
    if (asked.name() == "split" || (request.method.empty() && fitting > 1)) {
      const auto width = static_cast<uint32_t>(asked.get("width", static_cast<int>(std::max(fitting, 2u)), 1, MAX_WIDTH));
      teamShift_ = std::clamp<uint32_t>(std::bit_width(width) - 1 + a_.shift, LEAST_TEAM_SHIFT, MOST_TEAM_SHIFT);
    }
    const uint32_t width = 1u << (teamShift_ == 0 ? 0 : teamShift_ - a_.shift);
    longColumns_ = std::max(LONG_COLUMNS * width, static_cast<uint32_t>(LONG_SHARE * columns));
    PieceList list = cutChunks(request, header, longColumns_ + 1, PIECE_COLUMNS * MAX_WIDTH);
    pieces_ = Pieces<X>(request, *this, list);
    if (teamShift_ > 0) {
      method = "split?width=" + std::to_string(width);
      return;
    }
    const bool isResident = a_.rows <= RESIDENT_ROWS * request.context->properties.multiProcessorCount;
    const uint32_t unroll = asked.get("unroll", columns <= 5 ? 5 : columns > ROW_BATCH && isResident ? 14 : ROW_BATCH, 5, 14);
    unroll_ = unroll <= 5 ? 5 : unroll <= ROW_BATCH ? ROW_BATCH : 14;
    block_ = asked.get("block", BLOCK, WARP, MAX_THREADS) / WARP * WARP;
    const bool mustSlice = asked.name() == "slices" || header.chunkHeight != ROW_STEP;
    if (mustSlice || (request.method.empty() && columns > SHORT_COLUMNS)) {
      makeSlices(request, header, mustSlice ? INFINITY : MAX_GROWTH);
    }
    method = slicePtr_.length() > 0 ? "slices" : "row";
    method += "?unroll=" + std::to_string(unroll_) + "&block=" + std::to_string(block_);
  }

  void run(cudaStream_t stream, const void* x, void* y, double alpha, double beta) override {
    const auto* from = static_cast<const X*>(x);
    auto* to = static_cast<X*>(y);
    runRows(stream, from, to, static_cast<X>(alpha), static_cast<X>(beta));
    runPieces(stream, from, to, static_cast<X>(alpha), static_cast<X>(beta));
  }

 private:
  Chunks<I> chunks() const {
    return {a_.rows,          a_.shift,         longColumns_,    columns_,           a_.chunkPtr.data(),
            slicePtr_.data(), a_.colIdx.data(), a_.rowOf.data(), a_.chunkBase.data()};
  }

  /** Converts chunks to slices, unless that takes more than `growth` times their places. */
  void makeSlices(const Request& request, const SellHeader& header, double growth) {
    const auto slicePtr = slicesOf(chunkPtrOf(request, header), a_.shift);
    if (!slicePtr) throw Failure{"fill-in", "slices: expected fewer than 2^32 places, got more"};
    if (slicePtr->back() > growth * entries_) return;
    const Chunks<I> from = chunks();
    slicePtr_ = request.upload(*this, std::span(*slicePtr));
    relay(request, from, a_.colIdx, slicePtr->back());
    relay(request, from, a_.values.values, slicePtr->back());
  }

  template <class T>
  void relay(const Request& request, const Chunks<I>& from, DeviceArray<T>& array, size_t length) {
    auto slices = request.room<T>(*this, length);
    if (a_.rows > 0) {
      const uint32_t blocks = divideUp(a_.rows, TEAMS_BLOCK);
      sliceKernel<<<blocks, TEAMS_BLOCK, 0, request.context->stream>>>(from, chunks(), array.data(), slices.data());
      CHECK_LAUNCH("sell slices");
    }
    bytes -= array.bytes();
    array = std::move(slices);
  }

  void runRows(cudaStream_t stream, const X* x, X* y, X alpha, X beta) const {
    if (a_.rows == 0) return;
    if (teamShift_ > 0) return runSplit(stream, x, y, alpha, beta);
    const bool isSliced = slicePtr_.length() > 0;
    const auto kernel = unroll_ == 5 ? (isSliced ? rowKernel<V, I, X, WARP, 5> : rowKernel<V, I, X, ROW_STEP, 5>)
                        : unroll_ == ROW_BATCH
                            ? (isSliced ? rowKernel<V, I, X, WARP, ROW_BATCH> : rowKernel<V, I, X, ROW_STEP, ROW_BATCH>)
                            : (isSliced ? rowKernel<V, I, X, WARP, 14> : rowKernel<V, I, X, ROW_STEP, 14>);
    kernel<<<divideUp(a_.rows, block_), block_, 0, stream>>>(chunks(), a_.values.view(), x, y, alpha, beta);
    CHECK_LAUNCH("sell");
  }

  void runSplit(cudaStream_t stream, const X* x, X* y, X alpha, X beta) const {
    const uint32_t blocks = divideUp(uint64_t{divideUp(a_.rows, 1u << a_.shift)} << teamShift_, TEAMS_BLOCK);
    splitKernelOf()<<<blocks, TEAMS_BLOCK, 0, stream>>>(chunks(), a_.values.view(), x, y, alpha, beta);
    CHECK_LAUNCH("sell split");
  }

  auto splitKernelOf() const {
    switch (teamShift_) {
      case 4: return splitKernel<V, I, X, 16>;
      case 5: return splitKernel<V, I, X, 32>;
      case 6: return splitKernel<V, I, X, 64>;
      case 7: return splitKernel<V, I, X, 128>;
      default: return splitKernel<V, I, X, 256>;
    }
  }

  void runPieces(cudaStream_t stream, const X* x, X* y, X alpha, X beta) const {
    const auto count = static_cast<uint32_t>(pieces_.pieces.length());
    if (count == 0) return;
    const uint32_t blocks = divideUp(uint64_t{count} << a_.shift, TEAMS_BLOCK / MAX_WIDTH);
    pieceKernel<V, I, X><<<blocks, TEAMS_BLOCK, 0, stream>>>(chunks(), a_.values.view(), pieces_.pieces.data(), count,
                                                             std::countr_zero(MAX_WIDTH), pieces_.slots.data(), x, y, alpha,
                                                             beta);
    CHECK_LAUNCH("sell pieces");
    pieces_.fold(stream, y, alpha, beta);
  }

  /** With padding. */
  uint32_t entries_;
  StoredChunks<V, I, X> a_;
  uint32_t columns_;
  uint32_t longColumns_;
  DeviceArray<uint32_t> slicePtr_;
  Pieces<X> pieces_;
  /** log2 of the threads of a chunk, if a row has several. */
  uint32_t teamShift_ = 0;
  uint32_t unroll_ = 0;
  uint32_t block_ = 0;
};

}  // namespace

extern const KernelEntry sellKernel;
const KernelEntry sellKernel{"sell", "spmv", makeOverChunks<SellPlan>, METHODS};

}  // namespace sparlane
