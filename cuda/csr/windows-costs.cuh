/** Estimates the time of `windows.cu`, for a layout and for a grid. */
#pragma once
#include <algorithm>
#include <cmath>

#include "csr/costs.cuh"
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
 * Nanoseconds to start and end; cycles of a multiprocessor for a chunk of its block, as many for 1 / CHUNKS_OF_WARP of one of a warp; sectors of x that
 * blocks read, as in `expected.cuh`; and bytes of memory for each byte of the sums of several blocks. Mean error of 159 products of 30 matrices of
 * `bench/matrices/kinds` with x read at random: 11 % (H200, 23 November 2026).
 */
constexpr double START_NS = 7700, CHUNK_CYCLES_F32 = 15.25, CHUNK_CYCLES_F64 = 18.81, CHUNKS_OF_WARP = 18,
                 WINDOW_SECTORS_OF_CYCLE = 0.797, BYTES_OF_SUM = 3.17;
/** Places of an entry, if the layout is not yet known. */
constexpr double USUAL_PLACES = 1.15;
/**
 * The estimate is too low more often than those of other methods: with 0.93 of their time as the limit, the choice is off by 1.6 % in the mean, by 16 % at
 * most (60 products of these matrices).
 */
constexpr double WINDOWS_FACTOR = 1 / 0.93;
/** Entries from which windows are looked for. */
constexpr uint32_t LEAST_ENTRIES_OF_WINDOWS = 1'000'000;

inline double chunkNs(const Rates& rates, uint32_t width) {
  return rates.cycleNs * (width == 4 ? CHUNK_CYCLES_F32 : CHUNK_CYCLES_F64);
}

/** Returns the nanoseconds of `windows` without its start. */
inline double windowsNs(const Rates& rates, double chunks, double sectors, double sums, uint32_t width) {
  return chunkNs(rates, width) * chunks + rates.each(WINDOW_SECTORS_OF_CYCLE) * sectors + (sums > 0 ? LAUNCH_NS : 0) +
         rates.byteNs * BYTES_OF_SUM * width * sums;
}

/** Returns the nanoseconds that `windows` takes at least for so many places. @param chunks of the busiest block */
inline double leastWindowsNs(const Rates& rates, const CsrHeader& header, Dtype dtype, double places, double chunks) {
  const Sizes sizes = Sizes::of(dtype, header);
  const double memory = rates.byteNs * (places * (4 + sizes.value) + double(header.cols) * sizes.element);
  return WINDOWS_FACTOR * (START_NS + std::max(chunkNs(rates, sizes.element) * chunks, memory));
}

/** What a layout takes. */
inline double predictNs(const Rates& rates, const CsrHeader& header, const WindowLayout& layout, Dtype dtype) {
  const double chunks = std::max<double>(layout.busiest, CHUNKS_OF_WARP * layout.chunksOfWarp);
  return std::max(
      leastWindowsNs(rates, header, dtype, static_cast<double>(layout.codes.size()), chunks),
      WINDOWS_FACTOR * (START_NS + windowsNs(rates, chunks, layout.sectors, layout.sums, Sizes::of(dtype, header).element)));
}

/** Returns the nanoseconds that multiprocessors are expected to take, if columns are at random. @param chunks of the busiest block */
inline double expectNs(const Rates& rates, uint32_t groups, const CsrHeader& header, uint32_t width, double chunks) {
  const double sectors = header.cols * (static_cast<double>(width) / SECTOR_BYTES);
  // e^n to the second power of n: libm's exp wants glibc 2.29.
  const double perSector = header.nnz / sectors / groups, touched = 1 - 1 / (1 + perSector + perSector * perSector / 2);
  const double sums = rates.multiprocessors == groups ? 0 : static_cast<double>(rates.multiprocessors) / groups * header.rows;
  return windowsNs(rates, chunks, groups * sectors * touched, sums, width);
}

/** The grid that is expected to take least, of those with the asked number of groups; without groups if the sums do not fit. */
inline Grid gridOf(const Rates& rates, const CsrHeader& header, std::span<const uint32_t> rowPtr, uint32_t width,
                   uint32_t mostRows, uint32_t asked) {
  const uint32_t multiprocessors = rates.multiprocessors;
  Grid best;
  double leastNs = INFINITY;
  for (uint32_t shares = 1; shares <= multiprocessors; shares++) {
    const uint32_t groups = std::min(asked > 0 ? asked : multiprocessors / shares, header.rows);
    if (uint64_t{groups} * mostRows < header.rows || groups == best.groups()) continue;
    Grid grid(rowPtr, groups, multiprocessors, mostRows);
    const double ns = expectNs(rates, groups, header, width, USUAL_PLACES * grid.entries / WARP);
    if (ns < leastNs) best = std::move(grid), leastNs = ns;
  }
  return best;
}

}  // namespace sparlane
