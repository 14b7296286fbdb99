/*
 * The bandwidth of a saxpy and of a daxpy by the stride between their elements, by the device's clock, L2 full of other data before each.
 *
 * Source: Bell & Garland 2008, figure 2 (the kernel) and figure 3 (strides 1 to 33, one thread for an element).
 * Differs: 2^22 elements, so that the vectors of stride 33 take 1.1 GB in f64; the paper does not say how many.
 *
 * usage: strides
 * JSON lines: { "kind": "stride", "dtype", "stride", "us", "gbps" }; gbps of the elements used, three of them for each i.
 */
#include <algorithm>

#include "../device.cuh"

using namespace bench;

namespace {

constexpr int ELEMENTS = 1 << 22;
constexpr int LARGEST = 33;
/** The bandwidth is that of the median of so many. Chosen. */
constexpr int REPETITIONS = 21;

template <class T>
__global__ void __launch_bounds__(THREADS) axpyWithStride(int n, T a, T *x, T *y, int stride) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) y[size_t{1} * i * stride] = a * x[size_t{1} * i * stride] + y[size_t{1} * i * stride];
}

template <class T>
void measure(const char *dtype, const Zeros &evicting, Stopwatch &stopwatch) {
  DeviceArray<T> x(size_t{ELEMENTS} * LARGEST), y(size_t{ELEMENTS} * LARGEST);
  x.fill(0);
  y.fill(0);
  for (int stride = 1; stride <= LARGEST; stride++) {
    std::vector<double> times(REPETITIONS);
    const auto run = [&] { axpyWithStride<T><<<ELEMENTS / THREADS, THREADS>>>(ELEMENTS, T{2}, x.data(), y.data(), stride); };
    run();
    for (double &ms : times) ms = stopwatch.ms([&] { evicting.read(); }, run);
    std::sort(times.begin(), times.end());
    const double us = 1e3 * times[REPETITIONS / 2];
    std::printf("{ \"kind\": \"stride\", \"dtype\": \"%s\", \"stride\": %d, \"us\": %.2f, \"gbps\": %.1f }\n", dtype, stride, us,
                3.0 * ELEMENTS * sizeof(T) / us / 1e3);
  }
}

}  // namespace

int main() {
  const Zeros evicting(EVICTING_BYTES);
  Stopwatch stopwatch;
  measure<float>("f32", evicting, stopwatch);
  measure<double>("f64", evicting, stopwatch);
}
