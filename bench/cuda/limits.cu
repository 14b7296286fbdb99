/*
 * The limits of the device, measured in every run: reading, copying, and gathering single elements at random. Medians by the
 * device's clock, with L2 full of other data before each.
 *
 * usage: limits
 * One line of JSON: { "device", "cuda", "readGbps", "copyGbps", "gatherGps" }; the first two by bytes, the last by type and elements of x,
 * in 10⁹ elements a second.
 */
#include <algorithm>
#include <string>

#include "device.cuh"

using namespace bench;

namespace {

constexpr int REPETITIONS = 21;
constexpr size_t MIB = size_t{1} << 20;
constexpr size_t LARGEST = 4096 * MIB;
constexpr size_t READ_BYTES[] = {LARGEST, 256 * MIB, 32 * MIB};
constexpr size_t GATHERED[] = {4 << 10, 128 << 10, 2 * MIB, 4 * MIB, 16 * MIB, 128 * MIB};

/** Total gathers of a measurement: enough that the smallest x takes some 400 µs. */
constexpr uint32_t GATHERS = 1u << 28;
constexpr int PER_THREAD = 64;
constexpr int AT_ONCE = 8;

/** A tile per block. */
__global__ void __launch_bounds__(THREADS) copyTiles(const uint4* source, uint4* target) {
  const size_t begin = size_t{blockIdx.x} * THREADS * WORDS + threadIdx.x;
  uint4 words[WORDS];
#pragma unroll
  for (int k = 0; k < WORDS; k++) words[k] = __ldcs(source + begin + k * THREADS);
#pragma unroll
  for (int k = 0; k < WORDS; k++) __stcs(target + begin + k * THREADS, words[k]);
}

/** Mixes all bits of a counter (the finalizer of MurmurHash3, Appleby). */
__device__ __forceinline__ uint32_t mixed(uint32_t bits) {
  bits ^= bits >> 16;
  bits *= 0x85ebca6bu;
  bits ^= bits >> 13;
  bits *= 0xc2b2ae35u;
  return bits ^ bits >> 16;
}

/** x is zeros, its length a power of two. Indices are computed, not read: only x uses bandwidth. */
template <class X>
__global__ void __launch_bounds__(THREADS) gather(const X* x, uint32_t mask, X* never) {
  uint32_t counter = (blockIdx.x * THREADS + threadIdx.x) * PER_THREAD;
  X sum = 0;
  for (int round = 0; round < PER_THREAD / AT_ONCE; round++, counter += AT_ONCE) {
    X taken[AT_ONCE];
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) taken[k] = __ldg(x + (mixed(counter + k) & mask));
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) sum += taken[k];
  }
  if (sum != 0) *never = sum;
}

class Limits {
 public:
  double readGbps(size_t bytes) {
    return bytes / medianMs([&] { zeros_.read(bytes); }) / 1e6;
  }

  double copyGbps(size_t bytes) {
    DeviceArray<uint4> source(bytes / sizeof(uint4)), target(bytes / sizeof(uint4));
    source.fill(0);
    const auto blocks = static_cast<unsigned>(bytes / TILE_BYTES);
    return 2 * bytes / medianMs([&] { copyTiles<<<blocks, THREADS>>>(source.data(), target.data()); }) / 1e6;
  }

  template <class X>
  double gatherGps(size_t elements) {
    DeviceArray<X> x(elements), never(1);
    x.fill(0);
    const auto mask = static_cast<uint32_t>(elements - 1);
    constexpr unsigned BLOCKS = GATHERS / PER_THREAD / THREADS;
    return GATHERS / medianMs([&] { gather<X><<<BLOCKS, THREADS>>>(x.data(), mask, never.data()); }) / 1e6;
  }

 private:
  template <class Run>
  double medianMs(Run&& run) {
    double times[REPETITIONS];
    for (double& ms : times) ms = stopwatch_.ms([&] { evicting_.read(); }, run);
    std::sort(times, times + REPETITIONS);
    return times[REPETITIONS / 2];
  }

  Zeros zeros_{LARGEST};
  Zeros evicting_{EVICTING_BYTES};
  Stopwatch stopwatch_;
};

/** `{ "1024": 1.5, … }` */
template <size_t N, class Measure>
std::string byKey(const size_t (&keys)[N], Measure&& measure) {
  std::string text;
  for (const size_t key : keys) {
    char pair[64];
    std::snprintf(pair, sizeof pair, "%s \"%zu\": %.1f", text.empty() ? "{" : ",", key, measure(key));
    text += pair;
  }
  return text + " }";
}

}  // namespace

int main() {
  cudaDeviceProp properties{};
  CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
  Limits limits;
  const auto read = byKey(READ_BYTES, [&](size_t bytes) { return limits.readGbps(bytes); });
  const auto copied = limits.copyGbps(LARGEST);
  const auto doubles = byKey(GATHERED, [&](size_t elements) { return limits.gatherGps<double>(elements); });
  const auto floats = byKey(GATHERED, [&](size_t elements) { return limits.gatherGps<float>(elements); });
  std::printf("{ \"kind\": \"limits\", \"device\": \"%s\", \"cuda\": \"%d.%d\", \"readGbps\": %s, ", properties.name,
              CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10, read.c_str());
  std::printf("\"copyGbps\": { \"%zu\": %.1f }, \"gatherGps\": { \"f64\": %s, \"f32\": %s } }\n", LARGEST, copied,
              doubles.c_str(), floats.c_str());
}
