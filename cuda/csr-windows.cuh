/**
 * Layout of `csr-windows.cu`: the blocks' rows and columns, and the entries in the order in which each warp adds them.
 *
 *              window 0 | window 1 || window 2 | window 3        columns: `shares` ranges of neighbouring windows
 *     group 0        block 0       ||      block 1               rows: `groups` ranges, as many entries in each
 *     group 1        block 2       ||      block 3
 *
 * A group's sums have slots: a row has one, or several if it is long. Each warp of a block has some neighbouring slots, in every block of the
 * group the same, and adds their entries window by window, a chunk of 32 entries at a time, one for each lane. The entries of a chunk have
 * different slots, so that no two lanes add to the same sum: n entries, at most m of them for a slot, fill t = max(n / 32, m) chunks, if the k-th of
 * them, counted slot by slot, is in chunk k mod t (McNaughton 1959). The places that are left add to a slot that no row has.
 */
#pragma once
#include <algorithm>
#include <numeric>

#include "csr.cuh"

namespace sparlane {

constexpr uint32_t WINDOW_WARPS = 32;
/** Chunks that a warp reads at once; it has a multiple of them. */
constexpr uint32_t CHUNK_BATCH = 4;
/** Slots that a warp has at least, if its entries suffice: fewer would leave lanes without one. */
constexpr uint32_t LEAST_SLOTS = 64;
/** Of the 16 bits of a slot or a column in its window. */
constexpr uint32_t MOST_SLOTS = 65'535;
/** Ranges of columns in which entries are counted, at most. */
constexpr uint32_t MOST_BINS = 1u << 14;

struct Grid {
  uint32_t groups, shares;
};

/** The work of a block. */
struct alignas(16) WindowBlock {
  uint32_t row, rowEnd, slots;
  uint32_t unused = 0;
};

/** The work of a warp. */
struct alignas(8) WarpChunks {
  uint32_t first, count;
};

class WindowLayout {
 public:
  std::vector<WindowBlock> blocks;
  std::vector<WarpChunks> warps;
  /** The slots of row i of group g: from slotPtr[i + g] to slotPtr[i + g + 1]. */
  std::vector<uint32_t> slotPtr;
  /** For each chunk the first column of its window. */
  std::vector<uint32_t> bases;
  /** For each place of a chunk: slot and column in the window, 16 bits each. */
  std::vector<uint32_t> codes;
  /** And the entry; of places that are left any. */
  std::vector<uint32_t> entryOf;
  uint32_t mostSlots = 0;
  /** Whether a row has several slots. */
  bool hasLongRows = false;
  /** Chunks of the busiest block; 0 if the layout was given up. */
  uint32_t busiest = 0;

  /**
   * Windows of at most `windowColumns` columns, or few more; groups of at most `mostOfGroup` rows. It is given up as soon as the entries so far
   * take more than `mostPlaces` places each.
   */
  WindowLayout(std::span<const uint32_t> rowPtr, std::span<const uint32_t> colIdx, uint32_t cols, Grid grid,
               uint32_t windowColumns, uint32_t mostOfGroup, double mostPlaces)
      : rowPtr_(rowPtr), colIdx_(colIdx), grid_(grid) {
    cutColumns(cols, windowColumns);
    const std::vector<uint32_t> groupPtr = cutRows(mostOfGroup);
    const size_t places = colIdx.size() + colIdx.size() / 8;
    codes.reserve(places);
    entryOf.reserve(places);
    for (uint32_t g = 0; g < grid.groups; g++) {
      addGroup(groupPtr[g], groupPtr[g + 1]);
      if (static_cast<double>(codes.size()) > mostPlaces * rowPtr[groupPtr[g + 1]]) {
        busiest = 0;
        return;
      }
    }
  }

