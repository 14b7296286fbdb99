/** The most frequent columns of a matrix, found by samples of its entries on the host. */
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sectors.cuh"

namespace sparlane {

/** L1 keeps so many of the most frequent columns for the other methods in any case. */
constexpr uint32_t KEPT_BY_L1 = 1024;

/** So many entries at most are looked at to find hubs. Chosen. */
constexpr uint32_t SAMPLES = 1u << 19;

class Hubs {
 public:
  /** Ascending. */
  std::vector<uint32_t> columns;

  /** At most `most` columns. */
  Hubs(std::span<const uint32_t> colIdx, uint32_t cols, size_t most) {
    if (colIdx.empty()) return;
    std::vector<uint32_t> counts(cols);
    forSamples(colIdx, [&](uint32_t column) { counts[column]++; });
    choose(counts, most);
    saved_.resize(cols);
    std::vector<uint32_t> byCount(columns);
    const size_t kept = std::min<size_t>(KEPT_BY_L1, byCount.size());
    std::ranges::nth_element(byCount, byCount.begin() + kept, std::greater{}, [&](uint32_t column) { return counts[column]; });
    for (size_t i = kept; i < byCount.size(); i++) saved_[byCount[i]] = true;
  }

  /**
   * Returns the sectors of x per entry that runs of `length` entries read, without those of hubs. The most frequent hubs count, since the estimates of other methods
   * count them too.
   */
  double sectorsOfOthers(std::span<const uint32_t> colIdx, uint32_t length, uint32_t perSector) const {
    return sectorsOfRuns(colIdx, length, perSector, [&](uint32_t column) { return !saved_[column]; });
  }

 private:
  /** Columns with a count above some least one are hubs. Columns with exactly that count are hubs as long as there is room. */
  void choose(std::span<const uint32_t> counts, size_t most) {
    std::vector<uint32_t> having(std::ranges::max(counts) + size_t{1});
    for (const uint32_t count : counts) having[count]++;
    size_t least = having.size() - 1, room = most;
    for (; least > 0 && having[least] <= room; least--) room -= having[least];
    for (uint32_t column = 0; column < counts.size(); column++) {
      const uint32_t count = counts[column];
      if (count == 0 || count < least || (count == least && room == 0)) continue;
      if (count == least) room--;
      columns.push_back(column);
    }
  }

  /**
   * One entry of each of SAMPLES equal shares, at a place that looks random: at equal distances, a regular matrix shows the same columns again
   * and again.
   */
  template <class Use>
  static void forSamples(std::span<const uint32_t> colIdx, Use&& use) {
    const uint64_t samples = std::min<uint64_t>(colIdx.size(), SAMPLES);
    for (uint64_t i = 0; i < samples; i++) {
      const uint64_t begin = i * colIdx.size() / samples, end = (i + 1) * colIdx.size() / samples;
      // The upper half of Fibonacci hashing.
      const uint64_t hash = (2 * i + 1) * 0x9e3779b97f4a7c15u >> 32;
      use(colIdx[begin + (hash * (end - begin) >> 32)]);
    }
  }

  std::vector<bool> saved_;
};

}  // namespace sparlane
