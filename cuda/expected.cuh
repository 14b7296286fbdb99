/**
 * What kernels are expected to take: they wait for what is slower, the multiprocessors, the memory, or threads that have loads on their way.
 *
 *     ns = start + max(sectors · each + bytes that threads load · each + rows · each,   bytes · byteNs,   batches · BATCH_NS)
 *
 * The multiprocessors gather sectors of x from L2 and take entries and rows in. Constants of theirs count things for one of them in a cycle. They were fitted
 * to `packed` of CSR on an H200, as nanoseconds of the whole device, 0.00636 for a sector, 0.000105 for a byte, 0.0033 for a row: its mean error is 6 % (30
 * matrices of `bench/matrices/kinds`, x read at random, 23 November 2026). With the same ones the mean error of SELL is 14 % below 2.5 million entries and 7 %
 * on the matrices of `bench/cuda/matrices.mjs` (`RESULTS.md`).
 */
#pragma once
#include "plan.cuh"
#include "sectors.cuh"

namespace sparlane {

constexpr double SECTORS_OF_CYCLE = 0.6016, ENTRY_BYTES_OF_CYCLE = 36.44, ROWS_OF_CYCLE = 1.159;
/** A kernel that is launched behind another one takes so many nanoseconds more. */
constexpr double LAUNCH_NS = 2200;
/** This share of L2 holds x: full rows of 5 million columns in f32 and f64 take the time of half and all of their sectors from memory. */
constexpr double L2_FOR_X = 0.8;
/** An x of fewer bytes than this stays in L1. */
constexpr size_t SMALL_X_BYTES = 65536;
/**
 * Nanoseconds to start and end a kernel whose threads find their entries by a pointer; those from the first load of a batch of entries to the sum of their
 * products; and threads of a multiprocessor that wait for batches at the same time. Fitted to 2,387 products of SELL (H200, 23 November 2026,
 * `bench/judge.mjs`, fewer than 2.5 million entries).
 */
constexpr double ROWS_START_NS = 4400, BATCH_NS = 1100, WAITING_THREADS = 768;

/** Estimates see a product by these numbers. */
struct Work {
  /** Rows of y; if several threads compute a row, the threads. */
  double rows;
  double bytesOfX;
  /** Bytes of entries in memory, padding included; and bytes that threads load for them, which are more if codes are decoded or places are computed in vain. */
  double bytes, loadedBytes;
  /** So many sectors of x are gathered from L2, because no L1 has them. */
  double sectors;
};

/** Batches of the thread that has the most, and of all threads. */
struct Batches {
  double most = 0, all = 0;
};

/** Bytes of an element of x, and of a value as it is stored. */
struct Sizes {
  uint32_t element, value;

  static Sizes of(Dtype dtype) { return {dtype == Dtype::f32 ? 4u : 8u, dtype == Dtype::f64 ? 8u : 4u}; }
  /** Returns the sizes in a format whose values may be coded or omitted, as its header says. */
  template <class Header>
  static Sizes of(Dtype dtype, const Header& header) {
    const Sizes given = of(dtype);
    return {given.element, header.values == 0 ? 0 : header.table != 0 ? 1 : given.value};
  }
  static Sizes ofPairs(Dtype dtype) { return {2 * of(dtype).element, 2 * of(dtype).value}; }
};

/** Returns the sectors without those that L1 has, where x is small: every multiprocessor reads it once. */
inline double gatheredSectors(const Rates& rates, const Work& work) {
  if (work.bytesOfX >= SMALL_X_BYTES) return work.sectors;
  return std::min(work.sectors, rates.multiprocessors * work.bytesOfX / SECTOR_BYTES);
}

/** Returns the nanoseconds of the memory. The larger x is, the fewer of its sectors are still in L2 when they are read again. */
inline double memoryNs(const Rates& rates, const Work& work) {
  const double lost = std::min(1.0, work.bytesOfX / (L2_FOR_X * rates.l2Bytes));
  return rates.byteNs * (work.bytes + std::max(work.bytesOfX, lost * SECTOR_BYTES * work.sectors));
}

inline double busyNs(const Rates& rates, const Work& work) {
  return rates.each(SECTORS_OF_CYCLE) * work.sectors + rates.each(ENTRY_BYTES_OF_CYCLE) * work.loadedBytes +
         rates.each(ROWS_OF_CYCLE) * work.rows;
}

inline double waitNs(const Rates& rates, const Batches& batches) {
  return BATCH_NS * std::max(batches.most, batches.all / (rates.multiprocessors * WAITING_THREADS));
}

/** Returns what a kernel takes whose threads sum rows, batch after batch. */
inline double rowsNs(const Rates& rates, Work work, const Batches& batches) {
  work.sectors = gatheredSectors(rates, work);
  return ROWS_START_NS + std::max({busyNs(rates, work), memoryNs(rates, work), waitNs(rates, batches)});
}

}  // namespace sparlane
