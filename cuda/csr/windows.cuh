/**
 * Layout of `windows.cu`: the blocks' rows and columns, and the entries in the order in which each warp adds them.
 *
 *     group 0    window | window || window | window        rows: `groups` ranges, as many entries in each
 *                    block 0     ||     block 1            columns: for each group some ranges, as many entries in each
 *     group 1     window | window | window || window
 *                       block 2           || block 3
 *
 * A group's sums have slots: a row has one, or several if it is long. Each warp of a block has some neighbouring slots, in every block of the
 * group the same, and adds their entries window by window, a chunk of 32 entries at a time, one for each lane. The entries of a chunk have
 * different slots, so that no two lanes add to the same sum: n entries, at most m of them for a slot, fill t = max(n / 32, m) chunks, if the k-th of
 * them, counted slot by slot, is in chunk k mod t (McNaughton 1959). Counted first by the bank of the slot, few lanes of a chunk meet in a bank. The
 * places that are left add to a slot that no row has.
 */
#pragma once
#include <array>
#include <numeric>

#include "csr/windows-grid.cuh"

namespace sparlane {

constexpr uint32_t WINDOW_WARPS = 32;
/** Of shared memory: neighbouring sums are in different ones. */
constexpr uint32_t BANKS = 32;
/** Chunks that a warp reads at once; it has a multiple of them. */
constexpr uint32_t CHUNK_BATCH = 4;
/** Slots that a warp has at least, if its entries suffice: fewer would leave lanes without one. */
constexpr uint32_t LEAST_SLOTS = 64;
/** Of the 16 bits of a slot or a column in its window. */
constexpr uint32_t MOST_SLOTS = 65'535;
constexpr uint32_t WIDEST_WINDOW = 1u << 16;
/** Ranges of columns in which entries are counted, at most. */
constexpr uint32_t MOST_BINS = 1u << 14;

/** Columns of a window, and entries of a group in it up to which it is widened. */
struct WindowSize {
  uint32_t columns, entries;
};

/** The work of a block. */
struct alignas(16) WindowBlock {
  uint32_t row, rowEnd, slots;
  /** Where its rows begin in `slotPtr`, its long rows, and its sums among those of all blocks that share rows, or NOT_SHARED. */
  uint32_t slotPtr, longRow, longRowEnd, sums;
};
constexpr uint32_t NOT_SHARED = 0xffffffffu;

/** A row of more slots than a thread adds, numbered from the first one of the block. */
struct alignas(16) LongRow {
  uint32_t row, slot, slotEnd;
};
constexpr uint32_t MOST_SLOTS_OF_THREAD = 32;

/** Rows that several blocks share, and the sums of the first of these blocks. */
struct alignas(16) SharedRows {
  uint32_t row, rowEnd, shares, sums;
};

/** The work of a warp. */
struct alignas(8) WarpChunks {
  uint32_t first, count;
};

class WindowLayout {
 public:
  std::vector<WindowBlock> blocks;
  std::vector<WarpChunks> warps;
  std::vector<LongRow> longRows;
  std::vector<SharedRows> shared;
  /** All sums of blocks that share rows. */
  uint32_t sums = 0;
  /** For each group: where the slots of its rows begin, and the end. */
  std::vector<uint32_t> slotPtr;
  /** For each chunk the first column of its window. */
  std::vector<uint32_t> bases;
  /** For each place of a chunk: slot and column in the window, 16 bits each. */
  std::vector<uint32_t> codes;
  /** And the entry; of places that are left any. */
  std::vector<uint32_t> entryOf;
  uint32_t mostSlots = 0;
  /** Whether a row has several slots. */
  bool hasSplitRows = false;
  /** Chunks of the busiest block, and of the busiest warp; 0 if the layout was given up. */
  uint32_t busiest = 0, chunksOfWarp = 0;
  /** Sectors of x that the blocks read: the sum of their different ones. */
  uint64_t sectors = 0;

