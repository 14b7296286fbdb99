/**
 * Transposition on the device: compressed rows to those of the transpose, a stable sort of the entries by column.
 *
 * Source: CUB's radix sort (Adinets & Merrill 2022, onesweep), of columns with the places of their entries.
 * Differs: from the counting sort of the team (`assembly/algebra/transpose.ts`) in how it is computed, not in the result: within a column
 *   entries stay in the order of the rows.
 * Cost: a pass over 16 bytes per entry for every 8 bits of a column; then a random read of each value. Room: 8 bytes per entry, and what CUB
 *   asks for, some 8 more.
 */
#include <bit>
#include <cub/device/device_radix_sort.cuh>

#include "device.cuh"
#include "transpose.cuh"

namespace sparlane {

namespace {

constexpr int THREADS = 256;

__global__ void __launch_bounds__(THREADS) number(uint32_t length, uint32_t* places) {
  const uint32_t k = blockIdx.x * THREADS + threadIdx.x;
  if (k < length) places[k] = k;
}

/** The first place in an ascending array whose element is above `value`. */
__device__ __forceinline__ uint32_t placeAbove(const uint32_t* array, uint32_t length, uint32_t value) {
  uint32_t low = 0, high = length;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (__ldg(array + middle) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** ptr[c]: the first of the sorted entries with a column of at least c. */
__global__ void __launch_bounds__(THREADS) findColumns(uint32_t cols, const uint32_t* sorted, uint32_t nnz, uint32_t* ptr) {
  const uint32_t c = blockIdx.x * THREADS + threadIdx.x;
  if (c <= cols) ptr[c] = c == 0 ? 0 : placeAbove(sorted, nnz, c - 1);
}

template <class V>
__global__ void __launch_bounds__(THREADS) moveEntries(Transposition<V> a, const uint32_t* places) {
  const uint32_t k = blockIdx.x * THREADS + threadIdx.x;
  if (k >= a.nnz) return;
  const uint32_t from = places[k];
  a.idx[k] = placeAbove(a.rowPtr, a.rows + 1, from) - 1;
  a.moved[k] = __ldg(a.values + from);
}

}  // namespace

template <class V>
void queueTransposition(const std::shared_ptr<Context>& context, const Transposition<V>& a) {
  const cudaStream_t stream = context->stream;
  const DeviceArray<uint32_t> sorted(context, a.nnz), places(context, a.nnz);
  if (a.nnz > 0) {
    // The places before the sort are where their rows will be.
    number<<<divideUp(a.nnz, THREADS), THREADS, 0, stream>>>(a.nnz, a.idx);
    CHECK_LAUNCH("transpose, places");
    size_t bytes = 0;
    const auto sort = [&](void* room) {
      CUDA_CHECK(cub::DeviceRadixSort::SortPairs(room, bytes, a.colIdx, sorted.data(), a.idx, places.data(), a.nnz, 0,
                                                 std::bit_width(std::max(a.cols, 2u) - 1), stream));
    };
    sort(nullptr);
    const DeviceArray<uint8_t> room(context, bytes);
    sort(room.data());
    moveEntries<<<divideUp(a.nnz, THREADS), THREADS, 0, stream>>>(a, places.data());
    CHECK_LAUNCH("transpose, entries");
  }
  findColumns<<<divideUp(uint64_t{a.cols} + 1, THREADS), THREADS, 0, stream>>>(a.cols, sorted.data(), a.nnz, a.ptr);
  CHECK_LAUNCH("transpose, columns");
}

template void queueTransposition(const std::shared_ptr<Context>&, const Transposition<float>&);
template void queueTransposition(const std::shared_ptr<Context>&, const Transposition<double>&);

}  // namespace sparlane
