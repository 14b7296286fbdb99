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
 *   By default the one that is expected to take least (`costs.cuh`); chunks of 4 rows have no `row`.
 *   Chunks too wide for their threads are cut into pieces, 32 threads to a row (`pieces.cuh`).
 * Bound: bytes, S (I + V) + 4 (chunks + 1) + X (rows + cols); for short rows of narrow entries: latency of chunkPtr, columns, x.
 */
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "candidate.cuh"
#include "sell/costs.cuh"

namespace sparlane {
namespace {

constexpr MethodEntry METHODS[] = {{"row", {"unroll", "block"}}, {"slices", {"unroll", "block"}}, {"split", {"width"}}};

/**
 * Threads. Together with a batch chosen by the mean columns of a row, they are within 1.0 % of the best of 64 to 512 threads with `row`
 * in batches of 5 and 7; with 16-bit columns within 3.7 % of the best with `slices`; on five matrices at a quarter of their size. (H200,
 * f64, November 2026, `bench/cuda/shapes.mjs`.)
 */
constexpr uint32_t BLOCK = 256;

/** Where slices of 32 rows begin, each as wide as its widest chunk; none if the number of entries exceeds 32 bits. */
std::optional<std::vector<uint32_t>> slicesOf(std::span<const uint32_t> chunkPtr, uint32_t shift) {
  const size_t inSlice = WARP >> shift;
  std::vector<uint32_t> slicePtr{0};
  uint64_t entries = 0;
  forEachWidest(chunkPtr, inSlice, [&](uint32_t widest) {
    entries += uint64_t{widest} * inSlice;
    slicePtr.push_back(static_cast<uint32_t>(entries));
  });
  if (entries > UINT32_MAX) return {};
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

/** log2 of the threads of a chunk of 2^`shift` rows, with about `width` threads to a row. */
uint32_t teamShiftOf(uint32_t width, uint32_t shift) {
  return std::clamp<uint32_t>(std::bit_width(width) - 1 + shift, LEAST_TEAM_SHIFT, MOST_TEAM_SHIFT);
}

template <class V, class I, class X>
class SellPlan final : public Plan {
 public:
  SellPlan(const Request& request, const SellHeader& header, const SellMethod& how, uint32_t block)
      : entries_(chunkPtrOf(request, header).back()),
        a_(request, *this, header, entries_),
        columns_(commonColumns(chunkPtrOf(request, header), a_.shift)),
        longColumns_(how.longColumns(header, entries_)),
        how_(how),
        block_(block) {
    PieceList list = cutChunks(request, header, longColumns_ + 1, PIECE_COLUMNS * MAX_WIDTH);
    pieces_ = Pieces<X>(request, *this, list);
    if (how.kind == SellMethod::SLICES) makeSlices(request, header);
    method = how.text();
    if (how.kind != SellMethod::SPLIT) method += "&block=" + std::to_string(block_);
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

  void makeSlices(const Request& request, const SellHeader& header) {
    const auto slicePtr = slicesOf(chunkPtrOf(request, header), a_.shift);
    if (!slicePtr) throw Failure{"fill-in", "slices: expected fewer than 2^32 places, got more"};
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
    if (how_.kind == SellMethod::SPLIT) return runSplit(stream, x, y, alpha, beta);
    const auto kernel = how_.kind == SellMethod::SLICES ? rowKernelOf<WARP>() : rowKernelOf<ROW_STEP>();
    kernel<<<divideUp(a_.rows, block_), block_, 0, stream>>>(chunks(), a_.values.view(), x, y, alpha, beta);
    CHECK_LAUNCH("sell");
  }

  template <uint32_t STEP>
  auto rowKernelOf() const {
    if (how_.batch == 5) return rowKernel<V, I, X, STEP, 5>;
    return how_.batch == 7 ? rowKernel<V, I, X, STEP, 7> : rowKernel<V, I, X, STEP, 14>;
  }

  void runSplit(cudaStream_t stream, const X* x, X* y, X alpha, X beta) const {
    const uint32_t teamShift = teamShiftOf(how_.width, a_.shift);
    const uint32_t blocks = divideUp(uint64_t{divideUp(a_.rows, 1u << a_.shift)} << teamShift, TEAMS_BLOCK);
    splitKernelOf(teamShift)<<<blocks, TEAMS_BLOCK, 0, stream>>>(chunks(), a_.values.view(), x, y, alpha, beta);
    CHECK_LAUNCH("sell split");
  }

  auto splitKernelOf(uint32_t teamShift) const {
    switch (teamShift) {
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
  SellMethod how_;
  uint32_t block_;
  DeviceArray<uint32_t> slicePtr_;
  Pieces<X> pieces_;
};

/** Returns the methods that fit the chunks, with all parameters that may be chosen: those that compute fewer places come first, so that they win where times are equal. */
std::vector<std::pair<SellMethod, ChunkCosts::Estimated>> estimatedMethods(const Request& request) {
  const auto& header = request.heap.header<SellHeader>(request.header);
  const ChunkCosts costs(request, header);
  const uint32_t shift = std::countr_zero(header.chunkHeight);
  std::vector<std::pair<SellMethod, ChunkCosts::Estimated>> estimated;
  const auto add = [&](const SellMethod& method) { estimated.push_back({method, costs.of(method)}); };
  const bool mayBeSliced = costs.hasSlices();
  for (const uint32_t batch : ROW_BATCHES) {
    if (header.chunkHeight == ROW_STEP) add({SellMethod::ROW, batch});
    if (mayBeSliced) add({SellMethod::SLICES, batch});
  }
  for (uint32_t width = 2; width <= MAX_WIDTH; width *= 2)
    if (teamShiftOf(width, shift) == shift + std::bit_width(width) - 1) add({SellMethod::SPLIT, SPLIT_BATCH, width});
  std::ranges::stable_sort(estimated, {}, [](const auto& one) { return one.second.computed; });
  return estimated;
}

std::vector<Candidate> candidatesOfSell(const Request& request) {
  std::vector<Candidate> candidates;
  for (const auto& [method, expected] : estimatedMethods(request))
    candidates.push_back({{method.text(), expected.ns}, [=] { return makeOverChunks<SellPlan>(request, method, BLOCK); }});
  return candidates;
}

/** The method that is named, with the parameters that are given, and others as they are expected to take least. */
SellMethod methodAsked(const Request& request, const Method& asked) {
  const auto& header = request.heap.header<SellHeader>(request.header);
  const bool isSplit = asked.name() == "split", isRow = asked.name() == "row" && header.chunkHeight == ROW_STEP;
  SellMethod method{isSplit ? SellMethod::SPLIT : isRow ? SellMethod::ROW : SellMethod::SLICES, ROW_BATCHES[0]};
  double least = INFINITY;
  for (const auto& [other, expected] : estimatedMethods(request))
    if (other.kind == method.kind && expected.ns < least) method = other, least = expected.ns;
  if (isSplit) {
    const uint32_t shift = std::countr_zero(header.chunkHeight);
    method.width = 1u << (teamShiftOf(asked.get("width", static_cast<int>(method.width), 1, MAX_WIDTH), shift) - shift);
  } else {
    const auto [fewest, most] = std::ranges::minmax(ROW_BATCHES);
    const auto unroll = static_cast<uint32_t>(asked.get("unroll", static_cast<int>(method.batch), fewest, most));
    method.batch = most;
    for (const uint32_t batch : ROW_BATCHES)
      if (batch >= unroll) method.batch = std::min(method.batch, batch);
  }
  return method;
}

std::unique_ptr<Plan> makeSell(const Request& request) {
  if (request.method.empty()) return makeLeast(candidatesOfSell(request));
  const Method asked(request.method, METHODS);
  const SellMethod method = methodAsked(request, asked);
  const uint32_t block = method.kind == SellMethod::SPLIT ? BLOCK : asked.get("block", BLOCK, WARP, MAX_THREADS) / WARP * WARP;
  return makeOverChunks<SellPlan>(request, method, block);
}

}  // namespace

extern const KernelEntry sellKernel;
const KernelEntry sellKernel{"sell", "spmv", makeSell, METHODS, candidatesOfSell};

}  // namespace sparlane
