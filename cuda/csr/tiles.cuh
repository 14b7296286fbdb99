/**
 * Partition of CSR into blocks for `stream.cuh`: rows packed into tiles, tiles in runs.
 *
 *     tiles   | rows | rows | row's piece | row's piece | rows | …     at most TILE_ROOM entries and TILE_ROWS rows each
 *     runs    |             |                           |      | …     decreasing lengths, so that blocks end together
 *
 * Cost: one pass over rowPtr when a plan is made, and 16 bytes per tile.
 */
#pragma once
#include <algorithm>
#include <vector>

#include "csr/csr.cuh"
#include "look-back.cuh"

namespace sparlane {

/** Maximum rows of a tile. */
constexpr uint32_t TILE_ROWS = 1024;
/** A small matrix is divided among so many tiles for each multiprocessor. */
constexpr uint32_t LEAST_TILES = 2;
/** Minimum size of a tile, in entries and rows, for small matrices. */
constexpr uint32_t SMALLEST_TILE = 512;
constexpr uint32_t MIN_ROWS = 256;
/** Tiles of a run: R-MAT takes 253 µs with 4, 276 with 16, 282 with 1; 27-point 187, 188, 222. (H200, f64, November 2026.) */
constexpr int RUN = 4;
constexpr int LONGEST_RUN = 16;
/**
 * Maximum pieces by which a run is extended to end with a row: the circuit takes 50 µs with 4, 52 with none, 55 with 8, 63 with
 * 16. (H200, f64, a quarter of its size, November 2026.)
 */
constexpr int MORE_PIECES = 4;
/**
 * A run is 1 / RUN_SHARE of the remaining tiles per resident block: 27-point takes 61 µs, 67 with 1 and 68 with 4; 5-point 26, 24
 * and 28. (H200, f64, a quarter of their sizes, November 2026.)
 */
constexpr uint32_t RUN_SHARE = 2;
/** Whole rows, or a piece of one. */
struct alignas(16) Tile {
  /** The first row; for a piece its row, or if SHARED the place of its sum. */
  uint32_t row;
  /** For whole rows: 18 … 16 log2 of the lanes of a row, 15 … 0 the number of rows. Otherwise PIECE and other flags. */
  uint32_t shape;
  uint32_t begin;
  uint32_t end;

  static constexpr uint32_t PIECE = 1u << 31;
  /** The last tile of its row in this run: the sum is complete, or it is this run's share. */
  static constexpr uint32_t LAST = 1u << 30;
  static constexpr uint32_t SHARED = 1u << 29;
  /** SHARED, and the row ends here: `row` is the number of its cut. */
  static constexpr uint32_t ENDING = 1u << 28;

  __host__ __device__ bool is(uint32_t what) const { return (shape & what) != 0; }
  __host__ __device__ bool isEmpty() const { return begin == end; }
  __host__ __device__ bool hasRowOf(const Tile& other) const { return is(PIECE) && other.is(PIECE) && row == other.row; }
  __device__ uint32_t rows() const { return shape & 0xffff; }
  __device__ uint32_t laneShift() const { return shape >> 16; }

