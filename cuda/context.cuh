/**
 * A device, its memory, and what is queued on it in addition to products. Host code throws `Failure`; the C interface (`api/sparlane.h`)
 * catches it, so no exception leaves this folder's objects.
 */
#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rates.cuh"

namespace sparlane {

/** Code and message become those of a `SparlaneError`. */
struct Failure {
  const char* code;
  std::string message;
};

[[noreturn]] void failCall(const char* call, cudaError_t error);

/** Throws if a CUDA call returned an error. The message names the call. */
#define CUDA_CHECK(call)                                                                               \
  do {                                                                                                 \
    if (const cudaError_t error_ = (call); error_ != cudaSuccess) ::sparlane::failCall(#call, error_); \
  } while (0)

/** After a launch: throws if it failed. The message names the kernel. */
#define CHECK_LAUNCH(kernel)                                                                                        \
  do {                                                                                                              \
    if (const cudaError_t error_ = cudaGetLastError(); error_ != cudaSuccess) ::sparlane::failCall(kernel, error_); \
  } while (0)

template <class T>
class DeviceArray;
class DeviceMemory;
class SharedMemory;
struct RankSums;

namespace blas {
struct VectorProgram;
}

/** An object used by a recording, which keeps it alive. */
using Recorded = std::vector<std::shared_ptr<const void>>;

Clocks clocksOf(int device);

/** A device, the stream on which everything of one engine is queued, and its memory pool. */
class Context {
 public:
  /** @param isUrgent its operations come before those of other contexts that wait for room on the device */
  Context(int device, bool isUrgent);
  /** Makes the context of a device that is only described: candidates of a plan can be found for it, but nothing can be queued. */
  Context(const cudaDeviceProp& properties, const Rates& rates);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /** Makes the device current in the calling thread. */
  void enter() const;
  /** Lets kernels of another device access this one's memory; returns whether they can. */
  bool share(const Context& other);
  /**
   * Operations queued here from now on wait for those already queued there. If these are being recorded and both are queues of one device, so are
   * those of this context from now on, until the recording ends.
   *
   * @throws Failure `argument` if only one of them records, in any other case
   */
  void waitFor(Context& other);
  /** Allocates from the context's own pool. @throws Failure `heap` if the device is full; existing objects stay usable */
  void* allocate(size_t bytes);
  void release(void* pointer) noexcept;
  /** Operations queued from here on are recorded; only operations on the device can be. */
  void beginRecording();
  /** Returns the recording, and the objects it uses. @throws Failure `backend` if a queued operation cannot be recorded */
  std::pair<cudaGraphExec_t, Recorded> endRecording();
  /** During a recording: keeps the object alive as long as the recording. */
  void keep(std::shared_ptr<const void> object) {
    if (isRecording_) recorded_.push_back(std::move(object));
  }
  /** @throws Failure `argument` while something is recorded */
  void refuseRecording(const char* what) const;
  /** The vector operations to be queued together. */
  blas::VectorProgram& program() { return *program_; }
  /** Queues them. Called before anything else is queued. @param isFollowed whether other vector operations are queued next */
  void flush(bool isFollowed = false);
  /** Queues them unless something is recorded or collected. */
  void settle() {
    if (!isRecording_ && !isCollecting_) flush();
  }
  /** Until it is turned off again, vector operations are queued together. */
  void collect(bool isOn) {
    isCollecting_ = isOn;
    settle();
  }
  /**
   * Where vector operations keep the sums of their thread blocks (`vectors/vector-program.cu`), one list at a time, in the stream's order. Zeros at
   * first.
   */
  void* reductions() {
    if (reductions_ == nullptr) {
      reductions_ = allocate(REDUCTION_BYTES);
      CUDA_CHECK(cudaMemsetAsync(reductions_, 0, REDUCTION_BYTES, stream));
    }
    return reductions_;
  }
  static constexpr size_t REDUCTION_BYTES = 256 << 10;
  /** Returns the memory of the device that other ranks can open (`shared-memory.cuh`). */
  SharedMemory& sharedMemory() { return *sharedMemory_; }
  /** Dot products are from now on sums over ranks (`frames.cuh`). */
  void joinRanks(const RankSums& sums);
  /** Returns null if dot products are not sums over ranks. */
  RankSums* ranks() const { return ranks_; }
  /** 0 and 1 in turn: the half of that room that a list uses. */
  uint32_t turn() { return turn_ = 1 - turn_; }

  int device;
  cudaEvent_t reached = nullptr;
  /** Begin and end of a timed operation. */
  cudaEvent_t marks[2] = {};
  cudaStream_t stream = nullptr;
  cudaMemPool_t pool = nullptr;
  cudaDeviceProp properties{};
  Rates rates;
  /** Memory that the stages of a matrix share (`Request::sharedRoom`), by the corresponding place in the heap. */
  std::map<uint32_t, std::weak_ptr<DeviceArray<std::byte>>> sharedRooms;
  /** Arrays that the plans of a matrix share (`Request::share`), by the matrix and their place in the heap. */
  std::map<std::pair<uint32_t, uint32_t>, std::weak_ptr<DeviceMemory>> shares;
  /** In place of a matrix: one whose arrays are not shared; arrays that were on the device before their matrix was. */
  static constexpr uint32_t ALONE = 0, LENT = UINT32_MAX;

 private:
  /** Other devices that may access this one's memory. */
  std::vector<int> shared_;
  std::unique_ptr<blas::VectorProgram> program_;
  std::unique_ptr<SharedMemory> sharedMemory_;
  void* reductions_ = nullptr;
  RankSums* ranks_ = nullptr;
  uint32_t turn_ = 0;
  bool isRecording_ = false;
  /** These other contexts have joined the recording that was begun in this context. */
  std::vector<Context*> joined_;
  bool isCollecting_ = false;
  Recorded recorded_;
  /** Memory released during a recording: it is freed when the recording has ended. */
  std::vector<void*> released_;
};

/** Device memory, freed by the destructor. */
class DeviceMemory {
 public:
  using Free = void (*)(Context& context, void* data);

  DeviceMemory(std::shared_ptr<Context> context, size_t bytes)
      : context_(std::move(context)), bytes_(bytes), data_(context_->allocate(bytes)) {}
  /** Takes memory that was allocated in another way, and frees it by `free`. */
  DeviceMemory(std::shared_ptr<Context> context, size_t bytes, void* data, Free free)
      : context_(std::move(context)), bytes_(bytes), data_(data), free_(free) {}
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory() { free_(*context_, data_); }
  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<Context> context_;
  size_t bytes_;
  void* data_;
  Free free_ = [](Context& context, void* data) { context.release(data); };
};

/** An array in device memory, which is freed with the last array of it. Move only. */
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  DeviceArray(std::shared_ptr<Context> context, size_t length)
      : DeviceArray(std::make_shared<DeviceMemory>(std::move(context), length * sizeof(T)), length) {}
  DeviceArray(std::shared_ptr<DeviceMemory> memory, size_t length) : memory_(std::move(memory)), length_(length) {}
  DeviceArray(DeviceArray&& other) noexcept { *this = std::move(other); }
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(length_, other.length_);
    return *this;
  }
  T* data() const { return memory_ == nullptr ? nullptr : static_cast<T*>(memory_->data()); }
  size_t length() const { return length_; }
  size_t bytes() const { return length_ * sizeof(T); }
  const std::shared_ptr<DeviceMemory>& memory() const { return memory_; }

