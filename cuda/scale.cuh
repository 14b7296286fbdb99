/** y ← β y, for the kernels that only add to y. */
#pragma once
#include "device.cuh"

namespace sparlane {

constexpr int SCALE_BLOCK = 256;

template <class X>
__global__ void __launch_bounds__(SCALE_BLOCK) scaleElements(uint32_t rows, X* y, X beta) {
  const uint32_t row = blockIdx.x * SCALE_BLOCK + threadIdx.x;
  if (row < rows) y[row] = beta == X{0} ? X{0} : beta * y[row];
}

/** Queues it. β = 0 overwrites y, NaN included; β = 1 queues nothing. */
template <class X>
void scale(cudaStream_t stream, uint32_t rows, X* y, X beta) {
  if (rows == 0 || beta == X{1}) return;
  scaleElements<<<divideUp(rows, SCALE_BLOCK), SCALE_BLOCK, 0, stream>>>(rows, y, beta);
  CHECK_LAUNCH("scale");
}

}  // namespace sparlane