  /** A tile of `rows` whole rows: each has 1, 2, 4 … or 32 lanes, as many as the threads of a block allow. */
  static uint32_t whole(uint32_t rows) {
    uint32_t shift = 0;
    while (shift < 5 && rows << (shift + 1) <= TILE_THREADS) shift++;
    return shift << 16 | rows;
  }
};

/** A row with pieces in several runs: the sums of all but the last run are at [first, end) of an array. */
struct Cut {
  uint32_t row;
  uint32_t first;
  uint32_t end;
};

constexpr uint32_t NO_CUT = 0xffffffffu;

/** The work of a block: the tiles [first, first + count), with the first of them. */
struct alignas(32) Run {
  Tile tile;
  uint32_t first;
  uint32_t count;
};

struct Tiling {
  std::vector<Tile> tiles;
  std::vector<Run> runs;
  /** Rows with pieces in several runs. */
  std::vector<Cut> cuts;
  /** 3 if lanes read their products in different orders, to avoid bank conflicts; else 0. */
  uint32_t turns;
};

/** Tiles of at most `mostEntries` entries, if `isAligned` counted from `tileBase`, and `mostRows` rows. At the rows `breaks` a tile begins. */
inline std::vector<Tile> tilesOf(std::span<const uint32_t> rowPtr, uint32_t mostEntries, uint32_t mostRows, bool isAligned,
                                 std::span<const uint32_t> breaks = {}) {
  std::vector<Tile> tiles;
  size_t passed = 0;
  const uint32_t rows = static_cast<uint32_t>(rowPtr.size() - 1);
  for (uint32_t row = 0; row < rows;) {
    const uint32_t begin = rowPtr[row];
    const uint32_t base = isAligned ? tileBase(begin) : begin;
    while (passed < breaks.size() && breaks[passed] <= row) passed++;
    const uint32_t most = passed < breaks.size() ? breaks[passed] : rows;
    uint32_t end = row;
    while (end < most && end - row < mostRows && rowPtr[end + 1] - base <= mostEntries) end++;
    if (end > row + 1) {
      tiles.push_back({row, Tile::whole(end - row), begin, rowPtr[end]});
      row = end;
      continue;
    }
    const uint64_t length = rowPtr[row + 1] - base;
    const uint32_t pieces = std::max(1u, divideUp(length, mostEntries));
    const uint64_t size = ENTRY_GROUP * uint64_t{std::max(1u, divideUp(divideUp(length, pieces), ENTRY_GROUP))};
    uint64_t at = base;
    do {
      const uint32_t from = std::max<uint64_t>(at, begin);
      at += size;
      tiles.push_back({row, Tile::PIECE, from, static_cast<uint32_t>(std::min<uint64_t>(at, rowPtr[row + 1]))});
    } while (at < rowPtr[row + 1]);
    row++;
  }
  return tiles;
}

/**
 * Runs of decreasing length; `blocks` of them run at a time. Of up to twice as many tiles there are as many runs as blocks, so that none
 * waits for another to end: 0.98 of the time with a tile each, 16 matrices of 0.7 to 2.5 million entries (H200, 22 November 2026).
 */
inline std::vector<uint32_t> runsOf(const std::vector<Tile>& tiles, uint32_t blocks, uint32_t longest) {
  std::vector<uint32_t> runPtr{0};
  const uint32_t count = static_cast<uint32_t>(tiles.size());
  while (runPtr.back() < count) {
    const uint32_t begin = runPtr.back();
    const auto runs = static_cast<uint32_t>(runPtr.size() - 1);
    const uint32_t share = count <= 2 * blocks ? blocks - std::min(blocks - 1, runs) : RUN_SHARE * blocks;
    uint32_t end = begin + std::clamp(divideUp(count - begin, share), 1u, std::min(longest, count - begin));
    for (int more = 0; more < MORE_PIECES && end < count && tiles[end].hasRowOf(tiles[end - 1]); more++) end++;
    runPtr.push_back(end);
  }
  return runPtr;
}

/** Marks where sums of pieces end, and returns the shared rows. */
inline std::vector<Cut> cutsOf(std::vector<Tile>& tiles, const std::vector<uint32_t>& runPtr) {
  std::vector<Cut> cuts;
  uint32_t places = 0;
  bool cameFromBefore = false;
  for (size_t run = 0; run + 1 < runPtr.size(); run++) {
    for (uint32_t t = runPtr[run]; t < runPtr[run + 1]; t++) {
      Tile& tile = tiles[t];
      if (!tile.is(Tile::PIECE)) continue;
      const bool goesOn = t + 1 < tiles.size() && tile.hasRowOf(tiles[t + 1]);
      if (goesOn && t + 1 < runPtr[run + 1]) continue;
      tile.shape |= Tile::LAST;
      if (goesOn && !cameFromBefore) cuts.push_back({tile.row, places, places});
      if (goesOn || cameFromBefore) tile.shape |= Tile::SHARED;
      if (goesOn) {
        tile.row = places++;
        cuts.back().end = places;
      } else if (cameFromBefore) {
        tile.shape |= Tile::ENDING;
        tile.row = static_cast<uint32_t>(cuts.size() - 1);
      }
      cameFromBefore = goesOn;
    }
  }
  return cuts;
}

/** 3 if most entries are in rows of 4, 8, 12 … entries, else 0: lanes that read at odd distances have no bank conflicts. */
inline uint32_t turnsOf(std::span<const uint32_t> rowPtr) {
  uint64_t inFours = 0;
  for (size_t i = 1; i < rowPtr.size(); i++) {
    const uint32_t length = rowPtr[i] - rowPtr[i - 1];
    if (length % 4 == 0) inFours += length;
  }
  return 2 * inFours > rowPtr.back() ? 3 : 0;
}

/** Returns an equal share of entries or rows for each tile of a small matrix; of a large one the most. */
inline uint32_t shareOf(uint64_t all, uint32_t multiprocessors, uint32_t least, uint32_t most) {
  return std::clamp(ENTRY_GROUP * divideUp(all, uint64_t{LEAST_TILES} * multiprocessors * ENTRY_GROUP), least, most);
}

inline Tiling tilingOf(std::span<const uint32_t> rowPtr, uint32_t multiprocessors, uint32_t blocks, uint32_t longestRun) {
  Tiling tiling;
  const uint32_t mostEntries = shareOf(rowPtr.back(), multiprocessors, SMALLEST_TILE, TILE_ROOM);
  tiling.tiles = tilesOf(rowPtr, mostEntries, shareOf(rowPtr.size(), multiprocessors, MIN_ROWS, TILE_ROWS), true);
  const std::vector<uint32_t> runPtr = runsOf(tiling.tiles, blocks, longestRun);
  tiling.cuts = cutsOf(tiling.tiles, runPtr);
  for (size_t run = 0; run + 1 < runPtr.size(); run++) {
    tiling.runs.push_back({tiling.tiles[runPtr[run]], runPtr[run], runPtr[run + 1] - runPtr[run]});
  }
  tiling.turns = turnsOf(rowPtr);
  return tiling;
}

}  // namespace sparlane
