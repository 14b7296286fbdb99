/**
 * What `packed`, `stream` and `hubs` are expected to take. They wait for what is slower: the multiprocessors, which gather sectors of x from L2 and take
 * entries and rows in, or the memory.
 *
 *     ns = start + max(sectors · each + bytes of entries · each + rows · each, bytes · byteNs)
 *
 * The constants of the multiprocessors count things for one of them in a cycle. They were fitted on an H200 as nanoseconds of the whole device, 0.00636 for a
 * sector, 0.000105 for a byte, 0.0033 for a row: the mean error of `packed` is 6 % (30 matrices of `bench/matrices/kinds`, x read at random, 23 November 2026).
 */
#pragma once
#include "csr/csr.cuh"
#include "csr/sectors.cuh"

namespace sparlane {

constexpr double TILES_START_NS = 6490, SECTORS_OF_CYCLE = 0.6016, ENTRY_BYTES_OF_CYCLE = 36.44, ROWS_OF_CYCLE = 1.159;
/** A kernel that is launched behind another one takes so many nanoseconds more. */
constexpr double LAUNCH_NS = 2200;
/** This share of L2 holds x: full rows of 5 million columns in f32 and f64 take the time of half and all of their sectors from memory. */
constexpr double L2_FOR_X = 0.8;
/** An x of fewer bytes than this stays in L1. */
constexpr size_t SMALL_X_BYTES = 65536;
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

/** Estimates see a product by these numbers. */
struct Work {
  double rows, bytesOfX;
  /** Tiles have so many places, padding included, each with so many bytes in memory, and with so many for which multiprocessors work: codes are decoded. */
  double places, placeBytes, workBytes;
  /** So many sectors of x are gathered from L2, because no L1 has them. */
  double sectors;
};

/** Bytes of an element of x, and of a value as it is stored. */
struct Sizes {
  uint32_t element, value;

  static Sizes of(Dtype dtype, const CsrHeader& header) {
    const Sizes given = ofParts(dtype);
    return {given.element, header.values == 0 ? 0 : header.table != 0 ? 1 : given.value};
  }
  static Sizes ofPairs(Dtype dtype) { return {2 * ofParts(dtype).element, 2 * ofParts(dtype).value}; }

 private:
  static Sizes ofParts(Dtype dtype) { return {dtype == Dtype::f32 ? 4u : 8u, dtype == Dtype::f64 ? 8u : 4u}; }
};

inline Work workOf(const Sizes& sizes, const CsrHeader& header, double places, double sectorsPerEntry) {
  return {double(header.rows), double(header.cols) * sizes.element, places, 4.0 + sizes.value,
          4.0 + sizes.element, sectorsPerEntry * header.nnz};
}

/** Returns the nanoseconds of the memory. The larger x is, the fewer of its sectors are still in L2 when they are read again. */
inline double memoryNs(const Rates& rates, const Work& work) {
  const double lost = std::min(1.0, work.bytesOfX / (L2_FOR_X * rates.l2Bytes));
  return rates.byteNs * (work.places * work.placeBytes + std::max(work.bytesOfX, lost * SECTOR_BYTES * work.sectors));
}

inline double busyNs(const Rates& rates, const Work& work) {
  return rates.each(SECTORS_OF_CYCLE) * work.sectors + rates.each(ENTRY_BYTES_OF_CYCLE) * work.places * work.workBytes +
         rates.each(ROWS_OF_CYCLE) * work.rows;
}

/** @param moved whether rows are not in order */
inline double packedNs(const Rates& rates, Work work, bool moved) {
  if (work.bytesOfX < SMALL_X_BYTES) work.sectors = std::min(work.sectors, rates.multiprocessors * work.bytesOfX / SECTOR_BYTES);
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