 private:
  /** Ranges of columns with as many entries, in windows of equal width. */
  void cutColumns(uint32_t cols, uint32_t windowColumns) {
    while (cols >> binShift_ >= MOST_BINS) binShift_++;
    const uint32_t bins = (cols >> binShift_) + 1;
    std::vector<uint64_t> binPtr(bins + 1);
    for (const uint32_t column : colIdx_) binPtr[(column >> binShift_) + 1]++;
    std::partial_sum(binPtr.begin(), binPtr.end(), binPtr.begin());
    windowOf_.resize(bins);
    const uint32_t most = std::max(1u, windowColumns >> binShift_);
    uint32_t begin = 0;
    for (uint32_t share = 0; share < grid_.shares; share++) {
      sharePtr_.push_back(static_cast<uint32_t>(windows_.size()));
      const uint64_t until = colIdx_.size() * uint64_t{share + 1} / grid_.shares;
      uint32_t end = begin;
      while (end < bins && (share + 1 == grid_.shares || binPtr[end + 1] <= until)) end++;
      const uint32_t count = divideUp(end - begin, most);
      for (uint32_t w = 0; w < count; w++) {
        const uint32_t from = begin + static_cast<uint32_t>(uint64_t{end - begin} * w / count);
        const uint32_t to = begin + static_cast<uint32_t>(uint64_t{end - begin} * (w + 1) / count);
        std::fill(windowOf_.begin() + from, windowOf_.begin() + to, static_cast<uint32_t>(windows_.size()));
        windows_.push_back(from << binShift_);
      }
      begin = end;
    }
    sharePtr_.push_back(static_cast<uint32_t>(windows_.size()));
  }

  /** Groups of rows with as many entries, but at most `mostOfGroup` rows. */
  std::vector<uint32_t> cutRows(uint32_t mostOfGroup) const {
    std::vector<uint32_t> groupPtr{0};
    const uint32_t rows = static_cast<uint32_t>(rowPtr_.size() - 1);
    for (uint32_t g = 1; g <= grid_.groups; g++) {
      const uint64_t until = uint64_t{rowPtr_.back()} * g / grid_.groups;
      const auto at = std::ranges::upper_bound(rowPtr_, until) - rowPtr_.begin() - 1;
      // The groups that follow must have room for the rest.
      const uint64_t rest = uint64_t{grid_.groups - g} * mostOfGroup;
      const uint32_t least = rows > rest ? static_cast<uint32_t>(rows - rest) : 0;
      const uint32_t most = std::min(rows, groupPtr.back() + mostOfGroup);
      groupPtr.push_back(std::clamp<uint32_t>(static_cast<uint32_t>(at), std::max(groupPtr.back(), std::min(least, most)), most));
    }
    groupPtr.back() = rows;
    return groupPtr;
  }

  /** The entries of a warp in a window, counted slot by slot. */
  struct Bucket {
    uint32_t count = 0, run = 0, longest = 0, slot = UINT32_MAX, begin = 0, chunk = 0, chunks = 0;
    void add(uint32_t to) {
      run = to == slot ? run + 1 : 1;
      slot = to;
      longest = std::max(longest, run);
      count++;
    }
    void begins(uint32_t at) {
      begin = at;
      count = 0;
    }
  };

  /** Calls `use(slot, warp, k)` for every entry of a group, slot by slot. */
  template <class Use>
  void eachEntry(uint32_t row, uint32_t rowEnd, const uint32_t* slotsOf, std::span<const uint32_t> warpPtr, Use&& use) const {
    uint32_t warp = 0;
    for (uint32_t i = row; i < rowEnd; i++) {
      const uint32_t slots = slotsOf[i - row + 1] - slotsOf[i - row];
      for (uint32_t part = 0; part < slots; part++) {
        const uint32_t slot = slotsOf[i - row] + part;
        while (slot >= warpPtr[warp + 1]) warp++;
        for (uint32_t k = rowPtr_[i] + part; k < rowPtr_[i + 1]; k += slots) use(slot, warp, k);
      }
    }
  }

