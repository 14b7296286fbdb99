/**
 * Units of rows (chunks, groups) with too many columns for one team of threads: they are cut into pieces, a team for each. The
 * sums of a unit's only piece are written to y. Those of several are stored in slots and added in the order of the pieces, so
 * the bits of y depend only on the matrix.
 */
#pragma once
#include "device.cuh"

namespace sparlane {

/** Columns [begin, end) of a unit. */
struct alignas(16) Piece {
  uint32_t unit, begin, end;
  /** Slot of the first row's sum, followed by those of the other rows; WHOLE: written to y. */
  uint32_t slot;
};

constexpr uint32_t WHOLE = 0xffffffff;

/** A row in pieces: `count` sums, `stride` slots apart. */
struct alignas(16) Fold {
  uint32_t row, slot, stride, count;
};

/** The pieces, as cut by the inspector on the host. */
struct PieceList {
  std::vector<Piece> pieces;
  std::vector<Fold> folds;
  uint32_t slots = 0;

  /** Cuts a unit of `height` rows into pieces of equally many columns, at most `most`. `rowAt(i)` is the i-th row in y. */
  template <class RowAt>
  void cut(uint32_t unit, uint32_t columns, uint32_t most, uint32_t height, RowAt&& rowAt) {
    const uint32_t count = columns <= most ? 1 : divideUp(columns, most);
    for (uint64_t piece = 0; piece < count; piece++) {
      const auto begin = static_cast<uint32_t>(columns * piece / count);
      const auto end = static_cast<uint32_t>(columns * (piece + 1) / count);
      pieces.push_back({unit, begin, end, count == 1 ? WHOLE : slots + static_cast<uint32_t>(piece) * height});
    }
    if (count == 1) return;
    for (uint32_t i = 0; i < height; i++) folds.push_back({rowAt(i), slots + i, height, count});
    slots += count * height;
  }
};

/** The same on the device. */
template <class X>
struct Pieces {
  DeviceArray<Piece> pieces;
  DeviceArray<Fold> folds;
  DeviceArray<X> slots;
  Pieces() = default;
  /** `kept`: elements of the sum of a row. */
  Pieces(const Request& request, Plan& plan, PieceList& list, size_t kept = 1)
      : pieces(request.upload(plan, std::span(list.pieces))),
        folds(request.upload(plan, std::span(list.folds))),
        slots(request.room<X>(plan, list.slots * kept)) {}

  /** Adds the sums in slots; queued after the pieces. */
  void fold(cudaStream_t stream, X* y, X alpha, X beta) const;
};

/** A warp for each row. */
constexpr int FOLD_BLOCK = 128;

template <class X>
__global__ void __launch_bounds__(FOLD_BLOCK)
    foldKernel(const Fold* folds, uint32_t count, const X* slots, X* y, X alpha, X beta) {
  const uint32_t at = (blockIdx.x * FOLD_BLOCK + threadIdx.x) / WARP;
  const uint32_t lane = threadIdx.x % WARP;
  if (at >= count) return;
  const Fold fold = folds[at];
  X sum = 0;
  for (uint32_t piece = lane; piece < fold.count; piece += WARP) sum += slots[fold.slot + piece * fold.stride];
  sum = sumOfGroup<WARP>(sum);
  if (lane == 0) put(y + fold.row, sum, alpha, beta);
}

template <class X>
void Pieces<X>::fold(cudaStream_t stream, X* y, X alpha, X beta) const {
  const auto count = static_cast<uint32_t>(folds.length());
  if (count == 0) return;
  foldKernel<<<divideUp(count, FOLD_BLOCK / WARP), FOLD_BLOCK, 0, stream>>>(folds.data(), count, slots.data(), y, alpha, beta);
  CHECK_LAUNCH("fold");
}

}  // namespace sparlane
