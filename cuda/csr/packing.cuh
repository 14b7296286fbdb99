/**
 * Layout of `packed.cuh`: tiles of rows, the begins of the rows of each, and on the device the entries at the places of their tiles.
 *
 * Columns of a tile have 16 bits if they are in at most WINDOWS windows of WINDOW columns: then a code is the number of the window in the
 * list of its tile, and the place in it.
 *
 *     code   15 … 11 window | 10 … 0 column in the window
 */
#pragma once
#include <numeric>

#include "csr/tiles.cuh"

namespace sparlane {

constexpr uint32_t WINDOW_SHIFT = 11;
constexpr uint32_t WINDOW = 1u << WINDOW_SHIFT;
/** A lane of a warp has one. */
constexpr uint32_t WINDOWS = WARP;

constexpr int PACK_BLOCK = 256;

/** The windows of a tile: a hash table in shared memory, filled by the whole block. */
struct Windows {
  static constexpr uint32_t SLOTS = 4 * WINDOWS;
  static constexpr uint32_t NONE = 0xffffffffu;
  uint32_t keys[SLOTS];
  uint32_t labels[SLOTS];
  uint32_t count;

  __device__ __forceinline__ static uint32_t slotOf(uint32_t window, uint32_t probe) {
    return ((window * 0x9e3779b1u >> 16) + probe) % SLOTS;
  }

  /** All threads of the block must call this. Afterwards `count` is the number of windows, or more than WINDOWS. */
  __device__ void collect(const Tile& tile, const uint32_t* colIdx) {
    for (uint32_t i = threadIdx.x; i < SLOTS; i += PACK_BLOCK) keys[i] = NONE;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    for (uint32_t k = tile.begin + threadIdx.x; k < tile.end; k += PACK_BLOCK) {
      const uint32_t window = colIdx[k] >> WINDOW_SHIFT;
      for (uint32_t probe = 0; probe < SLOTS; probe++) {
        const uint32_t found = atomicCAS(keys + slotOf(window, probe), NONE, window);
        if (found == NONE) atomicAdd(&count, 1);
        if (found == NONE || found == window) break;
      }
    }
    __syncthreads();
  }

  __device__ uint32_t labelOf(uint32_t window) const {
    uint32_t probe = 0;
    while (keys[slotOf(window, probe)] != window) probe++;
    return labels[slotOf(window, probe)];
  }
};

/** Whether the columns of each tile fit in 16 bits. A block for a tile. */
static __global__ void __launch_bounds__(PACK_BLOCK) findNarrow(const Tile* tiles, const uint32_t* colIdx, uint32_t* isNarrow) {
  __shared__ Windows windows;
  windows.collect(tiles[blockIdx.x], colIdx);
  if (threadIdx.x == 0) isNarrow[blockIdx.x] = windows.count <= WINDOWS;
}

/** Returns the number of the entry at a place of a tile. The two of a pair have neighbouring places, and numbers that are APART from each other. */
template <uint32_t APART>
__device__ __forceinline__ uint32_t entryAt(uint32_t place) {
  if constexpr (APART == 1) return place;
  const uint32_t inGroup = place % ENTRY_GROUP;
  return place - inGroup + inGroup / 2 + inGroup % 2 * APART;
}

/** The codes of the columns of narrow tiles, and the first columns of their windows. A block for a tile. */
template <uint32_t APART>
__global__ void __launch_bounds__(PACK_BLOCK)
    packNarrow(const Tile* tiles, uint32_t size, const uint32_t* colIdx, uint16_t* codes, uint32_t* bases) {
  __shared__ Windows windows;
  const Tile tile = tiles[blockIdx.x];
  windows.collect(tile, colIdx);
  if (threadIdx.x < WINDOWS) bases[blockIdx.x * WINDOWS + threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x < Windows::SLOTS && windows.keys[threadIdx.x] != Windows::NONE) {
    uint32_t label = 0;
    for (uint32_t other = 0; other < threadIdx.x; other++) label += windows.keys[other] != Windows::NONE;
    windows.labels[threadIdx.x] = label;
    bases[blockIdx.x * WINDOWS + label] = windows.keys[threadIdx.x] << WINDOW_SHIFT;
  }
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < size; i += PACK_BLOCK) {
    uint32_t code = 0;
    if (!tile.isEmpty()) {
      const uint32_t column = colIdx[min(tile.begin + entryAt<APART>(i), tile.end - 1)];
      code = windows.labelOf(column >> WINDOW_SHIFT) << WINDOW_SHIFT | column % WINDOW;
    }
    codes[size_t{blockIdx.x} * size + i] = static_cast<uint16_t>(code);
  }
}

