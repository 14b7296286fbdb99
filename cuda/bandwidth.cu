/** The device's memory bandwidth, in order and at random, as a baseline for products; and the preparation of a timed operation. */
#include "device.cuh"

namespace sparlane {

namespace {

constexpr int THREADS = 512;
/** Loads of 16 bytes that a thread has in flight. */
constexpr int DEPTH = 4;

/** Reads everything once, by loads that leave it in L2. A sum of zeros is never written, but the compiler cannot see that. */
__global__ void __launch_bounds__(THREADS) read(uint4* data, size_t length) {
  const size_t step = size_t{gridDim.x} * THREADS;
  uint32_t sum = 0;
  for (size_t k = size_t{blockIdx.x} * THREADS + threadIdx.x; k < length; k += DEPTH * step) {
    uint4 loaded[DEPTH];
#pragma unroll
    for (int i = 0; i < DEPTH; i++) loaded[i] = k + i * step < length ? data[k + i * step] : uint4{};
#pragma unroll
    for (int i = 0; i < DEPTH; i++) sum |= loaded[i].x | loaded[i].y | loaded[i].z | loaded[i].w;
  }
  if (sum != 0) data->x = sum;
}

constexpr int GATHER_THREADS = 256;
constexpr int GATHERS_PER_THREAD = 64;
constexpr int GATHERS_IN_FLIGHT = 8;

/** Mixes all bits of a counter (the finalizer of MurmurHash3, Appleby). */
__device__ __forceinline__ uint32_t mixed(uint32_t bits) {
  bits ^= bits >> 16;
  bits *= 0x85ebca6bu;
  bits ^= bits >> 13;
  bits *= 0xc2b2ae35u;
  return bits ^ bits >> 16;
}

/** Gathers random elements of x. Their indices are computed, not read: only x uses bandwidth. As above, nothing is ever written. */
__global__ void __launch_bounds__(GATHER_THREADS) gather(double* x, uint32_t length) {
  uint32_t counter = (blockIdx.x * GATHER_THREADS + threadIdx.x) * GATHERS_PER_THREAD;
  double sum = 0;
  for (int round = 0; round < GATHERS_PER_THREAD / GATHERS_IN_FLIGHT; round++, counter += GATHERS_IN_FLIGHT) {
    double taken[GATHERS_IN_FLIGHT];
#pragma unroll
    for (int k = 0; k < GATHERS_IN_FLIGHT; k++) taken[k] = __ldg(x + __umulhi(mixed(counter + k), length));
#pragma unroll
    for (int k = 0; k < GATHERS_IN_FLIGHT; k++) sum += taken[k];
  }
  if (sum != 0) *x = sum;
}

/** Nanoseconds in which the host queues the timed operation: some tens of launches. */
constexpr uint64_t WAIT_NS = 50'000;

__global__ void wait() {
  uint64_t begin, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - begin < WAIT_NS);
}

}  // namespace

void queueRead(const Context& context, void* zeros, size_t bytes) {
  const int blocks = 8 * context.properties.multiProcessorCount;
  read<<<blocks, THREADS, 0, context.stream>>>(static_cast<uint4*>(zeros), bytes / sizeof(uint4));
  CHECK_LAUNCH("read");
}

void queueGather(const Context& context, void* zeros, uint32_t length, uint32_t count) {
  constexpr uint32_t PER_BLOCK = GATHER_THREADS * GATHERS_PER_THREAD;
  const uint32_t blocks = count / PER_BLOCK;
  if (blocks == 0) return;
  gather<<<blocks, GATHER_THREADS, 0, context.stream>>>(static_cast<double*>(zeros), length);
  CHECK_LAUNCH("gather");
}

void queuePreparation(const std::shared_ptr<Context>& context, size_t flushBytes) {
  if (flushBytes > 0) {
    // Read, not written: dirty lines in L2 would be written back while the clock runs.
    const DeviceArray<uint4> other(context, flushBytes / sizeof(uint4));
    queueRead(*context, other.data(), other.bytes());
  }
  wait<<<1, 1, 0, context->stream>>>();
  CHECK_LAUNCH("wait");
}

}  // namespace sparlane
