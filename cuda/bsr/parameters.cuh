/** The kernel that multiplies blocks, and its parameters: the defaults, those of a method, or all that the tuner tries. */
#pragma once
#include <algorithm>
#include <bit>

#include "bsr/k1.cuh"
#include "bsr/k3.cuh"
#include "bsr/panels.cuh"

namespace sparlane::bsr {

/** The paper's: K1, K2 and K3, with the parameters of its Table I. */
struct Parameters {
  enum Kernel { K1, K2, K3 } kernel;
  /** K1: warps of a thread block. K2: block rows that a thread block computes at a time. */
  int arrays = 1;
  /** K2, K3: columns that are read at a time, four per warp (more if panels have fewer than 8 rows). */
  int groups = 4;
  /** K1, K2: number of block rows, one after the other, of a team or of an array. */
  int rows = 1;
  /** K3: rows of a block row that a thread block computes, up to four panels per warp. */
  int nb = 32;
  /** K3: elements per thread of a working set: 4, 8 or 16. */
  int ept = 8;
  /** K1: steps in flight. */
  int buffers = 1;

  std::string text() const {
    const auto number = [](const char* key, int value) { return key + std::to_string(value); };
    switch (kernel) {
      case K1: return number("k1?arrays=", arrays) + number("&rows=", rows) + number("&buffers=", buffers);
      case K2: return number("k2?arrays=", arrays) + number("&groups=", groups) + number("&rows=", rows);
      default: return number("k3?nb=", nb) + number("&groups=", groups) + number("&ept=", ept);
    }
  }

