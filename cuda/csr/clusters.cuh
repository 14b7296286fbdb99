/**
 * The rows of CSR in another order for `packed.cuh`, so that the rows of a tile have columns in common: meshes and graphs that are numbered
 * at random. A tile is grown from a row, breadth first, until it is full: to the rows that its columns name, or to those that have a
 * column in common with it. Its x then comes from L2 once, and from L1 as often as the tile reads it.
 *
 * The rows alone are permuted, so x and y stay as they are.
 * Takes 0.43 to 1.0 of the time where it is used, in 93 of 950 cases of `bench/matrices/kinds`: hexahedra in random order, 12 million entries, f32, 90 →
 *   38 µs; a triangulation as drawn, 1 million, f64, 15.0 → 12.1 (H200, 23 November 2026).
 * Cost: when the plan is made, 37 ns per entry on the host in the median, and more if rows are followed through columns, so only a patient plan has
 *   them; 4 bytes per row in a product, and y is written row by row, in as many sectors as there are rows.
 */
#pragma once
#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "csr/costs.cuh"

namespace sparlane {

/** The rows of the places, where the entries of each place begin, and the first places of the tiles. */
struct Clusters {
  std::vector<uint32_t> rowOf, rowPtr, tiles;
};

/** Sizes of a tile. */
struct TileSize {
  uint32_t entries, rows;
};

/** Rows and columns of more entries are not followed: they lead everywhere. */
constexpr uint32_t FOLLOWED = 128;
/** Rows near a tile that may begin later ones. */
constexpr size_t KEPT_SEEDS = 64;
constexpr uint32_t ALL_TILES = 0xffffffffu;

/** A pattern by rows, and by columns if rows are followed through the columns that they have in common. */
struct Pattern {
  std::span<const uint32_t> rowPtr, colIdx;
  std::vector<uint32_t> colPtr, rowIdx;

  uint32_t rows() const { return static_cast<uint32_t>(rowPtr.size() - 1); }

