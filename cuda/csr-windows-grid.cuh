/**
 * How many blocks of `csr-windows.cu` share the rows and the columns, and what that takes, on this device and by `packed`.
 */
#pragma once
#include <cmath>

#include "csr-windows.cuh"

namespace sparlane {

/** Share of a multiprocessor's shared memory for sums; the rest is L1. */
constexpr double SUMS_SHARE = 0.57;
/**
 * Bytes of x in a window, and entries of a warp in one, for which it is widened: 1,107,075² with 30 entries in a row takes 137 µs with 32 KB, 191
 * with 64, 209 with 128 (f32); 461,275 × 75,660 with 26 61, 63 and 89 (f64). (H200, 23 November 2026, columns at random.)
 */
constexpr uint32_t WINDOW_BYTES = 32 * 1024, WIDEST_BYTES = 64 * 1024;
constexpr double WINDOW_ENTRIES = 96;

/**
 * Nanoseconds for a chunk of a block, for a sector of x that blocks read, for the wait for other blocks, and for each sum that the last block adds;
 * for a sector that other methods read from L2, and for a byte from memory. Within 15 % in 330 products of 35 matrices of `bench/kinds` (H200, 23
 * November 2026).
 */
constexpr double CHUNK_NS = 10.4, SECTOR_NS = 0.004, WAIT_NS = 1500, SHARED_SUM_NS = 0.3, SCATTERED_NS = 0.008, BYTE_NS = 0.00023;
/** Places of an entry, if the layout is not yet known. */
constexpr double USUAL_PLACES = 1.1;
/** Of the time that other methods take, at most so much. */
constexpr double LESS = 0.85;
/** Entries from which windows are looked for. */
constexpr uint32_t LEAST_ENTRIES_OF_WINDOWS = 1'000'000;

inline double predictNs(Grid grid, const CsrHeader& header, uint32_t width, double chunks) {
  const double sectors = header.cols * (width / 32.0), rows = header.rows;
  // e^n to the second power of n: libm's exp wants glibc 2.29.
  const double perSector = header.nnz / sectors / grid.groups, touched = 1 - 1 / (1 + perSector + perSector * perSector / 2);
  const double shared = grid.shares == 1 ? 0 : WAIT_NS + SHARED_SUM_NS * grid.shares * rows / grid.groups;
  return CHUNK_NS * chunks + SECTOR_NS * grid.groups * sectors * touched + shared;
}

/** Chunks of a block, if an entry has so many places. */
inline double chunksOf(Grid grid, const CsrHeader& header, double places) {
  return places * header.nnz / (WARP * grid.groups * grid.shares);
}

/** The grid that takes least of those with a block for each multiprocessor; 0 × 0 if the sums do not fit. */
inline Grid gridOf(const CsrHeader& header, uint32_t multiprocessors, uint32_t width, uint32_t mostOfGroup, uint32_t asked) {
  Grid best{0, 0};
  double least = INFINITY;
  for (uint32_t shares = 1; shares <= multiprocessors; shares++) {
    const Grid grid{std::min(asked > 0 ? asked : multiprocessors / shares, header.rows), shares};
    if (uint64_t{grid.groups} * mostOfGroup < header.rows || grid.groups * shares > multiprocessors) continue;
    const double ns = predictNs(grid, header, width, chunksOf(grid, header, USUAL_PLACES));
    if (ns < least) best = grid, least = ns;
  }
  return best;
}

/** Columns of a window. */
inline uint32_t usualColumns(Grid grid, const CsrHeader& header, uint32_t width) {
  const double wanted = WINDOW_ENTRIES * WINDOW_WARPS * grid.groups * header.cols / header.nnz;
  return static_cast<uint32_t>(std::clamp<double>(wanted, WINDOW_BYTES / width, WIDEST_BYTES / width));
}

/** What `packed` takes, where it is not clustered. */
inline double packedNs(const Request& request, const CsrHeader& header, Places colIdx, uint32_t width) {
  constexpr uint32_t SAMPLES = 32;
  std::vector<uint32_t> found;
  uint64_t sectors = 0;
  for (uint32_t i = 0; i < SAMPLES; i++) {
    found.clear();
    const size_t begin = size_t{header.nnz - TILE_ROOM} * i / SAMPLES;
    for (const uint32_t column : colIdx.subspan(begin, TILE_ROOM)) found.push_back(column / (32 / width));
    std::ranges::sort(found);
    sectors += std::ranges::unique(found).begin() - found.begin();
  }
  const double read = static_cast<double>(sectors) / (SAMPLES * TILE_ROOM) * header.nnz;
  const double bytesOfX = static_cast<double>(header.cols) * width;
  // Half of L2 is left for an x that is read again and again, beside entries that are read once.
  const bool isInL2 = bytesOfX < request.context->properties.l2CacheSize / 2.0;
  const double bytes = static_cast<double>(header.nnz) * (4 + width) + (isInL2 ? bytesOfX : 32 * read);
  return std::max(SCATTERED_NS * read, BYTE_NS * bytes);
}

}  // namespace sparlane
