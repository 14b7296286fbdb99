/**
 * Products with blocks of vectors by rows, for formats that gather X by column: a team of lanes has a row of A (`strips.cuh`).
 *
 * Rows of more than LONGEST entries are cut into pieces, a team of a whole warp for each. The sums of pieces are stored in
 * slots and added in the order of the pieces, so the bits of Y depend only on the matrix and the number of columns.
 * Methods: `strips`. `unroll`: entries in a batch, 5 or 8, whose strips of X are read before the first is used; `slots`: the most teams
 *   that share a row, rounded down to a power of two; by default 2 in narrow passes over long rows, else 1. Complex numbers have batches of
 *   4 entries; of a single complex vector see `complex/complex.cuh`.
 * Bound: bytes of A, X and Y; gathers of rows of X where X is larger than L2.
 *
 * A format is a type `Rows` with
 *
 *     entries(place)   the entries of a row: count, column(j), isInside(column), read(j), decode(stored), and the shares
 *                      every(slot, shift) and part(begin, end)
 *     rowAt(place)     its row in Y
 *     CUTS             whether long rows are cut; then also heightShift, log2 of the rows of a unit that is cut as a whole
 *     rows             their number
 */
#pragma once
#include <bit>

#include "blocks/strips.cuh"
#include "pieces.cuh"

namespace sparlane {

constexpr int BLOCK_THREADS = 256;

/**
 * Rows of more entries are cut, into pieces of this many. 1,024 and 512 take 1.01 times as long for 8 columns, 1.03 for 32; 256 and 128 take
 * 0.97 and 0.97 below three million entries, but 1.09 and 1.02 above. (H200, f64, 22 November 2026, five matrices of `bench/matrices/kinds`.)
 * Of a single complex vector: chosen, four entries for each lane of a warp.
 */
template <class X>
constexpr uint32_t LONGEST = IS_PAIR<X> ? 128 : 512;
template <class X>
constexpr uint32_t PIECE = IS_PAIR<X> ? 128 : 256;
static_assert(PIECE<double> <= LONGEST<double> && PIECE<Complex<double>> <= LONGEST<Complex<double>>);

/** Entries in a batch: of rows of few entries, and of others. Those of complex numbers take twice the registers. */
template <class X>
constexpr int FEW_ENTRIES = IS_COMPLEX<X> ? 4 : 5;
template <class X>
constexpr int MANY_ENTRIES = IS_COMPLEX<X> ? 4 : 8;

/** Of the entries of a row, the number of those at slot, slot + 2^shift, … */
__device__ __forceinline__ uint32_t countOfEvery(uint32_t count, uint32_t slot, uint32_t shift) {
  return count > slot ? (count - slot + (1u << shift) - 1) >> shift : 0;
}

/** Entries of a row in arrays of columns and values, `step` places apart. Columns of 16 bits count from a base. */
template <class V, class I, class X>
struct RowEntries {
  using Stored = typename Values<V, X>::Stored;
  const I* colIdx;
  Values<V, X> values;
  uint32_t first, step, count, base;

