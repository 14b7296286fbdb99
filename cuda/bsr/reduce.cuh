/**
 * The reduction after the product of cut block rows: y ← α sums + β y of the partial sums of their segments. A thread for each
 * row of y adds the segments in order. For many segments thread blocks compute the block row, each some rows of it: their threads
 * share the segments, and their sums are added in order.
 */
#pragma once
#include "bsr/bsr.cuh"

namespace sparlane::bsr {

/**
 * A block row of more segments is computed by a thread block: with some 60 to 250 of them, 8 to 1,024 are within 7 % on average,
 * none better. (H200, f64, November 2026.)
 */
constexpr uint32_t MANY_SEGMENTS = 64;

constexpr int REDUCTION_THREADS = 256;

/** Most rows of a long block row that a thread block computes: some of its threads for each. Chosen. */
constexpr uint32_t LONG_ROWS = 64;

/** Block rows of y, and the first segment of each. The `blockSize` sums of a segment are stored one after the other. */
struct Segments {
  uint32_t rows;
  uint32_t blockSize;
  const uint32_t* segPtr;
};

template <class X>
__global__ void __launch_bounds__(REDUCTION_THREADS)
    reduceRows(Segments a, const X* __restrict__ partials, X* __restrict__ y, X alpha, X beta) {
  const uint32_t row = blockIdx.x * REDUCTION_THREADS + threadIdx.x;
  if (row >= a.rows) return;
  const uint32_t blockRow = row / a.blockSize;
  const uint32_t first = __ldg(a.segPtr + blockRow);
  const uint32_t segments = __ldg(a.segPtr + blockRow + 1) - first;
  if (segments > MANY_SEGMENTS) return;
  partials += static_cast<size_t>(first) * a.blockSize + row % a.blockSize;
  X sum{0};
#pragma unroll 4
  for (uint32_t i = 0; i < segments; i++) sum += partials[static_cast<size_t>(i) * a.blockSize];
  put(y + row, sum, alpha, beta);
}

/** A thread block to blockIdx.y of every long block row: gridDim.y of them have the rows of one. */
template <class X>
__global__ void __launch_bounds__(REDUCTION_THREADS)
    reduceLongRows(Segments a, const uint32_t* __restrict__ longRows, const X* __restrict__ partials, X* __restrict__ y, X alpha,
                   X beta) {
  __shared__ X sums[REDUCTION_THREADS];
  const uint32_t b = a.blockSize;
  const uint32_t blockRow = __ldg(longRows + blockIdx.x);
  const uint32_t first = __ldg(a.segPtr + blockRow);
  const uint32_t last = __ldg(a.segPtr + blockRow + 1);
  const uint32_t top = blockIdx.y * b / gridDim.y;
  const uint32_t height = (blockIdx.y + 1) * b / gridDim.y - top;
  const uint32_t groups = REDUCTION_THREADS / height;
  const uint32_t group = threadIdx.x / height;
  partials += top + threadIdx.x % height;
  X sum{0};
  if (group < groups) {
#pragma unroll 4
    for (uint32_t i = first + group; i < last; i += groups) sum += partials[static_cast<size_t>(i) * b];
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  const uint32_t row = blockRow * b + top + threadIdx.x;
  if (threadIdx.x >= height || row >= a.rows) return;
  sum = 0;
  for (uint32_t i = threadIdx.x; i < groups * height; i += height) sum += sums[i];
  put(y + row, sum, alpha, beta);
}

class Reduction {
 public:
  Reduction(const Request& request, Plan& plan, uint32_t rows, uint32_t blockSize, std::span<const uint32_t> segPtr)
      : rows_(rows), blockSize_(blockSize), segPtr_(request.upload(plan, segPtr)) {
    std::vector<uint32_t> longRows;
    for (size_t i = 0; i + 1 < segPtr.size(); i++) {
      if (segPtr[i + 1] - segPtr[i] > MANY_SEGMENTS) longRows.push_back(static_cast<uint32_t>(i));
    }
    longRows_ = request.upload(plan, std::span(longRows));
  }

  template <class X>
  void run(cudaStream_t stream, const X* partials, X* y, X alpha, X beta) const {
    if (rows_ == 0) return;
    const Segments a{rows_, blockSize_, segPtr_.data()};
    reduceRows<<<divideUp(rows_, REDUCTION_THREADS), REDUCTION_THREADS, 0, stream>>>(a, partials, y, alpha, beta);
    CHECK_LAUNCH("bsr reduceRows");
    const uint32_t count = static_cast<uint32_t>(longRows_.length());
    if (count == 0) return;
    reduceLongRows<<<dim3(count, divideUp(blockSize_, LONG_ROWS)), REDUCTION_THREADS, 0, stream>>>(a, longRows_.data(), partials,
                                                                                                   y, alpha, beta);
    CHECK_LAUNCH("bsr reduceLongRows");
  }

 private:
  uint32_t rows_;
  uint32_t blockSize_;
  DeviceArray<uint32_t> segPtr_;
  DeviceArray<uint32_t> longRows_;
};

}  // namespace sparlane::bsr