  template <class V, class X>
  void launch(cudaStream_t stream, const BlockRows<V>& a, const X* x, X* y, X alpha, X beta) const {
    if (a.blockRows == 0) return;
    if (kernel == K1) return launchK1(stream, a, arrays, rows, buffers, x, y, alpha, beta);
    if (kernel == K2) return launchK2(stream, a, arrays, rows, groups, x, y, alpha, beta);
    launchK3(stream, a, nb, groups, ept, x, y, alpha, beta);
  }
};

/** Block rows per team of K1 if there are many, by the size of blocks, in f64 (or mixed) and f32. Measured for 7: `tune` found no better. */
constexpr int K1_ROWS[LARGEST_SMALL + 1][2] = {{}, {}, {2, 2}, {4, 4}, {4, 4}, {4, 4}, {4, 4}, {4, 8}, {4, 8}};
/**
 * Two buffers cost more in registers than they gain: 7 × 7 in f64 245 µs with one, 303 with two, in f32 137 and 188. (H200,
 * November 2026.)
 */
constexpr int K1_BUFFERS = 1;

/** Warps of a thread block of K2. 8 take 1.02 times as long on average, 16 1.1. (H200, blocks of 16 to 48, November 2026.) */
constexpr int K2_WARPS = 4;

/** Rows of a thread block of K3, and bytes of values that a thread has in a working set, chosen: 64 of them in two buffers take 32 registers. */
constexpr int K3_ROWS = SLAB_PANELS * PANEL_ROWS;
constexpr int K3_BYTES = 64;
/** Most warps of a slab of K3, each with at least so many working sets of a block row of average length. Chosen. */
constexpr int K3_WARPS = 4;
constexpr uint32_t K3_SETS = 4;

/** With fewer warps than this per multiprocessor a team computes fewer block rows. */
constexpr int WARPS_WANTED = 128;

/** Rows of a thread block of K3 as it can have them: up to three panels, or a multiple of four. */
constexpr int roundedRows(int nb) {
  const int step = nb > 3 * static_cast<int>(PANEL_ROWS) ? K3_ROWS : PANEL_ROWS;
  return (nb + step - 1) / step * step;
}

/** Slabs of a thread block of K3. */
constexpr int slabsOf(int nb) { return nb / (panelsOfSlab(nb) * static_cast<int>(PANEL_ROWS)); }

/** The default parameters of a kernel. */
inline Parameters byDefault(Parameters::Kernel kernel, uint32_t b, uint32_t panels, uint32_t blockRows, uint32_t blocks,
                            Dtype dtype, int multiprocessors) {
  const int single = dtype == Dtype::f32 ? 1 : 0;
  Parameters chosen{.kernel = kernel};
  if (kernel == Parameters::K1) {
    const int teams = WARP / (static_cast<int>(b) * SLOTS[b]);
    const int most = static_cast<int>(blockRows / (uint64_t{1} * teams * WARPS_WANTED * multiprocessors));
    chosen.arrays = MAX_ARRAYS;
    chosen.rows = std::clamp(most, 1, K1_ROWS[b][single]);
    chosen.buffers = K1_BUFFERS;
  }
  if (kernel == Parameters::K2) chosen.arrays = std::max(1, K2_WARPS / static_cast<int>(panels));
  if (kernel == Parameters::K3) {
    chosen.nb = roundedRows(std::min<int>(K3_ROWS, panels * PANEL_ROWS));
    chosen.ept = std::min(mostElements(chosen.nb), K3_BYTES / (dtype == Dtype::f64 ? 8 : 4));
    const uint64_t columns = blockRows == 0 ? 0 : uint64_t{blocks} * b / blockRows;
    const uint32_t columnsOfSet = SLAB_COLUMNS * chosen.ept / panelsOfSlab(chosen.nb);
    const auto warps = static_cast<int>(columns / (K3_SETS * columnsOfSet));
    chosen.groups = SLAB_COLUMNS * std::clamp(warps, 1, K3_WARPS);
  }
  return chosen;
}

/** The parameters that a method gives, else the defaults. A thread block has room for MAX_WARPS. */
inline Parameters asAsked(const Method& method, Parameters chosen, uint32_t panels) {
  const int warps = MAX_WARPS;
  /** `atOnce`: panels or slabs of a thread block. */
  const auto groups = [&](int atOnce) {
    const int most = std::max(1, warps / atOnce);
    return static_cast<int>(divideUp(method.get("groups", std::min(chosen.groups, 4 * most), 1, 4 * most), 4)) * 4;
  };
  if (chosen.kernel == Parameters::K1) {
    chosen.arrays = method.get("arrays", chosen.arrays, 1, MAX_ARRAYS);
    chosen.rows = method.get("rows", chosen.rows, 1, 64);
    chosen.buffers = method.get("buffers", chosen.buffers, 1, 2);
  } else if (chosen.kernel == Parameters::K2) {
    chosen.arrays = method.get("arrays", chosen.arrays, 1, std::max<int>(1, warps / panels));
    chosen.rows = method.get("rows", chosen.rows, 1, 64);
    chosen.groups = groups(chosen.arrays * panels);
  } else {
    const int most = std::min<int>(panels * PANEL_ROWS, warps * K3_ROWS);
    chosen.nb = roundedRows(method.get("nb", chosen.nb, 1, std::max(chosen.nb, most)));
    chosen.ept = static_cast<int>(std::bit_ceil(
        static_cast<uint32_t>(method.get("ept", std::min(chosen.ept, mostElements(chosen.nb)), 4, mostElements(chosen.nb)))));
    chosen.groups = groups(slabsOf(chosen.nb));
  }
  return chosen;
}

/** All that the tuner tries: the kernels for a block size, with every combination that fits into a thread block. */
inline std::vector<Parameters> combinations(uint32_t b, uint32_t panels) {
  std::vector<Parameters> all;
  const auto fits = [](uint32_t atOnce, int groups) { return atOnce * groups / 4 <= MAX_WARPS; };
  if (b > 1 && b <= LARGEST_SMALL) {
    for (const int arrays : {1, 2, 4})
      for (const int rows : {1, 2, 4, 8})
        for (const int buffers : {1, 2})
          all.push_back({.kernel = Parameters::K1, .arrays = arrays, .rows = rows, .buffers = buffers});
  }
  for (const int groups : {4, 8, 16, 32}) {
    for (const int arrays : {1, 2, 4, 8, 16})
      for (const int rows : {1, 2, 4})
        if ((b == 1 || b > 4) && fits(arrays * panels, groups))
          all.push_back({.kernel = Parameters::K2, .arrays = arrays, .groups = groups, .rows = rows});
    for (const int nb : {8, 16, 32, 64, 128})
      for (const int ept : {4, 8, 16})
        if ((b == 1 || b > LARGEST_SMALL) && nb <= roundedRows(panels * PANEL_ROWS) && ept <= mostElements(nb) &&
            fits(slabsOf(nb), groups))
          all.push_back({.kernel = Parameters::K3, .groups = groups, .nb = nb, .ept = ept});
  }
  return all;
}

}  // namespace sparlane::bsr
