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
 *   split   `width` threads per row (SELL-P); sums are added in shared memory.
 *   In `row` and `slices` chunks too wide for a thread are cut into pieces, 32 threads to a row (`pieces.cuh`).
 * Bound: bytes, S (I + V) + 4 (chunks + 1) + X (rows + cols); for short rows of narrow entries: latency of chunkPtr, columns, x.
 */
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "columns.cuh"
#include "sell.cuh"

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
/**
 * Rows per multiprocessor up to which rows of more than 7 columns are read in batches of 14: all rows are then resident, and each
 * further batch only adds its latency. With batches of 7, ELL and SELL take 1.01 times as long on average (H200, 22 November 2026, 25
 * matrices of `bench/kinds` below 3 million entries).
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
 * Minimum columns per thread of a row, if a row has several. 7 × 7 blocks of 34,300 rows take 10.7 µs with 4 or 8, 20.2 with 16; dense
 * 358² 10.2, 10.2 and 13.3. (H200, f64, November 2026, `bench/cuda/run.mjs`.)
 */
constexpr uint32_t SPLIT_COLUMNS = 8;

/** The chunk height supported by `row`; other heights are converted to slices. */
constexpr uint32_t ROW_STEP = 8;
constexpr int MAX_THREADS = 512;
constexpr int TEAMS_BLOCK = 256;
constexpr uint32_t MAX_WIDTH = 32;

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

/** Threads per row: enough to fill the device, as long as each has enough columns. */
uint32_t fittingWidth(const cudaDeviceProp& device, uint32_t rows, uint32_t entries) {
  if (rows == 0) return 1;
  const uint64_t threads = uint64_t(device.multiProcessorCount) * device.maxThreadsPerMultiProcessor;
  const uint64_t width = std::min({threads / rows, uint64_t{entries} / rows / SPLIT_COLUMNS, uint64_t{MAX_WIDTH}});
  return static_cast<uint32_t>(std::bit_floor(std::max(width, uint64_t{1})));
}

template <class V, class I, class X>
class SellPlan final : public Plan {
 public:
  SellPlan(const Request& request, const SellHeader& header)
      : entries_(chunkPtrOf(request, header).back()),
        a_(request, *this, header, entries_),
        columns_(commonColumns(chunkPtrOf(request, header), a_.shift)) {
    const Method asked(request.method, METHODS);
    const uint32_t fitting = fittingWidth(request.context->properties, a_.rows, entries_);
    const bool isSplit = asked.name() == "split" || (request.method.empty() && fitting > 1);
    const uint32_t width = isSplit ? asked.get("width", std::max(fitting, 2u), 1, MAX_WIDTH) : MAX_WIDTH;
    widthShift_ = std::bit_width(width) - 1;
    const uint32_t columns = a_.rows == 0 ? 0 : divideUp(entries_, a_.rows);
    longColumns_ = std::max(LONG_COLUMNS, static_cast<uint32_t>(LONG_SHARE * columns));
    PieceList list = cutChunks(request, header, isSplit ? 0 : longColumns_ + 1, PIECE_COLUMNS << widthShift_);
    pieces_ = Pieces<X>(request, *this, list);
    if (isSplit) {
      method = "split?width=" + std::to_string(1 << widthShift_);
      return;
    }
    const bool isResident = a_.rows <= RESIDENT_ROWS * request.context->properties.multiProcessorCount;
    const uint32_t unroll = asked.get("unroll", columns <= 5 ? 5 : columns > 7 && isResident ? 14 : 7, 5, 14);
    unroll_ = unroll <= 5 ? 5 : unroll <= 7 ? 7 : 14;
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
    if (block_ == 0 || a_.rows == 0) return;
    const bool isSliced = slicePtr_.length() > 0;
    const auto kernel = unroll_ == 5   ? (isSliced ? rowKernel<V, I, X, WARP, 5> : rowKernel<V, I, X, ROW_STEP, 5>)
                        : unroll_ == 7 ? (isSliced ? rowKernel<V, I, X, WARP, 7> : rowKernel<V, I, X, ROW_STEP, 7>)
                                       : (isSliced ? rowKernel<V, I, X, WARP, 14> : rowKernel<V, I, X, ROW_STEP, 14>);
    kernel<<<divideUp(a_.rows, block_), block_, 0, stream>>>(chunks(), a_.values.view(), x, y, alpha, beta);
    CHECK_LAUNCH("sell");
  }

  void runPieces(cudaStream_t stream, const X* x, X* y, X alpha, X beta) const {
    const auto count = static_cast<uint32_t>(pieces_.pieces.length());
    if (count == 0) return;
    const uint32_t blocks = divideUp(uint64_t{count} << (a_.shift + widthShift_), TEAMS_BLOCK);
    pieceKernel<V, I, X><<<blocks, TEAMS_BLOCK, 0, stream>>>(chunks(), a_.values.view(), pieces_.pieces.data(), count,
                                                             widthShift_, pieces_.slots.data(), x, y, alpha, beta);
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
  uint32_t widthShift_ = 0;
  uint32_t unroll_ = 0;
  /** 0 if all rows are in pieces. */
  uint32_t block_ = 0;
};

}  // namespace

extern const KernelEntry sellKernel;
const KernelEntry sellKernel{"sell", "spmv", makeOverChunks<SellPlan>, METHODS};

}  // namespace sparlane