  void transpose(uint32_t cols) {
    colPtr.assign(cols + size_t{1}, 0);
    rowIdx.resize(colIdx.size());
    for (const uint32_t column : colIdx) colPtr[column]++;
    for (uint32_t sum = 0; uint32_t & count : colPtr) count = sum += count;
    for (uint32_t row = rows(); row-- > 0;)
      for (uint32_t k = rowPtr[row]; k < rowPtr[row + 1]; k++) rowIdx[--colPtr[colIdx[k]]] = row;
  }
};

/** The first `most` tiles, grown from row `seed` on; without `rowPtr`. The rows of a tile ascend. */
inline Clusters grownTiles(const Pattern& a, TileSize size, uint32_t seed, uint32_t most) {
  const uint32_t rows = a.rows();
  Clusters clusters;
  auto& order = clusters.rowOf;
  std::vector<uint32_t> queue, seeds;
  // The last tile that has met a row or column; TAKEN once the row is in the order.
  constexpr uint32_t TAKEN = 0xffffffffu;
  std::vector<uint32_t> met(rows), metColumn(a.colPtr.size());
  order.reserve(most == ALL_TILES ? rows : 0);
  size_t nextOfSeeds = 0;
  uint32_t scanned = 0;
  const auto nextSeed = [&]() -> std::optional<uint32_t> {
    while (nextOfSeeds < seeds.size())
      if (const uint32_t row = seeds[nextOfSeeds++]; met[row] != TAKEN) return row;
    for (; scanned < rows; scanned++)
      if (const uint32_t row = scanned + seed < rows ? scanned + seed : scanned + seed - rows; met[row] != TAKEN) return row;
    return {};
  };
  for (uint32_t tile = 1; tile <= most && order.size() < rows; tile++) {
    uint32_t entries = 0, count = 0;
    size_t next = 0;
    queue.clear();
    clusters.tiles.push_back(static_cast<uint32_t>(order.size()));
    const auto meet = [&](uint32_t row) {
      if (met[row] == TAKEN || met[row] == tile) return;
      met[row] = tile;
      queue.push_back(row);
    };
    for (;;) {
      if (next == queue.size()) {
        const auto first = nextSeed();
        if (!first) break;
        queue.push_back(*first);
      }
      const uint32_t row = queue[next];
      const uint32_t begin = a.rowPtr[row], end = a.rowPtr[row + 1];
      if (count > 0 && (entries + end - begin > size.entries || count == size.rows)) break;
      next++;
      if (met[row] == TAKEN) continue;
      met[row] = TAKEN;
      order.push_back(row);
      entries += end - begin;
      count++;
      if (end - begin > FOLLOWED) continue;
      for (uint32_t k = begin; k < end; k++) {
        const uint32_t column = a.colIdx[k];
        if (a.colPtr.empty()) {
          meet(column);
        } else if (metColumn[column] != tile) {
          metColumn[column] = tile;
          const uint32_t first = a.colPtr[column], last = a.colPtr[column + 1];
          for (uint32_t i = first; last - first <= FOLLOWED && i < last; i++) meet(a.rowIdx[i]);
        }
      }
    }
    for (size_t kept = 0; next < queue.size() && kept < KEPT_SEEDS; next++) {
      if (met[queue[next]] == TAKEN) continue;
      seeds.push_back(queue[next]);
      kept++;
    }
    std::sort(order.end() - count, order.end());
  }
  return clusters;
}

constexpr uint32_t SAMPLED_TILES = 32;

/** Sectors of x per entry that a tile reads, if L1 keeps them: the mean over some tiles. Without clusters rows are in order. */
inline double sectorsPerEntry(const Pattern& a, const Clusters& clusters, TileSize size, uint32_t perSector) {
  const auto& [rowOf, rowPtr, tiles] = clusters;
  const auto places = rowOf.empty() ? a.rows() : static_cast<uint32_t>(rowOf.size());
  uint64_t sectors = 0, entries = 0;
  Different different(size.entries);
  for (uint32_t tile = 0; tile < SAMPLED_TILES; tile++) {
    uint32_t found = 0;
    different.clear();
    const size_t at = (tiles.empty() ? places : tiles.size()) * size_t{tile} / SAMPLED_TILES;
    for (auto place = tiles.empty() ? static_cast<uint32_t>(at) : tiles[at]; place < places; place++) {
      const uint32_t row = rowOf.empty() ? place : rowOf[place];
      if (found + a.rowPtr[row + 1] - a.rowPtr[row] > size.entries) break;
      for (uint32_t k = a.rowPtr[row]; k < a.rowPtr[row + 1]; k++) different.add(a.colIdx[k] / perSector);
      found += a.rowPtr[row + 1] - a.rowPtr[row];
    }
    entries += found;
    sectors += different.count;
  }
  return static_cast<double>(sectors) / static_cast<double>(std::max<uint64_t>(entries, 1));
}

/** Matrices with fewer entries are left as they are; and with more, for the time that it takes. */
constexpr uint32_t LEAST_ENTRIES = 100'000, MOST_ENTRIES = 1u << 25;
constexpr uint32_t TRIED_TILES = 16;

/** None if that does not save enough of the `sectors` per entry that the rows in order take; or if `isAsked`, whatever it saves. */
inline std::optional<Clusters> clustersOf(Pattern& a, uint32_t cols, TileSize size, uint32_t bytesOfElement, double sectors,
                                          bool isAsked) {
  const uint32_t rows = a.rows(), perSector = 32 / bytesOfElement, entries = a.rowPtr.back();
  const double mean = static_cast<double>(entries) / std::max(rows, 1u);
  const double now = mean * sectors;
  if (!isAsked) {
    if (entries < LEAST_ENTRIES || entries > MOST_ENTRIES || size_t{cols} * bytesOfElement < SMALL_X_BYTES) return {};
    if (now < SECTORS_OF_MOVED_ROW) return {};
  }
  const auto saves = [&](const Clusters& clusters) {
    return isAsked || now - mean * sectorsPerEntry(a, clusters, size, perSector) >= SECTORS_OF_MOVED_ROW;
  };
  const auto isWorthTrying = [&] { return saves(grownTiles(a, size, rows / 2, TRIED_TILES)); };
  if (rows != cols || !isWorthTrying()) {
    a.transpose(cols);
    if (!isWorthTrying()) return {};
  }
  Clusters clusters = grownTiles(a, size, 0, ALL_TILES);
  if (!saves(clusters)) return {};
  clusters.rowPtr.reserve(a.rowPtr.size());
  clusters.rowPtr.push_back(0);
  for (const uint32_t row : clusters.rowOf) clusters.rowPtr.push_back(clusters.rowPtr.back() + a.rowPtr[row + 1] - a.rowPtr[row]);
  return clusters;
}

/** Copies the entries of the rows to their places. A warp for a place. */
template <class T>
__global__ void __launch_bounds__(TILE_THREADS)
    permuteRows(uint32_t places, const uint32_t* rowOf, const uint32_t* rowPtr, const uint32_t* placePtr, const T* from, T* to) {
  const uint32_t place = blockIdx.x * TILE_WARPS + threadIdx.x / WARP;
  if (place >= places) return;
  const uint32_t begin = rowPtr[rowOf[place]], target = placePtr[place], length = placePtr[place + 1] - target;
  for (uint32_t k = threadIdx.x % WARP; k < length; k += WARP) to[target + k] = from[begin + k];
}

}  // namespace sparlane
