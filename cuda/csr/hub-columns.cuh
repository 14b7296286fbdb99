/** The most frequent columns of a matrix, found by samples of its entries on the host. */
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace sparlane {

/** Number of the most frequent columns that L1 keeps in any case. */
constexpr uint32_t KEPT_BY_L1 = 1024;

/** Entries sampled to find hubs, and as many other ones to find their share of the entries. */
constexpr uint32_t SAMPLES = 1u << 19;

class Hubs {
 public:
  /** Ascending. */
  std::vector<uint32_t> columns;
  /**
   * Share of the entries in hubs minus the share in as many average columns. Excludes the few columns that L1 keeps in any case. Of other
   * entries than those that made the columns hubs: by chance, some columns have more of these.
   */
  double gain = 0;

  /** At most `most` columns. */
  Hubs(std::span<const uint32_t> colIdx, uint32_t cols, size_t most) {
    if (colIdx.empty()) return;
    std::vector<uint32_t> counts(cols);
    forSamples(colIdx, 0, [&](uint32_t column) { counts[column]++; });
    choose(counts, most);
    if (columns.size() <= KEPT_BY_L1) return;
    std::vector<uint32_t> byCount(columns);
    std::ranges::nth_element(byCount, byCount.begin() + KEPT_BY_L1, std::greater{},
                             [&](uint32_t column) { return counts[column]; });
    std::vector<bool> isHub(cols);
    for (size_t i = KEPT_BY_L1; i < byCount.size(); i++) isHub[byCount[i]] = true;
    uint64_t caught = 0;
    const uint64_t samples = forSamples(colIdx, 1, [&](uint32_t column) { caught += isHub[column]; });
    gain = static_cast<double>(caught) / static_cast<double>(samples) - static_cast<double>(byCount.size() - KEPT_BY_L1) / cols;
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
   * and again. Returns how many.
   */
  template <class Use>
  static uint64_t forSamples(std::span<const uint32_t> colIdx, uint64_t round, Use&& use) {
    const uint64_t samples = std::min<uint64_t>(colIdx.size(), SAMPLES);
    for (uint64_t i = 0; i < samples; i++) {
      const uint64_t begin = i * colIdx.size() / samples, end = (i + 1) * colIdx.size() / samples;
      // The upper half of Fibonacci hashing.
      const uint64_t hash = (2 * i + round + 1) * 0x9e3779b97f4a7c15u >> 32;
      use(colIdx[begin + (hash * (end - begin) >> 32)]);
    }
    return samples;
  }
};

}  // namespace sparlane