 private:
  std::shared_ptr<DeviceMemory> memory_;
  size_t length_ = 0;
};

/** Asks the system for large pages, also for memory that is reserved and not yet in use. */
void adviseHugePages(const void* base, size_t bytes);
/** Pins memory of the host, so that copies from and to it are fast and asynchronous. Memory already pinned stays pinned. */
void pin(const void* base, size_t bytes);
/** Must be called before pinned memory is freed. */
void unpin(const void* base, size_t bytes);

/** Queues a copy between host and device. */
void queueCopy(void* target, const void* source, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream);

/** Queues y[order[i]] ← x[i] for elements of 4 or 8 bytes. */
void queueScatter(const Context& context, void* y, const void* x, const uint32_t* order, size_t length, uint32_t width);

/** Elements `stride` places apart. */
struct Strided {
  void* data;
  uint32_t stride;
};

/** Queues y ← x for elements of 4 or 8 bytes: a column of a block of vectors. */
void queueStridedCopy(const Context& context, Strided y, Strided x, size_t length, uint32_t width);

/** Queues the preparation of a timed operation: evicts L2 if bytes are given, and gives the host time to queue the operation. */
void queuePreparation(const std::shared_ptr<Context>& context, size_t flushBytes);

/** Queues a read of zeros. Its time gives the bandwidth of the memory. */
void queueRead(const Context& context, void* zeros, size_t bytes);

/** Queues random gathers of f64 from zeros, `count` rounded down to a multiple of 16384. Their time gives the rate of gathers. */
void queueGather(const Context& context, void* zeros, uint32_t length, uint32_t count);

}  // namespace sparlane
