/**
 * What the kernels of BSR are expected to take, as `expected.cuh` says. Their lanes load values, elements of x and columns for whole steps of a block row. In K2
 * and K3 each step is requested before the one in front of it is used: they load one step more than there are, and wait for every second one.
 *
 * On grids of blocks of 5 to 48 K1 takes 0.78 to 1.05 of what is expected, K2 0.81 to 1.13, K3 0.83 to 1.51 (H200, f64 and f32, 10⁵ to 10⁷ entries, 28 November 2026,
 * `bench/results/2026-11-28-methods-h200.jsonl.gz`).
 */
#pragma once
#include <map>

#include "bsr/parameters.cuh"
#include "expected.cuh"

namespace sparlane::bsr {

/** Block rows, or segments of them, that are equally long. */
struct EqualRows {
  double rows;
  /** Blocks of each. */
  uint32_t blocks;
};

/** Block rows, cut into segments of up to `limit` blocks unless that is 0, by their number of blocks. */
inline std::vector<EqualRows> equalRows(std::span<const uint32_t> blockRowPtr, uint32_t limit) {
  std::map<uint32_t, double> rows;
  for (size_t i = 0; i + 1 < blockRowPtr.size(); i++) {
    const uint32_t blocks = blockRowPtr[i + 1] - blockRowPtr[i];
    const uint32_t segments = limit == 0 ? 1 : std::max(1u, divideUp(blocks, limit));
    rows[divideUp(blocks, segments)] += segments;
  }
  std::vector<EqualRows> all;
  for (const auto& [blocks, count] : rows) all.push_back({count, blocks});
  return all;
}

/** Warps of a block row, the steps of each of them, and bytes that a lane loads in a step. */
struct WarpWork {
  double warps, steps, laneBytes;
  /** Steps for which a warp waits: others are on their way meanwhile. */
  double waits;
};

inline WarpWork workOfK1(const Parameters& how, const Sizes& sizes, uint32_t b, uint32_t blocks) {
  const uint32_t ofStep = BLOCKS[b][sizes.element == 4 ? 0 : how.buffers - 1], columns = divideUp(b, SLOTS[b]),
                 teams = WARP / (b * SLOTS[b]);
  const double steps = divideUp(blocks, ofStep), ofColumn = double(sizes.value) + sizes.element;
  return {1.0 / teams, steps, ofStep * (columns * ofColumn + sizeof(uint32_t)), steps};
}

inline WarpWork workOfK2(const Parameters& how, const Sizes& sizes, uint32_t b, uint32_t panels, uint32_t blocks) {
  const uint32_t warps = how.groups / 4, columnsOfStep = WARP / divideUp(b, panels) * EPT * warps;
  const double steps = divideUp(uint64_t{b} * blocks, columnsOfStep) + 1;
  return {double(panels) * warps, steps, EPT * (double(sizes.value) + sizes.element + sizeof(uint32_t)), steps / 2};
}

inline WarpWork workOfK3(const Parameters& how, const Sizes& sizes, uint32_t b, uint32_t panels, uint32_t blocks) {
  const uint32_t ofSlab = panelsOfSlab(how.nb), columns = how.ept / ofSlab, warps = how.groups / SLAB_COLUMNS;
  const double steps = divideUp(uint64_t{b} * blocks, columns * SLAB_COLUMNS * warps) + 1;
  return {double(divideUp(panels, ofSlab)) * warps, steps,
          columns * (ofSlab * double(sizes.value) + sizes.element + sizeof(uint32_t)), steps / 2};
}

/** Returns the nanoseconds of a kernel over block rows. `panels`: of a block row. */
inline double kernelNs(const Rates& rates, const Parameters& how, const Sizes& sizes, uint32_t b, uint32_t panels,
                       std::span<const EqualRows> all) {
  Work work{};
  Batches batches;
  for (const auto& [rows, blocks] : all) {
    const WarpWork ofRow = how.kernel == Parameters::K1   ? workOfK1(how, sizes, b, blocks)
                           : how.kernel == Parameters::K2 ? workOfK2(how, sizes, b, panels, blocks)
                                                          : workOfK3(how, sizes, b, panels, blocks);
    batches.most = std::max(batches.most, ofRow.waits * how.rows);
    batches.all += rows * ofRow.warps * ofRow.waits * WARP;
    work.rows += rows * b;
    work.bytes += rows * (double(blocks) * (double(b) * b * sizes.value + sizeof(uint32_t)) + double(b) * sizes.element);
    work.bytesOfX = work.rows * sizes.element;
    work.loadedBytes += rows * ofRow.warps * ofRow.steps * ofRow.laneBytes * WARP;
  }
  return rowsNs(rates, work, batches);
}

}  // namespace sparlane::bsr
