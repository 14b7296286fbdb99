/**
 * Rows that blocks share, summed in one kernel where blocks are few: a block that ends inside a row publishes the row's sum so far; the
 * block in which the row ends waits for these sums, adds them in the order of the blocks, and writes y. No atomic add.
 *
 * Source: Merrill & Garland 2016, "Single-pass Parallel Prefix Scan with Decoupled Look-back", §4.1; as in CUB, blocks are assumed to begin
 *   in the order of their numbers. A sum is published before its block waits for anything, or after it waited for earlier blocks only. So
 *   the earliest unfinished block never waits in vain.
 * Differs: only sums are passed on, each to one block that is known when the plan is made. A place is EMPTY again when its sum has been
 *   taken, so that nothing is to be cleared between products, recorded ones too.
 */
#pragma once
#include "carries.cuh"

namespace sparlane {

/**
 * Of more blocks the shared rows are added by a second kernel: its launch takes 2.3 µs, while the wait of every block for the previous one
 * takes 5 to 10 % of any duration. COO of 0.5, 0.7 and 1.4 million entries takes 10.0, 14.1 and 14.5 µs instead of 12.8, 16.0 and 17.8; of 5.5
 * million it would take 42 instead of 37. (H200, f64, 22 November 2026.)
 */
constexpr size_t WAITING_BLOCKS = 1536;

/** What a block shares with others. */
struct alignas(8) Shared {
  /** Number of the blocks right before it whose sums belong to its first row, if that row ends here; else 0. */
  uint32_t count;
  /** The row that is unfinished at its end, or NO_ROW. */
  uint32_t openRow;
};

/** Bits of a place without a sum: a NaN that no sum is published as. */
template <class X>
using BitsOf = std::conditional_t<sizeof(X) == 8, unsigned long long, uint32_t>;
template <class X>
constexpr BitsOf<X> EMPTY = ~BitsOf<X>{0};

/** The parts of a complex sum are published, and waited for, one by one. */
template <class X>
__device__ __forceinline__ void publish(X* place, X sum) {
  if constexpr (IS_PAIR<X>) {
    publish(&place->re, sum.re);
    publish(&place->im, sum.im);
  } else {
    auto bits = *reinterpret_cast<const BitsOf<X>*>(&sum);
    // Another NaN, if it is one.
    if (bits == EMPTY<X>) bits >>= 1;
    *reinterpret_cast<volatile BitsOf<X>*>(place) = bits;
  }
}

/** Waits for the sum of a place, and takes it: the place is EMPTY again. */
template <class X>
__device__ __forceinline__ X takeOne(X* place) {
  if constexpr (IS_PAIR<X>) {
    return {takeOne(&place->re), takeOne(&place->im)};
  } else {
    auto* const bits = reinterpret_cast<volatile BitsOf<X>*>(place);
    BitsOf<X> sum;
    do sum = *bits;
    while (sum == EMPTY<X>);
    *bits = EMPTY<X>;
    return *reinterpret_cast<const X*>(&sum);
  }
}

/** The share of `lane` in the sum of `count` places that LANES threads take. */
template <uint32_t LANES, class X>
__device__ __forceinline__ X takeShare(X* places, uint32_t count, uint32_t lane) {
  X sum{0};
  for (uint32_t i = lane; i < count; i += LANES) sum += takeOne(places + i);
  return sum;
}

/** The sum of `count` places, in every lane of the warp that takes them. */
template <class X>
__device__ __forceinline__ X take(X* places, uint32_t count) {
  const X sum = takeShare<WARP>(places, count, threadIdx.x % WARP);
  __syncwarp();
  return __shfl_sync(0xffffffffu, sumOfGroup<WARP>(sum), 0);
}

/** Places for sums, EMPTY at first. */
template <class X>
DeviceArray<X> emptyPlaces(const Request& request, Plan& plan, size_t length) {
  auto places = request.room<X>(plan, length);
  CUDA_CHECK(cudaMemsetAsync(places.data(), 0xff, places.bytes(), request.context->stream));
  return places;
}

template <class X>
struct LookBackView {
  const Shared* blocks;
  X* sums;
  /** Of the calling block. */
  __device__ __forceinline__ Shared own() const {
    const uint2 words = __ldg(reinterpret_cast<const uint2*>(blocks) + blockIdx.x);
    return {words.x, words.y};
  }
  __device__ __forceinline__ void publish(X sum) const { sparlane::publish(sums + blockIdx.x, sum); }
  __device__ __forceinline__ X take(uint32_t count) const { return sparlane::take(sums + blockIdx.x - count, count); }
};

template <class X>
class LookBack {
 public:
  LookBack() = default;
  /** `openRows`: for each block the row that is unfinished at its end, or NO_ROW. */
  LookBack(const Request& request, Plan& plan, std::span<const uint32_t> openRows) : waits_(openRows.size() <= WAITING_BLOCKS) {
    std::vector<Shared> blocks(openRows.size());
    uint32_t count = 0;
    for (size_t b = 0; b < blocks.size(); b++) {
      const uint32_t came = b == 0 ? NO_ROW : openRows[b - 1];
      blocks[b] = {!waits_ || came == NO_ROW || openRows[b] == came ? 0 : count, openRows[b]};
      count = openRows[b] == NO_ROW ? 0 : openRows[b] == came ? count + 1 : 1;
    }
    blocks_ = request.upload(plan, std::span(blocks));
    if (waits_) sums_ = emptyPlaces<X>(request, plan, blocks.size());
    else carries_ = Carries<X>(request, plan, openRows);
  }
  LookBackView<X> view() const { return {blocks_.data(), waits_ ? sums_.data() : carries_.data()}; }
  /** After the kernel: adds the published sums to y, if no block has waited for them. */
  void add(cudaStream_t stream, X* y, Scalar<X> alpha) const {
    if (!waits_) carries_.add(stream, y, alpha);
  }

 private:
  bool waits_ = true;
  DeviceArray<Shared> blocks_;
  DeviceArray<X> sums_;
  Carries<X> carries_;
};

}  // namespace sparlane
