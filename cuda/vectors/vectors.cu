/** Operations on whole vectors in addition to arithmetic. */
#include "plan.cuh"

namespace sparlane {

namespace {

constexpr int THREADS = 256;

template <class T>
__global__ void __launch_bounds__(THREADS) scatter(T* y, const T* x, const uint32_t* order, size_t length) {
  const size_t i = size_t{blockIdx.x} * THREADS + threadIdx.x;
  if (i < length) y[order[i]] = x[i];
}

template <class T>
__global__ void __launch_bounds__(THREADS) copyStrided(T* y, uint32_t yStride, const T* x, uint32_t xStride, size_t length) {
  const size_t i = size_t{blockIdx.x} * THREADS + threadIdx.x;
  if (i < length) y[i * yStride] = x[i * xStride];
}

template <class T>
void launch(const Context& context, void* y, const void* x, const uint32_t* order, size_t length) {
  const uint32_t blocks = divideUp(length, THREADS);
  scatter<<<blocks, THREADS, 0, context.stream>>>(static_cast<T*>(y), static_cast<const T*>(x), order, length);
  CHECK_LAUNCH("scatter");
}

}  // namespace

void queueStridedCopy(const Context& context, Strided y, Strided x, size_t length, uint32_t width) {
  if (length == 0) return;
  const auto queue = [&]<class T>(T* to) {
    const auto* from = static_cast<const T*>(x.data);
    copyStrided<T><<<divideUp(length, THREADS), THREADS, 0, context.stream>>>(to, y.stride, from, x.stride, length);
    CHECK_LAUNCH("strided copy");
  };
  if (width == sizeof(float)) queue(static_cast<float*>(y.data));
  else queue(static_cast<double*>(y.data));
}

void queueScatter(const Context& context, void* y, const void* x, const uint32_t* order, size_t length, uint32_t width) {
  if (length == 0) return;
  if (width == sizeof(float)) launch<float>(context, y, x, order, length);
  else launch<double>(context, y, x, order, length);
}

}  // namespace sparlane
