/** Finds rows without entries (`empty-rows.cuh`). */
#include <bit>

#include "empty-rows.cuh"

namespace sparlane {

namespace {

constexpr int THREADS = 256;

__global__ void __launch_bounds__(THREADS) occupy(const uint32_t* rowIdx, uint32_t nnz, uint32_t* occupied) {
  const uint32_t k = blockIdx.x * THREADS + threadIdx.x;
  if (k >= nnz) return;
  const uint32_t row = rowIdx[k];
  if (k == 0 || rowIdx[k - 1] != row) atomicOr(occupied + row / 32, 1u << row % 32);
}

bool allOccupied(std::span<const uint32_t> occupied, uint32_t rows) {
  uint32_t count = 0;
  for (const uint32_t word : occupied) count += static_cast<uint32_t>(std::popcount(word));
  return count == rows;
}

}  // namespace

EmptyRows::EmptyRows(const Request& request, Plan& plan, uint32_t rows, std::span<const uint32_t> occupied) {
  if (allOccupied(occupied, rows)) return;
  rows_ = rows;
  occupied_ = request.upload(plan, occupied);
}

EmptyRows::EmptyRows(const Request& request, Plan& plan, uint32_t rows, const uint32_t* rowIdx, uint32_t nnz) {
  DeviceArray<uint32_t> occupied(request.context, divideUp(rows, 32));
  const cudaStream_t stream = request.context->stream;
  CUDA_CHECK(cudaMemsetAsync(occupied.data(), 0, occupied.bytes(), stream));
  if (nnz > 0) {
    occupy<<<divideUp(nnz, THREADS), THREADS, 0, stream>>>(rowIdx, nnz, occupied.data());
    CHECK_LAUNCH("occupy");
  }
  std::vector<uint32_t> words(occupied.length());
  CUDA_CHECK(cudaMemcpyAsync(words.data(), occupied.data(), occupied.bytes(), cudaMemcpyDeviceToHost, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  if (allOccupied(words, rows)) return;
  rows_ = rows;
  occupied_ = std::move(occupied);
  plan.bytes += occupied_.bytes();
}

}  // namespace sparlane
