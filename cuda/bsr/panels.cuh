/**
 * K2: blocks of any size, in panels of up to 8 rows; the counterpart of `assembly/bsr/panels.ts`. The columns of a panel
 * are stored one after the other, across blocks, so a warp reads ⌊32 / height⌋ adjacent columns at a time, from first to last:
 * four of 8 rows are 256 contiguous bytes of f64, and a row keeps its lanes.
 *
 *     height 8   lane  0 … 7 | 8 … 15 | 16 … 23 | 24 … 31       height 5   lane  0 … 4 | 5 … 9 | … | 25 … 29
 *                col   q       q + 1    q + 2     q + 3                    col   q       q + 1      q + 5
 *
 * With more groups several warps compute a panel; in turn, each has a step of EPT such reads, and their sums are added in
 * shared memory. A thread block has all panels of its block rows, which share x in L1: at a time, or in turn if they are many.
 */
#pragma once
#include "bsr/bsr.cuh"

namespace sparlane::bsr {

/** Maximum warps of a thread block. */
constexpr uint32_t MAX_WARPS = 16;

/** From a column of a block row to its block, without a division. */
class BlockOf {
 public:
  BlockOf() = default;
  explicit BlockOf(uint32_t blockSize)
      : reciprocal_(blockSize == 1 ? 0 : static_cast<uint32_t>(((uint64_t{1} << 32) + blockSize - 1) / blockSize)),
        mask_(blockSize == 1 ? ~uint32_t{0} : 0) {}
  /** Exact, since block size · column is an index of values, below 2³². */
  __device__ __forceinline__ uint32_t operator()(uint32_t column) const {
    return __umulhi(column, reciprocal_) + (column & mask_);
  }

 private:
  uint32_t reciprocal_, mask_;
};

struct PanelGrid {
  /** Panels, one after the other, that a thread block computes at a time, and the number of times. */
  uint32_t panels;
  uint32_t turns;
  uint32_t warpsPerPanel;
  BlockOf blockOf;
};

/** A panel, as seen by a lane. */
template <class V>
struct Panel {
  /** Values of the lane's row, from the panel's first column on. */
  const V* values;
  const uint32_t* blockColIdx;
  uint32_t blockSize;
  BlockOf blockOf;
  uint32_t columns;
  uint32_t height;
  /** Columns that a warp reads at a time, and the index of the lane's column among them. */
  uint32_t slots;
  uint32_t slot;
};

/** EPT columns of a panel, `slots` apart: a lane's share of their values, and of x. */
template <int EPT, class V, class X>
struct PanelStep {
  V values[EPT];
  X xs[EPT];

  __device__ __forceinline__ void load(const Panel<V>& panel, uint32_t column, const X* x) {
    const V* const a = panel.values + static_cast<size_t>(column) * panel.height;
#pragma unroll
    for (int i = 0; i < EPT; i++) {
      values[i] = streamIf(column + i * panel.slots < panel.columns, a + i * panel.slots * panel.height);
    }
    uint32_t places[EPT];
#pragma unroll
    for (int i = 0; i < EPT; i++) {
      const uint32_t q = column + i * panel.slots;
      const uint32_t block = panel.blockOf(q);
      places[i] = fetchIf(q < panel.columns, panel.blockColIdx + block) + (q - block * panel.blockSize);
    }
#pragma unroll
    for (int i = 0; i < EPT; i++) xs[i] = fetchIf(column + i * panel.slots < panel.columns, x + places[i]);
  }

