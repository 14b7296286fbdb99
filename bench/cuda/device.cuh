/** Common to the native programs of this folder: errors, memory of the device, eviction of its L2, times by its own clock. */
#pragma once
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace bench {

inline void check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
  std::exit(1);
}

#define CUDA_CHECK(call) ::bench::check((call), #call)

/** Memory of the device, with undefined contents. */
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t length) : length_(length) { CUDA_CHECK(cudaMalloc(&data_, bytes() + 1)); }
  DeviceArray(const T* source, size_t length) : DeviceArray(length) {
    CUDA_CHECK(cudaMemcpy(data_, source, bytes(), cudaMemcpyHostToDevice));
  }
  DeviceArray(DeviceArray&& other) noexcept : length_(other.length_), data_(std::exchange(other.data_, nullptr)) {}
  ~DeviceArray() { cudaFree(data_); }
  void fill(int byte) { CUDA_CHECK(cudaMemset(data_, byte, bytes())); }
  T* data() const { return data_; }
  size_t length() const { return length_; }
  size_t bytes() const { return length_ * sizeof(T); }

 private:
  size_t length_;
  T* data_ = nullptr;
};

constexpr int THREADS = 256;
/** Words of 16 bytes that a thread has in flight. */
constexpr int WORDS = 8;
constexpr size_t TILE_BYTES = size_t{THREADS} * WORDS * sizeof(uint4);

/** A tile per block. The words are zeros, so `never` is not written, but the compiler cannot see that. */
__global__ void __launch_bounds__(THREADS) readTiles(const uint4* words, uint32_t* never) {
  const uint4* tile = words + size_t{blockIdx.x} * THREADS * WORDS + threadIdx.x;
  uint4 read[WORDS];
#pragma unroll
  for (int k = 0; k < WORDS; k++) read[k] = tile[k * THREADS];
  uint32_t any = 0;
#pragma unroll
  for (int k = 0; k < WORDS; k++) any |= read[k].x | read[k].y | read[k].z | read[k].w;
  if (any != 0) *never = any;
}

/** Zeros for reading, in whole tiles. */
class Zeros {
 public:
  explicit Zeros(size_t bytes) : words_(bytes / sizeof(uint4)), never_(1) { words_.fill(0); }
  /** Queues the reading of the first `bytes`. */
  void read(size_t bytes) const {
    readTiles<<<static_cast<unsigned>(bytes / TILE_BYTES), THREADS>>>(words_.data(), never_.data());
  }
  void read() const { read(words_.bytes()); }

 private:
  DeviceArray<uint4> words_;
  DeviceArray<uint32_t> never_;
};

/**
 * Several times the L2 of any current device. Read, not written: dirty lines would be written back during the timed operation. And not by loads
 * that L2 evicts first: these evict each other, and leave the matrix in L2 (until 23 November 2026 cuSPARSE was timed so: its COO took 7.1 µs
 * instead of 8.5 below 0.1 million entries, 9.0 instead of 10.3 below 1 million).
 */
constexpr size_t EVICTING_BYTES = size_t{256} << 20;

/** The device's clock around the operations queued between begin and end. */
class Stopwatch {
 public:
  Stopwatch() {
    CUDA_CHECK(cudaEventCreate(&begin_));
    CUDA_CHECK(cudaEventCreate(&end_));
  }
  /**
   * Milliseconds that `run` takes. `before` queues operations before it that take the device longer than the host needs to queue
   * `run`: so the device does not wait for the host meanwhile.
   */
  template <class Before, class Run>
  double ms(Before&& before, Run&& run) {
    before();
    CUDA_CHECK(cudaEventRecord(begin_));
    run();
    CUDA_CHECK(cudaEventRecord(end_));
    CUDA_CHECK(cudaEventSynchronize(end_));
    CUDA_CHECK(cudaGetLastError());
    float ms = 0;
    CUDA_CHECK(cudaEventElapsedTime(&ms, begin_, end_));
    return ms;
  }

 private:
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

}  // namespace bench