  __device__ __forceinline__ uint32_t column(uint32_t j) const {
    const uint32_t column = __ldg(colIdx + (first + j * step));
    return sizeof(I) == sizeof(uint16_t) ? base + column : column;
  }
  __device__ __forceinline__ bool isInside(uint32_t) const { return true; }
  __device__ __forceinline__ Stored read(uint32_t j) const { return values.readShared(first + j * step); }
  __device__ __forceinline__ Number<X> decode(Stored stored) const { return values.decode(stored); }
  /** The entries slot, slot + 2^shift, … */
  __device__ __forceinline__ RowEntries every(uint32_t slot, uint32_t shift) const {
    const uint32_t left = countOfEvery(count, slot, shift);
    return {colIdx, values, first + slot * step, step << shift, left, base};
  }
  __device__ __forceinline__ RowEntries part(uint32_t begin, uint32_t end) const {
    return {colIdx, values, first + begin * step, step, end - begin, base};
  }
};

/** sum + values · X over a batch of entries from j on: all of them if ALL, else those that are left. Reads come before uses. */
template <int UNROLL, bool ALL, class Entries, class X>
__device__ __forceinline__ void addEntries(Strip<X>& sum, const Entries& entries, uint32_t j, const X* x, uint32_t stride) {
  uint32_t column[UNROLL];
  typename Entries::Stored stored[UNROLL];
  Strip<X> factor[UNROLL];
#pragma unroll
  for (uint32_t u = 0; u < UNROLL; u++) {
    if (ALL || j + u < entries.count) column[u] = entries.column(j + u);
  }
#pragma unroll
  for (uint32_t u = 0; u < UNROLL; u++) {
    if (ALL || j + u < entries.count) stored[u] = entries.read(j + u);
  }
#pragma unroll
  for (uint32_t u = 0; u < UNROLL; u++) {
    if (ALL || j + u < entries.count)
      factor[u] = entries.isInside(column[u]) ? stripAt(x + size_t{column[u]} * stride, stride) : Strip<X>{};
  }
#pragma unroll
  for (uint32_t u = 0; u < UNROLL; u++) {
    if (ALL || j + u < entries.count) addTo(sum, entries.decode(stored[u]), factor[u]);
  }
}

/** Σ values · X, left to right. `x`: the lane's strip of row 0. */
template <int UNROLL, class Entries, class X>
__device__ __forceinline__ Strip<X> sumEntries(const Entries& entries, const X* x, uint32_t stride) {
  Strip<X> sum{};
  uint32_t j = 0;
#pragma unroll 1
  for (; entries.count - j >= UNROLL; j += UNROLL) addEntries<UNROLL, true>(sum, entries, j, x, stride);
  if (j < entries.count) addEntries<UNROLL, false>(sum, entries, j, x, stride);
  return sum;
}

/** A team per row. Rows of more than LONGEST entries are left to pieces. */
template <int UNROLL, class Rows, class X>
__global__ void __launch_bounds__(BLOCK_THREADS)
    blockRows(Rows a, Division by, const X* __restrict__ x, X* __restrict__ y, Scalar<X> alpha, Scalar<X> beta) {
  const uint32_t place = blockIdx.x * (BLOCK_THREADS >> by.teamShift()) + (threadIdx.x >> by.teamShift());
  const uint32_t offset = by.strip() * Strip<X>::WIDTH;
  bool isHere = place < a.rows && by.hasStrip();
  Strip<X> sum{};
  if (isHere) {
    const auto entries = a.entries(place);
    isHere = !Rows::CUTS || entries.count <= LONGEST<X>;
    if (isHere) sum = sumEntries<UNROLL>(entries.every(by.slot(), by.slotShift), x + offset, by.stride);
  }
  addSlots(sum, by);
  if (isHere && by.slot() == 0) putStrip(y + (size_t{a.rowAt(place)} * by.stride + offset), by.stride, sum, alpha, beta);
}

/** A warp per row of a piece. Its sum: KEPT elements. */
template <class Rows, class X>
__global__ void __launch_bounds__(BLOCK_THREADS)
    blockPieces(Rows a, Division by, const Piece* pieces, uint32_t count, const X* __restrict__ x, X* __restrict__ slots) {
  const uint32_t unit = blockIdx.x * (BLOCK_THREADS / WARP) + threadIdx.x / WARP;
  const uint32_t at = unit >> a.heightShift;
  const uint32_t row = unit & ((1u << a.heightShift) - 1);
  const Piece piece = at < count ? pieces[at] : Piece{};
  const uint32_t place = (piece.unit << a.heightShift) + row;
  const uint32_t offset = by.strip() * Strip<X>::WIDTH;
  const bool isHere = at < count && place < a.rows && by.hasStrip();
  Strip<X> sum{};
  if (isHere) {
    const auto entries = a.entries(place).part(piece.begin, piece.end).every(by.slot(), by.slotShift);
    sum = sumEntries<MANY_ENTRIES<X>>(entries, x + offset, by.stride);
  }
  addSlots(sum, by);
  if (isHere && by.slot() == 0) store(slots + (size_t{piece.slot + row} * KEPT<X> + offset), sum, KEPT<X>);
}

/** A block per cut row: its teams add the pieces in turn, then the first one adds their sums. */
template <class X>
__global__ void __launch_bounds__(BLOCK_THREADS)
    foldBlocks(const Fold* folds, Division by, const X* slots, X* __restrict__ y, Scalar<X> alpha, Scalar<X> beta) {
  constexpr uint32_t WARPS = BLOCK_THREADS / WARP;
  __shared__ Strip<X> sums[WARPS][WARP];
  const Fold fold = folds[blockIdx.x];
  const uint32_t lane = threadIdx.x % WARP;
  const uint32_t warp = threadIdx.x / WARP;
  by.slotShift = 5 - by.stripShift;
  const uint32_t offset = by.strip() * Strip<X>::WIDTH;
  Strip<X> sum{};
  if (by.hasStrip()) {
#pragma unroll 4
    for (uint32_t piece = (warp << by.slotShift) + by.slot(); piece < fold.count; piece += WARPS << by.slotShift) {
      addTo(sum, stripAt(slots + (size_t{fold.slot + piece * fold.stride} * KEPT<X> + offset), KEPT<X>));
    }
  }
  addSlots(sum, by);
  sums[warp][lane] = sum;
  __syncthreads();
  if (warp > 0 || by.slot() > 0 || !by.hasStrip()) return;
  for (uint32_t other = 1; other < WARPS; other++) addTo(sum, sums[other][lane]);
  putStrip(y + (size_t{fold.row} * by.stride + offset), by.stride, sum, alpha, beta);
}

/** Adds the sums of pieces in slots; queued after the pieces. */
template <class X>
void addFolds(cudaStream_t stream, const DeviceArray<Fold>& folds, const Division& by, const X* slots, X* y, Scalar<X> alpha,
              Scalar<X> beta) {
  const auto count = static_cast<uint32_t>(folds.length());
  if (count == 0) return;
  foldBlocks<X><<<count, BLOCK_THREADS, 0, stream>>>(folds.data(), by, slots, y, alpha, beta);
  CHECK_LAUNCH("blocks of vectors, folds");
}

/**
 * Mean entries of a row from which on, in passes of at most NARROW strips, two slots share it. CSR, 27-point with three unknowns, µs with
 * 1, 2, 4 and 16 slots: 2 strips 39, 32, 32, 60; 4 strips 58, 56, 60, 87; 8 strips 69, 78, 92; 16 strips 142, 169. R-MAT 18, 16 entries
 * in the mean, with 1, 2 and 4: 2 strips 112, 97, 100; 4 strips 113, 104, 117; 8 strips 187, 186, 220. (H200, November 2026.)
 */
constexpr uint32_t SLOTTED_ENTRIES = 16;
constexpr uint32_t NARROW = 4;

constexpr MethodEntry STRIPS[] = {{"strips", {"unroll", "slots"}}}, COMPLEX_STRIPS[] = {{"strips", {"slots"}}};

/** What a plan of any `Rows` has: the parameters, and the pieces of long rows. */
template <class X>
class BlockRowsPlan : public BlockPlan<X> {
 protected:
  BlockRowsPlan(const Request& request, uint32_t rows, uint64_t entries) {
    const Method asked(request.method, IS_COMPLEX<X> ? std::span<const MethodEntry>(COMPLEX_STRIPS) : STRIPS);
    const uint32_t mean = rows == 0 ? 0 : divideUp(entries, rows);
    const int unroll = asked.get("unroll", mean <= 5 ? FEW_ENTRIES<X> : MANY_ENTRIES<X>, FEW_ENTRIES<X>, MANY_ENTRIES<X>);
    unroll_ = unroll == FEW_ENTRIES<X> ? unroll : MANY_ENTRIES<X>;
    this->method = IS_COMPLEX<X> ? "strips" : "strips?unroll=" + std::to_string(unroll_);
    // Of a single complex vector neighbouring lanes read the entries of neighbouring rows.
    const int byDefault = IS_PAIR<X> ? 1 : 0;
    if (const auto slots = static_cast<uint32_t>(asked.get("slots", byDefault, 1, WARP)); slots > 0) {
      mostSlotShift_ = narrowSlotShift_ = std::bit_width(slots) - 1;
      this->method += (IS_COMPLEX<X> ? "?slots=" : "&slots=") + std::to_string(1 << mostSlotShift_);
    } else {
      narrowSlotShift_ = mean >= SLOTTED_ENTRIES ? 1 : 0;
    }
  }

