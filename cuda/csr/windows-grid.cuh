/** Which rows the blocks of `windows.cu` have. */
#pragma once
#include <algorithm>

#include "csr/csr.cuh"

namespace sparlane {

/** Groups of rows with about as many entries in each, and the blocks of each, which share its columns. */
struct Grid {
  std::vector<uint32_t> rowPtr, sharesOf;
  /** Entries of the busiest block. */
  uint32_t entries = 0;

  Grid() = default;
  /** @param most rows of a group */
  Grid(std::span<const uint32_t> entryPtr, uint32_t groups, uint32_t blocks, uint32_t most) : rowPtr{0}, sharesOf(groups, 1) {
    const auto rows = static_cast<uint32_t>(entryPtr.size() - 1);
    for (uint32_t g = 1; g <= groups; g++) {
      const uint64_t until = uint64_t{entryPtr.back()} * g / groups;
      const auto at = static_cast<uint32_t>(std::ranges::upper_bound(entryPtr, until) - entryPtr.begin() - 1);
      // The groups that follow must have room for the rest.
      const uint64_t rest = uint64_t{groups - g} * most;
      const uint32_t least = rows > rest ? static_cast<uint32_t>(rows - rest) : 0, end = std::min(rows, rowPtr.back() + most);
      rowPtr.push_back(std::clamp(at, std::max(rowPtr.back(), std::min(least, end)), end));
    }
    rowPtr.back() = rows;
    // Each of the other blocks goes to the group whose blocks have most entries so far.
    for (uint32_t left = blocks - groups;; left--) {
      uint32_t busiest = 0;
      entries = 0;
      for (uint32_t g = 0; g < groups; g++) {
        const uint32_t own = (entryPtr[rowPtr[g + 1]] - entryPtr[rowPtr[g]]) / sharesOf[g];
        if (own >= entries) busiest = g, entries = own;
      }
      if (left == 0) break;
      sharesOf[busiest]++;
    }
  }
  uint32_t groups() const { return static_cast<uint32_t>(sharesOf.size()); }
};

}  // namespace sparlane
