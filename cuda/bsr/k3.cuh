/**
 * K3: large blocks, of which several thread blocks compute one. A thread array of nb rows × groups has the columns of its rows, across
 * the blocks of a block row, in working sets of groups · ept elements to a row of threads.
 *
 * A warp has a slab: up to four neighbouring panels of 8 rows (`src/formats/bsr/bsr.ts`), and four columns at a time, which are 256
 * contiguous bytes of f64 in each panel. A lane keeps its column for all panels of the slab, so the place of the column and its x are
 * found once for up to four values.
 *
 *     nb = 32   panel 0   lane  0 … 7 | 8 … 15 | 16 … 23 | 24 … 31     a row of each panel to a lane: four sums
 *               panel 1         0 … 7 | 8 … 15 | 16 … 23 | 24 … 31
 *               …         col   q       q + 1    q + 2     q + 3
 *
 * The panels of a block row are divided evenly over its slabs. With more groups than four, several warps compute a slab: in turn, each
 * has a working set, and their sums are added in shared memory in the order of the warps.
 */
#pragma once
#include "bsr/panels.cuh"

namespace sparlane::bsr {

/** Most panels of a slab: a lane has a sum for each. */
constexpr int SLAB_PANELS = 4;

/** Columns that a warp reads at a time: lanes of panels with fewer rows than PANEL_ROWS have none. */
constexpr uint32_t SLAB_COLUMNS = WARP / PANEL_ROWS;

/** Panels of a slab, as a thread block of `nb` rows is divided into slabs. */
constexpr int panelsOfSlab(int nb) { return nb < SLAB_PANELS * static_cast<int>(PANEL_ROWS) ? 1 : SLAB_PANELS; }

/** Most elements of a thread in a working set: in slabs of one panel, 16 columns do not fit into registers. */
constexpr int mostElements(int nb) { return panelsOfSlab(nb) == 1 ? 8 : 16; }

struct ArrayGrid {
  /** Slabs of a thread block, and of a block row. */
  uint32_t slabs, slabsPerRow;
  uint32_t warpsPerSlab;
  BlockOf blockOf;
};

/** Some panels of a block row, as seen by a lane. */
template <int PANELS, class V>
struct Slab {
  /** Values of the lane's row of each panel, from the panel's first column on. */
  const V* values[PANELS];
  /** Rows of each panel; and its columns, of which there are none if the lane has no row of it. */
  uint32_t heights[PANELS], limits[PANELS];
  const uint32_t* blockColIdx;
  uint32_t blockSize, columns;
  BlockOf blockOf;
};

/** COLUMNS columns of a slab, SLAB_COLUMNS apart: a lane's share of their values, and of x. */
template <int PANELS, int COLUMNS, class V, class X>
struct SlabStep {
  V values[PANELS][COLUMNS];
  X xs[COLUMNS];

  __device__ __forceinline__ void load(const Slab<PANELS, V>& slab, uint32_t column, const X* x) {
#pragma unroll
    for (int p = 0; p < PANELS; p++) {
      const V* const a = slab.values[p] + static_cast<size_t>(column) * slab.heights[p];
#pragma unroll
      for (int i = 0; i < COLUMNS; i++) {
        values[p][i] = streamIf(column + i * SLAB_COLUMNS < slab.limits[p], a + i * SLAB_COLUMNS * slab.heights[p]);
      }
    }
    uint32_t places[COLUMNS];
#pragma unroll
    for (int i = 0; i < COLUMNS; i++) {
      const uint32_t q = column + i * SLAB_COLUMNS;
      const uint32_t block = slab.blockOf(q);
      places[i] = fetchIf(q < slab.columns, slab.blockColIdx + block) + (q - block * slab.blockSize);
    }
#pragma unroll
    for (int i = 0; i < COLUMNS; i++) xs[i] = fetchIf(column + i * SLAB_COLUMNS < slab.columns, x + places[i]);
  }