  __device__ __forceinline__ X addTo(X sum) const {
#pragma unroll
    for (int i = 0; i < EPT; i++) sum += static_cast<X>(values[i]) * xs[i];
    return sum;
  }
};

/**
 * The lane's sum over its columns: the steps `part`, `part` + `parts`, …. Each step is requested before the previous one is used.
 */
template <int EPT, class X, class V>
__device__ __forceinline__ X sumOfColumns(const Panel<V>& panel, uint32_t part, uint32_t parts, const X* x) {
  const uint32_t stride = parts * EPT * panel.slots;
  uint32_t column = part * EPT * panel.slots + panel.slot;
  PanelStep<EPT, V, X> step, ahead;
  step.load(panel, column, x);
  X sum{0};
  for (; column < panel.columns; column += stride) {
    ahead.load(panel, column + stride, x);
    sum = step.addTo(sum);
    step = ahead;
  }
  return sum;
}

template <int EPT, class V, class X>
__global__ void __launch_bounds__(MAX_WARPS* WARP)
    panels(BlockRows<V> a, PanelGrid grid, const X* __restrict__ x, X* __restrict__ y, X alpha, X beta) {
  __shared__ X sums[MAX_WARPS][PANEL_ROWS];
  const uint32_t lane = threadIdx.x % WARP;
  const uint32_t warp = threadIdx.x / WARP;
  const uint32_t part = warp % grid.warpsPerPanel;
  uint32_t unit = blockIdx.x * grid.turns * grid.panels + warp / grid.warpsPerPanel;
  for (uint32_t turn = 0; turn < grid.turns; turn++, unit += grid.panels) {
    const uint32_t blockRow = unit / a.panels;
    const uint32_t top = unit % a.panels * a.blockSize / a.panels;
    const uint32_t height = (unit % a.panels + 1) * a.blockSize / a.panels - top;
    const uint32_t slots = WARP / height;
    const uint32_t slot = lane / height;
    uint32_t row = blockRow * a.blockSize + top + lane;
    X sum{0};
    if (blockRow < a.blockRows) {
      const uint32_t first = __ldg(a.blockRowPtr + blockRow);
      const uint32_t blocks = __ldg(a.blockRowPtr + blockRow + 1) - first;
      const uint2 whole = a.wholes == nullptr ? make_uint2(first, blocks) : __ldg(a.wholes + blockRow);
      const uint32_t place = a.blockSize * whole.x + top * whole.y + height * (first - whole.x);
      const V* const values = a.values + static_cast<size_t>(a.blockSize) * place + lane % height;
      // Lanes outside all slots have no columns.
      const uint32_t columns = slot < slots ? a.blockSize * blocks : 0;
      const Panel<V> panel{values, a.blockColIdx + first, a.blockSize, grid.blockOf, columns, height, slots, slot};
      sum = sumOfColumns<EPT>(panel, part, grid.warpsPerPanel, x);
    }
    __syncwarp();
    sum = sumOfSlots(sum, slot, slots, height);
    if (grid.warpsPerPanel > 1) {
      __syncthreads();
      if (lane < height) sums[warp][lane] = sum;
      __syncthreads();
      sum = 0;
      if (part == 0 && lane < height) {
#pragma unroll 1
        for (uint32_t i = 0; i < grid.warpsPerPanel; i++) sum += sums[warp + i][lane];
      }
    }
    if (part == 0 && lane < height && blockRow < a.blockRows && row < a.rows) put(y + row, sum, alpha, beta);
  }
}

/**
 * Elements per thread of a step. 2 take 1.03 times as long on average in f64 and 1.15 in f32, 8 take 1.6 and 1.14. (H200, blocks of 16 to
 * 48, November 2026.)
 */
constexpr int EPT = 4;

/** `arrays` block rows to a thread block at a time, `rows` times; of more panels than it has warps for, some at a time. */
template <class V, class X>
void launchK2(cudaStream_t stream, const BlockRows<V>& a, uint32_t arrays, uint32_t rows, uint32_t groups, const X* x, X* y,
              X alpha, X beta) {
  const uint32_t warpsPerPanel = groups / 4;
  const uint32_t perBlock = std::min(arrays * a.panels, MAX_WARPS / warpsPerPanel);
  const PanelGrid grid{perBlock, divideUp(uint64_t{arrays} * rows * a.panels, perBlock), warpsPerPanel, BlockOf(a.blockSize)};
  const uint32_t blocks = divideUp(uint64_t{a.blockRows} * a.panels, uint64_t{perBlock} * grid.turns);
  const auto kernel = panels<EPT, V, X>;
  kernel<<<blocks, perBlock * warpsPerPanel * WARP, 0, stream>>>(a, grid, x, y, alpha, beta);
  CHECK_LAUNCH("bsr panels");
}

}  // namespace sparlane::bsr