  /** It is given up as soon as the entries so far take more than `mostPlaces` places each. */
  WindowLayout(std::span<const uint32_t> rowPtr, std::span<const uint32_t> colIdx, uint32_t cols, const Grid& grid,
               WindowSize size, double mostPlaces, uint32_t perSector = 4)
      : rowPtr_(rowPtr), colIdx_(colIdx), size_(size) {
    while (cols >> binShift_ >= MOST_BINS) binShift_++;
    binPtr_.resize((cols >> binShift_) + size_t{2});
    windowOf_.resize(binPtr_.size() - 1);
    usual_ = std::max(1u, size.columns >> binShift_);
    widest_ = std::max(1u, WIDEST_WINDOW >> binShift_);
    const size_t places = colIdx.size() + colIdx.size() / 8;
    codes.reserve(places);
    entryOf.reserve(places);
    for (uint32_t g = 0; g < grid.groups(); g++) {
      addGroup(grid.rowPtr[g], grid.rowPtr[g + 1], grid.sharesOf[g]);
      if (static_cast<double>(codes.size()) > mostPlaces * rowPtr[grid.rowPtr[g + 1]]) {
        busiest = 0;
        return;
      }
    }
    countSectors(cols, perSector);
  }

 private:
  /** Ranges of columns with as many of the entries, in windows. */
  void cutColumns(std::span<const uint32_t> entries, uint32_t shares) {
    const auto bins = static_cast<uint32_t>(windowOf_.size());
    std::ranges::fill(binPtr_, 0u);
    for (const uint32_t column : entries) binPtr_[(column >> binShift_) + 1]++;
    std::partial_sum(binPtr_.begin(), binPtr_.end(), binPtr_.begin());
    windows_.clear();
    sharePtr_.clear();
    uint32_t begin = 0;
    for (uint32_t share = 0; share < shares; share++) {
      sharePtr_.push_back(static_cast<uint32_t>(windows_.size()));
      const uint64_t until = entries.size() * uint64_t{share + 1} / shares;
      uint32_t end = begin;
      while (end < bins && (share + 1 == shares || binPtr_[end + 1] <= until)) end++;
      while (begin < end) {
        uint32_t to = begin + 1;
        const auto fits = [&](uint32_t most) { return to < end && to - begin < most; };
        while (fits(usual_) || (fits(widest_) && binPtr_[to + 1] - binPtr_[begin] <= size_.entries)) to++;
        std::fill(windowOf_.begin() + begin, windowOf_.begin() + to, static_cast<uint32_t>(windows_.size()));
        windows_.push_back(begin << binShift_);
        begin = to;
      }
    }
    sharePtr_.push_back(static_cast<uint32_t>(windows_.size()));
  }

