/** What `windows.cu` takes, for a layout and for a grid, and what `packed` takes: the rule by which a plan has windows. */
#pragma once
#include <algorithm>
#include <cmath>

#include "csr/windows.cuh"

namespace sparlane {

/** Share of a multiprocessor's shared memory for sums; the rest is L1. */
constexpr double SUMS_SHARE = 0.57;
/**
 * Bytes of x in a window, and entries of a group in one up to which it is widened: 1,107,075² with 30 entries in a row takes 137 µs with 32 KB, 191
 * with 64, 209 with 128 (f32); 461,275 × 75,660 with 26 61, 63 and 89 (f64). (H200, 23 November 2026, columns at random.)
 */
constexpr uint32_t WINDOW_BYTES = 32 * 1024, WINDOW_ENTRIES = 2048;

/**
 * Nanoseconds to start and end; for a chunk of a block, as many for 1 / CHUNKS_OF_WARP of one of a warp; for a sector of x that a block reads; for the
 * kernel that adds the sums of several blocks, and for a byte of these. Mean error of 159 products of 30 matrices of `bench/matrices/kinds` with x read at
 * random: 11 % (H200, 23 November 2026).
 */
constexpr double START_NS = 7700, CHUNK_NS_F32 = 7.7, CHUNK_NS_F64 = 9.5, CHUNKS_OF_WARP = 18, SECTOR_NS = 0.0048,
                 LAUNCH_NS = 2200, SUM_NS = 0.00073;
/** The same of `packed`: for a sector of x, a byte of entries, a row; and for a byte if nothing else counts. Mean error 6 %. */
constexpr double PACKED_START_NS = 6490, SCATTERED_NS = 0.00636, ENTRY_BYTE_NS = 0.000105, ROW_NS = 0.0033, BYTE_NS = 0.00023;
/** Full rows of 5 million columns in f32 and f64 take the time of half and all of their sectors from memory. */
constexpr double L2_FOR_X = 0.8;
/** Places of an entry, if the layout is not yet known. */
constexpr double USUAL_PLACES = 1.15;
/** Of the time that other methods take, at most so much: then it is off by 1.6 % in the mean, by 16 % at most (60 products of these matrices). */
constexpr double LESS = 0.93;
/** Entries from which windows are looked for. */
constexpr uint32_t LEAST_ENTRIES_OF_WINDOWS = 1'000'000;

inline double chunkNs(uint32_t width) { return width == 4 ? CHUNK_NS_F32 : CHUNK_NS_F64; }

inline double windowsNs(double chunks, double sectors, double sums, uint32_t width) {
  return START_NS + chunkNs(width) * chunks + SECTOR_NS * sectors + (sums > 0 ? LAUNCH_NS : 0) + SUM_NS * width * sums;
}

/** What a layout takes. */
inline double predictNs(const WindowLayout& layout, uint32_t width) {
  return windowsNs(std::max<double>(layout.busiest, CHUNKS_OF_WARP * layout.chunksOfWarp), layout.sectors, layout.sums, width);
}

/** What a layout is expected to take, if columns are at random. @param chunks of the busiest block */
inline double expectNs(uint32_t groups, uint32_t blocks, const CsrHeader& header, uint32_t width, double chunks) {
  const double sectors = header.cols * (width / 32.0);
  // e^n to the second power of n: libm's exp wants glibc 2.29.
  const double perSector = header.nnz / sectors / groups, touched = 1 - 1 / (1 + perSector + perSector * perSector / 2);
  const double sums = blocks == groups ? 0 : static_cast<double>(blocks) / groups * header.rows;
  return windowsNs(chunks, groups * sectors * touched, sums, width);
}

/** The grid that is expected to take least, of those with the asked number of groups; without groups if the sums do not fit. */
inline Grid gridOf(const CsrHeader& header, std::span<const uint32_t> rowPtr, uint32_t multiprocessors, uint32_t width,
                   uint32_t mostRows, uint32_t asked) {
  Grid best;
  double leastNs = INFINITY;
  for (uint32_t shares = 1; shares <= multiprocessors; shares++) {
    const uint32_t groups = std::min(asked > 0 ? asked : multiprocessors / shares, header.rows);
    if (uint64_t{groups} * mostRows < header.rows || groups == best.groups()) continue;
    Grid grid(rowPtr, groups, multiprocessors, mostRows);
    const double ns = expectNs(groups, multiprocessors, header, width, USUAL_PLACES * grid.entries / WARP);
    if (ns < leastNs) best = std::move(grid), leastNs = ns;
  }
  return best;
}

/** What `packed` takes, if its tiles read so many sectors of x per entry. */
inline double packedNs(const CsrHeader& header, double sectors, uint32_t width, size_t l2Bytes) {
  const double entryBytes = static_cast<double>(header.nnz) * (4 + width), bytesOfX = static_cast<double>(header.cols) * width;
  // The larger x is, the fewer of its sectors are still in L2 when they are read again.
  const double read = sectors * header.nnz, lost = std::min(1.0, bytesOfX / (L2_FOR_X * static_cast<double>(l2Bytes)));
  const double fromMemory = entryBytes + std::max(bytesOfX, lost * 32 * read);
  return PACKED_START_NS +
         std::max(SCATTERED_NS * read + ENTRY_BYTE_NS * entryBytes + ROW_NS * header.rows, BYTE_NS * fromMemory);
}

}  // namespace sparlane
