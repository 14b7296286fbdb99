/** What `packed`, `stream` and `hubs` are expected to take, as `expected.cuh` says. */
#pragma once
#include "csr/csr.cuh"
#include "expected.cuh"

namespace sparlane {

/** `packed` and `hubs` take so many nanoseconds to start and end; fitted with the constants of `expected.cuh`. */
constexpr double TILES_START_NS = 6490;
/**
 * A row whose neighbours in a tile are others costs as much as so many sectors of x: y is written row by row. With 2.2 sectors saved, clusters take 0.91 of
 * the time, with 1.9 1.34 (f64) and 0.93 (f32), 1.7 1.0, 0.9 1.5 to 2.3. (H200, 23 November 2026, `bench/matrices/kinds`.)
 */
constexpr double SECTORS_OF_MOVED_ROW = 2.2;
/** `stream` takes so many times as long as `packed` would with the same sectors. Fitted to recorded times (H200, November 2026). */
constexpr double STREAM_FACTOR = 1.15;
/** A run of `stream` finds x in L1, while it computes one tile after another, if the run reads so many bytes of x. Chosen. */
constexpr double KEPT_OF_RUN = 24 * 1024;
/**
 * `hubs`: the kernel that packs their elements of x, and what runs of warps take of the time of tiles. Of R-MAT in five sizes from 4 to 32 million entries, f64
 * and f32, `hubs` takes 0.97 to 1.12 of what is expected (H200, November 2026, `RESULTS.md`).
 */
constexpr double PACKING_NS = 4500, HUBS_FACTOR = 1.1;

/** Entries in `places`, padding included. Multiprocessors work for codes as for the values that are decoded from them. */
inline Work workOf(const Sizes& sizes, const CsrHeader& header, double places, double sectorsPerEntry) {
  return {double(header.rows), double(header.cols) * sizes.element, places * (4.0 + sizes.value), places * (4.0 + sizes.element),
          sectorsPerEntry * header.nnz};
}

/** @param moved whether rows are not in order */
inline double packedNs(const Rates& rates, Work work, bool moved) {
  work.sectors = gatheredSectors(rates, work);
  const double memory = memoryNs(rates, work);
  if (moved) work.sectors += SECTORS_OF_MOVED_ROW * work.rows;
  return TILES_START_NS + std::max(busyNs(rates, work), memory);
}

inline double streamNs(const Rates& rates, const Work& work) { return STREAM_FACTOR * packedNs(rates, work, false); }

/** @param roomBytes of shared memory, which every multiprocessor fills first */
inline double hubsNs(const Rates& rates, const Work& work, size_t roomBytes) {
  const double fillNs = rates.cycleNs * static_cast<double>(roomBytes) / SECTOR_BYTES / SECTORS_OF_CYCLE;
  return TILES_START_NS + PACKING_NS + fillNs + HUBS_FACTOR * std::max(busyNs(rates, work), memoryNs(rates, work));
}

}  // namespace sparlane