  /** The entries of a warp in a window. */
  struct Bucket {
    uint32_t count = 0, run = 0, longest = 0, slot = UINT32_MAX, chunk = 0, chunks = 0;
    /** The entries of each bank, then where the next one of it comes. */
    std::array<uint32_t, BANKS> ofBank{};
    /** Slot by slot. */
    void add(uint32_t to) {
      run = to == slot ? run + 1 : 1;
      slot = to;
      longest = std::max(longest, run);
      count++;
      ofBank[to % BANKS]++;
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

  void addGroup(uint32_t row, uint32_t rowEnd, uint32_t shares) {
    const uint32_t entries = rowPtr_[rowEnd] - rowPtr_[row];
    const uint32_t mostOfSlot = std::max(1u, entries / (WINDOW_WARPS * LEAST_SLOTS));
    const size_t at = slotPtr.size();
    const auto longRow = static_cast<uint32_t>(longRows.size());
    slotPtr.push_back(0);
    for (uint32_t i = row; i < rowEnd; i++) {
      const uint32_t length = rowPtr_[i + 1] - rowPtr_[i], slot = slotPtr.back(),
                     end = slot + std::max(1u, divideUp(length, mostOfSlot));
      slotPtr.push_back(end);
      if (end - slot > MOST_SLOTS_OF_THREAD) longRows.push_back({i - row, slot, end});
    }
    const uint32_t slots = slotPtr.back();
    hasSplitRows |= slots > rowEnd - row;
    mostSlots = std::max(mostSlots, slots);
    cutColumns(colIdx_.subspan(rowPtr_[row], entries), shares);
    const std::vector<uint32_t> warpPtr = cutSlots(row, rowEnd, slotPtr.data() + at, entries);
    buckets_.assign(windows_.size() * WINDOW_WARPS, {});
    const auto bucketOf = [&](uint32_t warp, uint32_t column) -> Bucket& {
      return buckets_[windowOf_[column >> binShift_] * WINDOW_WARPS + warp];
    };
    eachEntry(row, rowEnd, slotPtr.data() + at, warpPtr,
              [&](uint32_t slot, uint32_t warp, uint32_t k) { bucketOf(warp, colIdx_[k]).add(slot); });
    if (shares > 1) shared.push_back({row, rowEnd, shares, sums});
    for (uint32_t share = 0; share < shares; share++) {
      addChunks(slots, share);
      blocks.push_back({row, rowEnd, slots, static_cast<uint32_t>(at), longRow, static_cast<uint32_t>(longRows.size()),
                        shares > 1 ? sums : NOT_SHARED});
      if (shares > 1) sums += rowEnd - row;
    }
    eachEntry(row, rowEnd, slotPtr.data() + at, warpPtr, [&](uint32_t slot, uint32_t warp, uint32_t k) {
      Bucket& bucket = bucketOf(warp, colIdx_[k]);
      const uint32_t n = bucket.ofBank[slot % BANKS]++, chunk = bucket.chunk + n % bucket.chunks;
      const size_t place = size_t{chunk} * WARP + n / bucket.chunks;
      codes[place] = slot << 16 | (colIdx_[k] - bases[chunk]);
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
  void addChunks(uint32_t slots, uint32_t share) {
    const auto begin = static_cast<uint32_t>(bases.size());
    for (uint32_t warp = 0; warp < WINDOW_WARPS; warp++) {
      const auto first = static_cast<uint32_t>(bases.size());
      for (uint32_t window = sharePtr_[share]; window < sharePtr_[share + 1]; window++) {
        Bucket& bucket = buckets_[window * WINDOW_WARPS + warp];
        if (bucket.count == 0) continue;
        bucket.chunk = static_cast<uint32_t>(bases.size());
        bucket.chunks = std::max(divideUp(bucket.count, WARP), bucket.longest);
        std::exclusive_scan(bucket.ofBank.begin(), bucket.ofBank.end(), bucket.ofBank.begin(), 0u);
        bases.resize(bases.size() + bucket.chunks, windows_[window]);
      }
      while ((bases.size() - first) % CHUNK_BATCH != 0) bases.push_back(0);
      warps.push_back({first, static_cast<uint32_t>(bases.size()) - first});
      chunksOfWarp = std::max(chunksOfWarp, warps.back().count);
    }
    busiest = std::max(busiest, static_cast<uint32_t>(bases.size()) - begin);
    codes.resize(bases.size() * WARP, slots << 16);
    entryOf.resize(bases.size() * WARP);
  }

  void countSectors(uint32_t cols, uint32_t perSector) {
    // The last block, from 1 on, that reads a sector.
    std::vector<uint8_t> readBy(cols / perSector + size_t{1});
    for (size_t b = 0; b < blocks.size(); b++) {
      if (b % UINT8_MAX == 0) std::ranges::fill(readBy, uint8_t{0});
      const auto block = static_cast<uint8_t>(b % UINT8_MAX + 1);
      const WarpChunks &first = warps[b * WINDOW_WARPS], &last = warps[(b + 1) * WINDOW_WARPS - 1];
      for (size_t place = size_t{first.first} * WARP; place < size_t{last.first + last.count} * WARP; place++) {
        if (codes[place] >> 16 == blocks[b].slots) continue;
        uint8_t& reader = readBy[(bases[place / WARP] + (codes[place] & 0xffff)) / perSector];
        sectors += reader != block;
        reader = block;
      }
    }
  }

  std::span<const uint32_t> rowPtr_, colIdx_;
  WindowSize size_;
  /** Bins have 2^binShift_ columns; bins of a window, usually and at most. */
  uint32_t binShift_ = 0, usual_ = 1, widest_ = 1;
  /** Of a group: where the entries of each bin begin, its window, the first column of each window, and the first window of each share. */
  std::vector<uint32_t> binPtr_, windowOf_, windows_, sharePtr_;
  /** For each window the buckets of the warps. */
  std::vector<Bucket> buckets_;
};

}  // namespace sparlane