  /** To be called once. */
  void cut(const Request& request, PieceList& list) { pieces_ = Pieces<X>(request, *this, list, KEPT<X>); }

  template <class Rows>
  void runRows(cudaStream_t stream, const Rows& a, const X* x, X* y, uint32_t stride, Scalar<X> alpha, Scalar<X> beta) const {
    if (a.rows == 0) return;
    const auto slotShift = [&](uint32_t strips) { return strips <= NARROW ? narrowSlotShift_ : mostSlotShift_; };
    forEachPass<X>(stride, slotShift, [&](const Division& by, uint32_t first) {
      const auto kernel = unroll_ == FEW_ENTRIES<X> ? blockRows<FEW_ENTRIES<X>, Rows, X> : blockRows<MANY_ENTRIES<X>, Rows, X>;
      kernel<<<divideUp(a.rows, BLOCK_THREADS >> by.teamShift()), BLOCK_THREADS, 0, stream>>>(a, by, x + first, y + first, alpha,
                                                                                              beta);
      CHECK_LAUNCH("blocks of vectors");
      if constexpr (Rows::CUTS) runPieces(stream, a, by, x + first, y + first, alpha, beta);
    });
  }

 private:
  template <class Rows>
  void runPieces(cudaStream_t stream, const Rows& a, Division by, const X* x, X* y, Scalar<X> alpha, Scalar<X> beta) const {
    const auto count = static_cast<uint32_t>(pieces_.pieces.length());
    if (count == 0) return;
    Division whole = by;
    whole.slotShift = 5 - by.stripShift;
    const uint32_t blocks = divideUp(uint64_t{count} << a.heightShift, BLOCK_THREADS / WARP);
    blockPieces<Rows, X><<<blocks, BLOCK_THREADS, 0, stream>>>(a, whole, pieces_.pieces.data(), count, x, pieces_.slots.data());
    CHECK_LAUNCH("blocks of vectors, pieces");
    addFolds(stream, pieces_.folds, by, pieces_.slots.data(), y, alpha, beta);
  }

  int unroll_;
  uint32_t narrowSlotShift_, mostSlotShift_ = 0;
  Pieces<X> pieces_;
};

}  // namespace sparlane