  void addGroup(uint32_t row, uint32_t rowEnd) {
    const uint32_t entries = rowPtr_[rowEnd] - rowPtr_[row];
    const uint32_t mostOfSlot = std::max(1u, entries / (WINDOW_WARPS * LEAST_SLOTS));
    const size_t at = slotPtr.size();
    slotPtr.push_back(0);
    for (uint32_t i = row; i < rowEnd; i++) {
      const uint32_t length = rowPtr_[i + 1] - rowPtr_[i];
      slotPtr.push_back(slotPtr.back() + std::max(1u, divideUp(length, mostOfSlot)));
    }
    const uint32_t slots = slotPtr.back();
    hasLongRows |= slots > rowEnd - row;
    mostSlots = std::max(mostSlots, slots);
    const std::vector<uint32_t> warpPtr = cutSlots(row, rowEnd, slotPtr.data() + at, entries);
    std::vector<Bucket> buckets(windows_.size() * WINDOW_WARPS);
    const auto bucketOf = [&](uint32_t warp, uint32_t column) -> Bucket& {
      return buckets[windowOf_[column >> binShift_] * WINDOW_WARPS + warp];
    };
    eachEntry(row, rowEnd, slotPtr.data() + at, warpPtr,
              [&](uint32_t slot, uint32_t warp, uint32_t k) { bucketOf(warp, colIdx_[k]).add(slot); });
    for (uint32_t share = 0; share < grid_.shares; share++) addBlock(row, rowEnd, slots, share, buckets);
    eachEntry(row, rowEnd, slotPtr.data() + at, warpPtr, [&](uint32_t slot, uint32_t warp, uint32_t k) {
      const uint32_t window = windowOf_[colIdx_[k] >> binShift_];
      Bucket& bucket = buckets[window * WINDOW_WARPS + warp];
      const uint32_t n = bucket.count++;
      const size_t place = (bucket.chunk + size_t{n % bucket.chunks}) * WARP + n / bucket.chunks;
      codes[place] = slot << 16 | (colIdx_[k] - windows_[window]);
      entryOf[place] = k;
    });
  }

  /** The slots of each warp: as many entries for all. */
  std::vector<uint32_t> cutSlots(uint32_t row, uint32_t rowEnd, const uint32_t* slotsOf, uint32_t entries) const {
    std::vector<uint32_t> warpPtr{0};
    uint64_t passed = 0;
    for (uint32_t i = row; i < rowEnd; i++) {
      const uint32_t length = rowPtr_[i + 1] - rowPtr_[i], slots = slotsOf[i - row + 1] - slotsOf[i - row];
      for (uint32_t part = 0; part < slots; part++) {
        while (warpPtr.size() < WINDOW_WARPS &&
               passed + uint64_t{length} * part / slots >= entries * uint64_t{warpPtr.size()} / WINDOW_WARPS)
          warpPtr.push_back(slotsOf[i - row] + part);
      }
      passed += length;
    }
    warpPtr.resize(WINDOW_WARPS + 1, slotsOf[rowEnd - row]);
    return warpPtr;
  }

  /** Room for the chunks of a block. */
  void addBlock(uint32_t row, uint32_t rowEnd, uint32_t slots, uint32_t share, std::vector<Bucket>& buckets) {
    const auto begin = static_cast<uint32_t>(bases.size());
    for (uint32_t warp = 0; warp < WINDOW_WARPS; warp++) {
      const auto first = static_cast<uint32_t>(bases.size());
      for (uint32_t window = sharePtr_[share]; window < sharePtr_[share + 1]; window++) {
        Bucket& bucket = buckets[window * WINDOW_WARPS + warp];
        if (bucket.count == 0) continue;
        bucket.chunk = static_cast<uint32_t>(bases.size());
        bucket.chunks = std::max(divideUp(bucket.count, WARP), bucket.longest);
        bucket.count = 0;
        bases.resize(bases.size() + bucket.chunks, windows_[window]);
      }
      while ((bases.size() - first) % CHUNK_BATCH != 0) bases.push_back(0);
      warps.push_back({first, static_cast<uint32_t>(bases.size()) - first});
    }
    busiest = std::max(busiest, static_cast<uint32_t>(bases.size()) - begin);
    codes.resize(bases.size() * WARP, slots << 16);
    entryOf.resize(bases.size() * WARP);
    blocks.push_back({row, rowEnd, slots});
  }

  std::span<const uint32_t> rowPtr_, colIdx_;
  Grid grid_;
  uint32_t binShift_ = 0;
  std::vector<uint32_t> windowOf_, windows_, sharePtr_;
};

}  // namespace sparlane