/** Copies entries to their tiles. The places after a tile's last entry get that entry, and those of a tile without entries 0. A block for a tile. */
template <uint32_t APART, class T>
__global__ void __launch_bounds__(PACK_BLOCK) packEntries(const Tile* tiles, uint32_t size, const T* from, T* to) {
  const Tile tile = tiles[blockIdx.x];
  for (uint32_t i = threadIdx.x; i < size; i += PACK_BLOCK) {
    to[size_t{blockIdx.x} * size + i] = tile.isEmpty() ? T{} : from[min(tile.begin + entryAt<APART>(i), tile.end - 1)];
  }
}

/** On the host: the tiles, at first in the order of the rows. */
struct Packing {
  std::vector<Tile> tiles;
  std::vector<Cut> cuts;
  /** Places of a tile. */
  uint32_t size = ENTRY_GROUP;
  /** The first so many tiles have columns of 16 bits. */
  uint32_t narrow = 0;
  uint32_t turns;

  Packing(std::span<const uint32_t> rowPtr, uint32_t mostEntries, uint32_t mostRows, std::span<const uint32_t> breaks)
      : tiles(tilesOf(rowPtr, mostEntries, mostRows, false, breaks)), turns(turnsOf(rowPtr)) {
    for (const Tile& tile : tiles) size = std::max(size, ENTRY_GROUP * divideUp(tile.end - tile.begin, ENTRY_GROUP));
    std::vector<uint32_t> runPtr(tiles.size() + 1);
    std::iota(runPtr.begin(), runPtr.end(), 0);
    cuts = cutsOf(tiles, runPtr);
  }

  /** Names the rows of pieces by their numbers in the matrix: those of the rest are read by the kernel. */
  void nameRows(std::span<const uint32_t> rowOf) {
    for (Tile& tile : tiles)
      if (tile.is(Tile::PIECE) && !tile.is(Tile::SHARED)) tile.row = rowOf[tile.row];
    for (Cut& cut : cuts) cut.row = rowOf[cut.row];
  }

  /**
   * Moves the narrow tiles to the front. Blocks wait for pieces of their row in previous blocks: tiles with such pieces stay behind all
   * others, in their order.
   */
  void sort(std::span<const uint32_t> isNarrow) {
    std::vector<Tile> sorted, wide;
    for (size_t t = 0; t < tiles.size(); t++)
      (isNarrow[t] != 0 && !tiles[t].is(Tile::SHARED) ? sorted : wide).push_back(tiles[t]);
    narrow = static_cast<uint32_t>(sorted.size());
    sorted.insert(sorted.end(), wide.begin(), wide.end());
    tiles = std::move(sorted);
  }

  /** For each tile the begins of its rows and the end of the last one, counted from the tile's begin: 16 bits each, `stride` words. */
  std::pair<std::vector<uint32_t>, uint32_t> starts(std::span<const uint32_t> rowPtr) const {
    const auto rowsOf = [](const Tile& tile) { return tile.is(Tile::PIECE) ? 0 : tile.shape & 0xffff; };
    uint32_t most = 0;
    for (const Tile& tile : tiles) most = std::max(most, rowsOf(tile));
    const uint32_t stride = divideUp(most + 1, 2);
    std::vector<uint32_t> words(tiles.size() * stride);
    for (size_t t = 0; t < tiles.size(); t++) {
      auto* const begins = reinterpret_cast<uint16_t*>(words.data() + t * stride);
      for (uint32_t i = 0; i <= rowsOf(tiles[t]) && !tiles[t].is(Tile::PIECE); i++) {
        begins[i] = static_cast<uint16_t>(rowPtr[tiles[t].row + i] - tiles[t].begin);
      }
    }
    return {std::move(words), stride};
  }
};

}  // namespace sparlane