  __device__ __forceinline__ void addTo(X (&sums)[PANELS]) const {
#pragma unroll
    for (int p = 0; p < PANELS; p++) {
#pragma unroll
      for (int i = 0; i < COLUMNS; i++) sums[p] += static_cast<X>(values[p][i]) * xs[i];
    }
  }
};

/** PANELS: the most panels of a slab. COLUMNS: columns of a lane in a working set. */
template <int PANELS, int COLUMNS, class V, class X>
__global__ void __launch_bounds__(MAX_WARPS* WARP)
    k3(BlockRows<V> a, ArrayGrid grid, const X* __restrict__ x, X* __restrict__ y, X alpha, X beta) {
  __shared__ X sumsOf[MAX_WARPS][PANELS][PANEL_ROWS];
  const uint32_t lane = threadIdx.x % WARP;
  const uint32_t warp = threadIdx.x / WARP;
  const uint32_t part = warp % grid.warpsPerSlab;
  const uint32_t unit = blockIdx.x * grid.slabs + warp / grid.warpsPerSlab;
  const uint32_t blockRow = unit / grid.slabsPerRow;
  const uint32_t slabOfRow = unit % grid.slabsPerRow;
  const uint32_t firstPanel = slabOfRow * a.panels / grid.slabsPerRow;
  const uint32_t lastPanel = (slabOfRow + 1) * a.panels / grid.slabsPerRow;
  const uint32_t slot = lane / PANEL_ROWS;
  const uint32_t rowOfPanel = lane % PANEL_ROWS;
  const auto topOf = [&](uint32_t panel) { return panel * a.blockSize / a.panels; };
  X sums[PANELS]{};
  if (blockRow < a.blockRows) {
    const uint32_t first = __ldg(a.blockRowPtr + blockRow);
    const uint32_t blocks = __ldg(a.blockRowPtr + blockRow + 1) - first;
    const uint2 whole = a.wholes == nullptr ? make_uint2(first, blocks) : __ldg(a.wholes + blockRow);
    Slab<PANELS, V> slab;
    slab.blockColIdx = a.blockColIdx + first;
    slab.blockSize = a.blockSize;
    slab.columns = a.blockSize * blocks;
    slab.blockOf = grid.blockOf;
#pragma unroll
    for (int p = 0; p < PANELS; p++) {
      const uint32_t panel = firstPanel + p;
      const uint32_t top = topOf(panel);
      const uint32_t height = topOf(panel + 1) - top;
      const uint32_t place = a.blockSize * whole.x + top * whole.y + height * (first - whole.x);
      slab.values[p] = a.values + static_cast<size_t>(a.blockSize) * place + rowOfPanel;
      slab.heights[p] = height;
      slab.limits[p] = panel < lastPanel && rowOfPanel < height ? slab.columns : 0;
    }
    const uint32_t stride = grid.warpsPerSlab * COLUMNS * SLAB_COLUMNS;
    uint32_t column = part * COLUMNS * SLAB_COLUMNS + slot;
    SlabStep<PANELS, COLUMNS, V, X> step, ahead;
    step.load(slab, column, x);
    for (; column < slab.columns; column += stride) {
      ahead.load(slab, column + stride, x);
      step.addTo(sums);
      step = ahead;
    }
  }
  __syncwarp();
#pragma unroll
  for (int p = 0; p < PANELS; p++) sums[p] = sumOfSlots(sums[p], slot, SLAB_COLUMNS, PANEL_ROWS);
  if (grid.warpsPerSlab > 1) {
    if (slot == 0) {
#pragma unroll
      for (int p = 0; p < PANELS; p++) sumsOf[warp][p][rowOfPanel] = sums[p];
    }
    __syncthreads();
    if (part > 0 || slot > 0) return;
#pragma unroll
    for (int p = 0; p < PANELS; p++) {
#pragma unroll 1
      for (uint32_t i = 1; i < grid.warpsPerSlab; i++) sums[p] += sumsOf[warp + i][p][rowOfPanel];
    }
  }
  if (slot > 0 || blockRow >= a.blockRows) return;
#pragma unroll
  for (int p = 0; p < PANELS; p++) {
    const uint32_t panel = firstPanel + p;
    const uint32_t top = topOf(panel);
    const uint32_t row = blockRow * a.blockSize + top + rowOfPanel;
    const bool isThere = panel < lastPanel && rowOfPanel < topOf(panel + 1) - top && row < a.rows;
    if (isThere) put(y + row, sums[p], alpha, beta);
  }
}

/** `nb` rows to a thread block, a multiple of those of a slab; `groups`: a multiple of four; `ept`: elements of a thread in a working set. */
template <class V, class X>
void launchK3(cudaStream_t stream, const BlockRows<V>& a, int nb, int groups, int ept, const X* x, X* y, X alpha, X beta) {
  const int panels = panelsOfSlab(nb);
  const uint32_t slabs = nb / (panels * static_cast<int>(PANEL_ROWS));
  const uint32_t slabsPerRow = divideUp(a.panels, panels);
  const uint32_t warpsPerSlab = groups / SLAB_COLUMNS;
  const ArrayGrid grid{slabs, slabsPerRow, warpsPerSlab, BlockOf(a.blockSize)};
  const auto ofOne = ept == 4 ? k3<1, 4, V, X> : k3<1, 8, V, X>;
  const auto ofAll = ept == 4 ? k3<SLAB_PANELS, 1, V, X> : ept == 8 ? k3<SLAB_PANELS, 2, V, X> : k3<SLAB_PANELS, 4, V, X>;
  const auto kernel = panels == 1 ? ofOne : ofAll;
  const uint32_t blocks = divideUp(uint64_t{a.blockRows} * slabsPerRow, slabs);
  kernel<<<blocks, slabs * warpsPerSlab * WARP, 0, stream>>>(a, grid, x, y, alpha, beta);
  CHECK_LAUNCH("bsr k3");
}

}  // namespace sparlane::bsr
