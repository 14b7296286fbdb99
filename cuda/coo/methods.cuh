/** The kernels of the papers' methods for COO (`methods.cu`). */
#pragma once
#include "coo/coo.cuh"

namespace sparlane::coo {

constexpr int THREADS = 256;

/** Lines of 32 entries that a warp reads ahead. */
constexpr uint32_t LINES = 4;

template <class X>
__global__ void __launch_bounds__(THREADS) scaleY(uint32_t rows, X* y, X beta) {
  const uint32_t row = blockIdx.x * THREADS + threadIdx.x;
  if (row < rows) put(y + row, X{0}, X{0}, beta);
}

/** Partition of the lines of entries into chunks of whole lines; the numbers of lines differ by at most one. */
struct Chunks {
  uint32_t lines, count;
  __host__ __device__ uint32_t begin(uint32_t chunk) const {
    return WARP * (lines / count * chunk + (chunk < lines % count ? chunk : lines % count));
  }
};

/** A lane's entries in that many lines; k is the first. NO_ROW where an entry is missing. */
template <class V, class X>
struct Lines {
  uint32_t row[LINES];
  X product[LINES];
  __device__ __forceinline__ void read(const Entries<V, X>& a, const X* x, uint32_t k, uint32_t end) {
    const uint32_t lane = threadIdx.x % WARP;
    uint32_t col[LINES];
    typename Values<V, X>::Stored value[LINES];
    if (k - lane + LINES * WARP <= end) {
      // No entry is missing: the distances are constants, and ptxas keeps the loads together.
      const auto values = a.values.from(k);
#pragma unroll
      for (uint32_t i = 0; i < LINES; i++) col[i] = stream(a.colIdx + k + i * WARP);
#pragma unroll
      for (uint32_t i = 0; i < LINES; i++) row[i] = stream(a.rowIdx + k + i * WARP);
#pragma unroll
      for (uint32_t i = 0; i < LINES; i++) value[i] = values.read(i * WARP);
    } else {
      // For a missing entry the matrix's first one is read and not used.
#pragma unroll
      for (uint32_t i = 0; i < LINES; i++) {
        const uint32_t place = k + i * WARP < end ? k + i * WARP : 0;
        col[i] = stream(a.colIdx + place);
        value[i] = a.values.read(place);
        row[i] = place == k + i * WARP ? stream(a.rowIdx + place) : NO_ROW;
      }
    }
#pragma unroll
    for (uint32_t i = 0; i < LINES; i++) product[i] = __ldg(x + col[i]);
#pragma unroll
    for (uint32_t i = 0; i < LINES; i++) product[i] = row[i] == NO_ROW ? X{0} : a.values.decode(value[i]) * product[i];
  }
};

/** Bit i is set if lane i begins a run of lanes with equal rows. */
__device__ __forceinline__ uint32_t startsOf(uint32_t row) {
  const uint32_t before = __shfl_up_sync(0xffffffffu, row, 1);
  return __ballot_sync(0xffffffffu, before != row) | 1;
}

/** Whether a lane is the last of its run. */
__device__ __forceinline__ bool endsRun(uint32_t starts) {
  const uint32_t lane = threadIdx.x % WARP;
  return lane == WARP - 1 || (starts >> (lane + 1) & 1) != 0;
}

template <class V, class X>
__global__ void __launch_bounds__(THREADS)
    flegar(const Entries<V, X> a, const Chunks chunks, const X* __restrict__ x, X* y, X alpha) {
  const uint32_t chunk = (blockIdx.x * THREADS + threadIdx.x) / WARP;
  if (chunk >= chunks.count) return;
  const uint32_t lane = threadIdx.x % WARP;
  const uint32_t end = min(chunks.begin(chunk + 1), a.nnz);
  X sum = 0;
  for (uint32_t first = chunks.begin(chunk); first < end; first += LINES * WARP) {
    Lines<V, X> lines;
    lines.read(a, x, first + lane, end);
    const uint32_t behind = first + LINES * WARP + lane;
    const uint32_t after = behind < end ? a.rowIdx[behind] : NO_ROW;
#pragma unroll
    for (uint32_t i = 0; i < LINES; i++) {
      sum += lines.product[i];
      const uint32_t row = lines.row[i];
      if (!__any_sync(0xffffffffu, row != (i + 1 < LINES ? lines.row[i + 1] : after))) continue;
      const uint32_t starts = startsOf(row);
      sum = sumOfRun(sum, starts);
      if (endsRun(starts) && row != NO_ROW) atomicAdd(y + row, alpha * sum);
      sum = 0;
    }
  }
}

template <class V, class X>
__global__ void __launch_bounds__(THREADS)
    segmented(const Entries<V, X> a, const Chunks chunks, const X* __restrict__ x, X* y, X* carries, X alpha) {
  const uint32_t chunk = (blockIdx.x * THREADS + threadIdx.x) / WARP;
  if (chunk >= chunks.count) return;
  const uint32_t lane = threadIdx.x % WARP;
  const uint32_t end = min(chunks.begin(chunk + 1), a.nnz);
  uint32_t openRow = NO_ROW;
  X open = 0;
  for (uint32_t first = chunks.begin(chunk); first < end; first += LINES * WARP) {
    Lines<V, X> lines;
    lines.read(a, x, first + lane, end);
#pragma unroll
    for (uint32_t i = 0; i < LINES; i++) {
      const uint32_t row = lines.row[i];
      if (first + i * WARP >= end) break;
      X sum = lines.product[i];
      if (lane == 0) {
        if (row == openRow) sum += open;
        else if (openRow != NO_ROW) y[openRow] += alpha * open;
      }
      const uint32_t starts = startsOf(row);
      sum = sumOfRun(sum, starts);
      if (lane < WARP - 1 && endsRun(starts) && row != NO_ROW) y[row] += alpha * sum;
      openRow = __shfl_sync(0xffffffffu, row, WARP - 1);
      open = __shfl_sync(0xffffffffu, sum, WARP - 1);
    }
  }
  if (lane == 0 && openRow != NO_ROW) carries[chunk] = open;
}

template <class V, class X>
__global__ void __launch_bounds__(THREADS) atomic(const Entries<V, X> a, const X* __restrict__ x, X* y, X alpha) {
  const uint32_t stride = gridDim.x * blockDim.x;
  for (uint32_t k = blockIdx.x * blockDim.x + threadIdx.x; k < a.nnz; k += stride) {
    const X xj = __ldg(x + stream(a.colIdx + k));
    atomicAdd(y + stream(a.rowIdx + k), alpha * (a.values.at(k) * xj));
  }
}

template <class V, class X>
__global__ void __launch_bounds__(THREADS) shared(const Entries<V, X> a, const X* __restrict__ x, X* y, X alpha) {
  __shared__ uint32_t rows[THREADS];
  __shared__ X sums[THREADS];
  const uint32_t at = threadIdx.x;
  const uint32_t lane = at % WARP;
  const uint32_t stride = gridDim.x * blockDim.x;
  for (uint32_t first = blockIdx.x * blockDim.x + at - lane; first < a.nnz; first += stride) {
    const uint32_t k = first + lane;
    const uint32_t row = k < a.nnz ? stream(a.rowIdx + k) : NO_ROW;
    X sum = k < a.nnz ? a.values.at(k) * __ldg(x + stream(a.colIdx + k)) : X{0};
    rows[at] = row;
    sums[at] = sum;
    __syncwarp();
#pragma unroll
    for (uint32_t step = 1; step < WARP; step *= 2) {
      const X left = lane >= step && rows[at - step] == row ? sums[at - step] : X{0};
      __syncwarp();
      sums[at] = sum += left;
      __syncwarp();
    }
    if (row != NO_ROW && (lane == WARP - 1 || rows[at + 1] != row)) atomicAdd(y + row, alpha * sum);
    __syncwarp();
  }
}

}  // namespace sparlane::coo
