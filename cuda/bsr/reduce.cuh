/**
 * The reduction after the product of cut block rows: y ← α sums + β y of the partial sums of their segments. A thread for each
 * row of y adds the segments in order. For many segments a thread block computes the block row: its threads share the
 * segments, and their sums are added in order.
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
  for (uint32_t i = 0; i < segments; i++) sum += partials[i * a.blockSize];
  put(y + row, sum, alpha, beta);
}

template <class X>
__global__ void __launch_bounds__(REDUCTION_THREADS)
    reduceLongRows(Segments a, const uint32_t* __restrict__ longRows, const X* __restrict__ partials, X* __restrict__ y, X alpha,
                   X beta) {
  __shared__ X sums[REDUCTION_THREADS];
  const uint32_t b = a.blockSize;
  const uint32_t blockRow = __ldg(longRows + blockIdx.x);
  const uint32_t begin = __ldg(a.segPtr + blockRow) * b;
  const uint32_t end = __ldg(a.segPtr + blockRow + 1) * b;
  const uint32_t used = REDUCTION_THREADS / b * b;
  X sum{0};
  if (threadIdx.x < used) {
#pragma unroll 4
    for (uint32_t i = begin + threadIdx.x; i < end; i += used) sum += partials[i];
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  const uint32_t row = blockRow * b + threadIdx.x;
  if (threadIdx.x >= b || row >= a.rows) return;
  sum = 0;
  for (uint32_t i = threadIdx.x; i < used; i += b) sum += sums[i];
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
    reduceLongRows<<<count, REDUCTION_THREADS, 0, stream>>>(a, longRows_.data(), partials, y, alpha, beta);
    CHECK_LAUNCH("bsr reduceLongRows");
  }

 private:
  uint32_t rows_;
  uint32_t blockSize_;
  DeviceArray<uint32_t> segPtr_;
  DeviceArray<uint32_t> longRows_;
};

}  // namespace sparlane::bsr
