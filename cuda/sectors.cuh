/** Counts the sectors of x that neighbouring entries read, which kernels gather from L2, in a sample on the host. */
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace sparlane {

/** L2 is read by sectors of so many bytes. */
constexpr uint32_t SECTOR_BYTES = 32;

/** Counts different numbers. */
class Different {
 public:
  /** @param most numbers that are added until `clear` */
  explicit Different(uint32_t most)
      : slots_(std::bit_ceil(2 * std::max(most, 1u))), shift_(32 - std::countr_zero(slots_.size())) {}
  void clear() { round_++, count = 0; }
  void add(uint32_t number) {
    // Mixes all bits (the finalizer of MurmurHash3, Appleby): with Fibonacci hashing numbers at some distances would meet.
    uint32_t bits = (number ^ number >> 16) * 0x85ebca6bu;
    bits = (bits ^ bits >> 13) * 0xc2b2ae35u;
    for (size_t at = bits >> shift_;; at = (at + 1) % slots_.size()) {
      auto& [round, known] = slots_[at];
      if (round == round_ && known != number) continue;
      count += round != round_;
      slots_[at] = {round_, number};
      return;
    }
  }
  uint32_t count = 0;

 private:
  std::vector<std::pair<uint32_t, uint32_t>> slots_;
  int shift_;
  uint32_t round_ = 1;
};

/** A sample has at most so many entries. Chosen. */
constexpr uint32_t SAMPLED_ENTRIES = 1u << 17;

/**
 * Returns the sectors of x per entry, if L1 keeps them while a run of `length` neighbouring entries is computed: the mean over the runs of a sample.
 * `columnAt(k)`: the column of entry k; `reads(column)`: whether the element is read from x.
 */
template <class ColumnAt, class Reads>
double sectorsOfRuns(size_t entries, uint32_t length, uint32_t perSector, ColumnAt&& columnAt, Reads&& reads) {
  length = static_cast<uint32_t>(std::min<size_t>(length, entries));
  if (length == 0) return 0;
  const uint32_t runs = std::max<uint32_t>(1, static_cast<uint32_t>(std::min<size_t>(SAMPLED_ENTRIES, entries)) / length);
  Different different(length);
  uint64_t sectors = 0;
  for (uint32_t run = 0; run < runs; run++) {
    different.clear();
    const size_t first = (entries - length) * run / std::max(runs - 1, 1u);
    for (size_t k = first; k < first + length; k++) {
      const uint32_t column = columnAt(k);
      if (reads(column)) different.add(column / perSector);
    }
    sectors += different.count;
  }
  return static_cast<double>(sectors) / (static_cast<double>(runs) * length);
}

template <class Reads>
double sectorsOfRuns(std::span<const uint32_t> colIdx, uint32_t length, uint32_t perSector, Reads&& reads) {
  return sectorsOfRuns(
      colIdx.size(), length, perSector, [&](size_t k) { return colIdx[k]; }, reads);
}

inline double sectorsOfRuns(std::span<const uint32_t> colIdx, uint32_t length, uint32_t perSector) {
  return sectorsOfRuns(colIdx, length, perSector, [](uint32_t) { return true; });
}

}  // namespace sparlane
