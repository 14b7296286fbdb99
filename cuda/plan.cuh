/**
 * What every kernel file of this folder stands on: the device, its memory, and the plan of a product.
 *
 * A format's arrays and its header block lie in the shared heap, where `src/formats/X.ts` laid them; the header's words are the
 * ABI, the same one that the WebAssembly kernels read (`assembly/X.ts`). A plan reads the header once, copies the arrays to the device as they
 * are, inspects them if it must, and then runs any number of products. Host code here throws `Failure`; the C interface
 * (`sparlane.h`) catches it, so no exception leaves this folder's objects.
 */
#pragma once
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sparlane {

/** Code and message become those of a `SparlaneError`. */
struct Failure {
  const char* code;
  std::string message;
};

[[noreturn]] void failCall(const char* call, cudaError_t error);

/** Throws what a CUDA call returns, with the call's name. */
#define CUDA_CHECK(call)                                                                               \
  do {                                                                                                 \
    if (const cudaError_t error_ = (call); error_ != cudaSuccess) ::sparlane::failCall(#call, error_); \
  } while (0)

/** After a launch: what it returned, by the kernel's name. */
#define CHECK_LAUNCH(kernel)                                                                                        \
  do {                                                                                                              \
    if (const cudaError_t error_ = cudaGetLastError(); error_ != cudaSuccess) ::sparlane::failCall(kernel, error_); \
  } while (0)

enum class Dtype { f64, f32, mixed };

template <class T>
class DeviceArray;

/** What is recorded instead of run: it keeps what it will use alive. */
using Recorded = std::vector<std::shared_ptr<const void>>;

/** A device, the stream that everything of one engine is queued on, and where its memory comes from. */
class Context {
 public:
  explicit Context(int device);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /** Makes the device the calling thread's. */
  void enter() const;
  /** Lets kernels of another device reach this one's memory; whether they can. */
  bool share(const Context& other);
  /** What is queued here from now on comes after what is queued there. */
  void waitFor(const Context& other);
  /** Of the context's own pool. @throws Failure `heap` where the device is full: everything made before stays usable. */
  void* allocate(size_t bytes);
  void release(void* pointer) noexcept;
  /** What is queued from here on is recorded: only what computes on this device. */
  void beginRecording();
  /** What was recorded, and what it uses. @throws Failure `backend` where something was queued that cannot be recorded */
  std::pair<cudaGraphExec_t, Recorded> endRecording();
  /** While something is recorded, it must not go away before that does. */
  void keep(std::shared_ptr<const void> object) {
    if (isRecording_) recorded_.push_back(std::move(object));
  }
  /** @throws Failure `argument` while something is recorded */
  void refuseRecording(const char* what) const;
  /** Where reductions keep the sums of their thread blocks (`blas.cu`), one at a time in the stream's order. Zeros at first. */
  void* reductions() {
    if (reductions_ == nullptr) {
      reductions_ = allocate(REDUCTION_BYTES);
      CUDA_CHECK(cudaMemsetAsync(reductions_, 0, REDUCTION_BYTES, stream));
    }
    return reductions_;
  }
  static constexpr size_t REDUCTION_BYTES = 16 << 10;

  int device;
  cudaEvent_t reached = nullptr;
  /** Begin and end of what is timed. */
  cudaEvent_t marks[2] = {};
  cudaStream_t stream = nullptr;
  cudaMemPool_t pool = nullptr;
  cudaDeviceProp properties{};
  /** What stages of a matrix share (`Request::sharedRoom`), by the place in the heap that it stands for. */
  std::map<uint32_t, std::weak_ptr<DeviceArray<std::byte>>> sharedRooms;

 private:
  /** Other devices that may reach this one's memory. */
  std::vector<int> shared_;
  void* reductions_ = nullptr;
  bool isRecording_ = false;
  Recorded recorded_;
  /** Memory released while something was recorded: it is freed when that has ended. */
  std::vector<void*> released_;
};

/** Memory of the device, as long as it lives. Move only. */
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  DeviceArray(std::shared_ptr<Context> context, size_t length)
      : context_(std::move(context)), length_(length), data_(static_cast<T*>(context_->allocate(length * sizeof(T)))) {}
  DeviceArray(DeviceArray&& other) noexcept { *this = std::move(other); }
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(length_, other.length_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~DeviceArray() {
    if (data_ != nullptr) context_->release(data_);
  }
  T* data() const { return data_; }
  size_t length() const { return length_; }
  size_t bytes() const { return length_ * sizeof(T); }

 private:
  std::shared_ptr<Context> context_;
  size_t length_ = 0;
  T* data_ = nullptr;
};

/** The shared heap as the host sees it. Offsets are those of the headers: bytes from its begin. */
class Heap {
 public:
  Heap(const uint8_t* base, size_t bytes) : base_(base), bytes_(bytes) {}
  /** `length` elements at a byte offset. @throws Failure where they are not all inside. */
  template <class T>
  std::span<const T> at(uint32_t offset, size_t length) const {
    check(offset, length * sizeof(T));
    return {reinterpret_cast<const T*>(base_ + offset), length};
  }
  template <class T>
  const T& header(uint32_t offset) const {
    return at<T>(offset, 1).front();
  }

 private:
  void check(uint32_t offset, size_t bytes) const;
  const uint8_t* base_;
  size_t bytes_;
};

/** Pins memory of the host, so that copies from and to it are fast and asynchronous; what is pinned already stays so. */
void pin(const void* base, size_t bytes);
/** Must be called before memory that was pinned goes away. */
void unpin(const void* base, size_t bytes);

/** Queues a copy between host and device. */
void queueCopy(void* target, const void* source, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream);

/** Queues y[order[i]] ← x[i] for elements of 4 or 8 bytes. */
void queueScatter(const Context& context, void* y, const void* x, const uint32_t* order, size_t length, uint32_t width);

/** Queues what comes before something is timed: nothing of it in L2 where bytes are given, and time for the host to queue it. */
void queuePreparation(const std::shared_ptr<Context>& context, size_t flushBytes);

/** Queues a read of zeros: what its time gives is the speed of the memory. */
void queueRead(const Context& context, void* zeros, size_t bytes);

/** Queues so many gathers of f64 at random from zeros, as many as whole blocks of 16384 make: what their time gives is the rate of gathers. */
void queueGather(const Context& context, void* zeros, uint32_t length, uint32_t count);

/** What one stage of a product runs: y ← α A x + β y, or its share of it. Queues, and returns. */
class Plan {
 public:
  virtual ~Plan() = default;
  /** β = 0 overwrites y, NaN included; α = 0 does not hide a NaN of A or x. */
  virtual void run(cudaStream_t stream, const void* x, void* y, double alpha, double beta) = 0;
  /** Of device memory: the arrays, and what the inspection added. */
  size_t bytes = 0;
  /** The method that was chosen, with its parameters: `vector?width=8`. */
  std::string method;
};

/** What a plan is made of. */
struct Request {
  std::shared_ptr<Context> context;
  Heap heap;
  /** Of the stage, in the heap. */
  uint32_t header;
  Dtype dtype;
  /** Empty: the one expected to be fastest. Else a name with parameters, `vector?width=8`. */
  std::string_view method;

  /** Copies an array of the heap to the device, counted in `plan.bytes`. Offset 0 is no array: nothing is copied. */
  template <class T>
  DeviceArray<T> upload(Plan& plan, uint32_t offset, size_t length) const {
    if (offset == 0) return {};
    return upload(plan, heap.at<T>(offset, length));
  }
  /** Copies what the inspector made. */
  template <class T>
  DeviceArray<std::remove_const_t<T>> upload(Plan& plan, std::span<T> source) const {
    DeviceArray<std::remove_const_t<T>> array(context, source.size());
    copy(array.data(), source.data(), source.size_bytes());
    plan.bytes += array.bytes();
    return array;
  }
  /** Room on the device, counted in `plan.bytes`. */
  template <class T>
  DeviceArray<T> room(Plan& plan, size_t length) const {
    plan.bytes += length * sizeof(T);
    return {context, length};
  }
  /** Room that stages of one matrix share, by its place in the heap. Whoever asks first makes it, and counts it. */
  template <class T>
  std::shared_ptr<T> sharedRoom(Plan& plan, uint32_t offset, size_t length) const {
    auto& known = context->sharedRooms[offset];
    auto array = known.lock();
    if (array == nullptr || array->length() != length * sizeof(T)) {
      array = std::make_shared<DeviceArray<std::byte>>(room<std::byte>(plan, length * sizeof(T)));
      known = array;
    }
    return {array, reinterpret_cast<T*>(array->data())};
  }

 private:
  void copy(void* target, const void* source, size_t bytes) const;
};

/** `name?key=number&…` of a method. @throws Failure `argument` for what is no method or parameter of the kernel's. */
class Method {
 public:
  /** `known`: names, each with its parameters: `"scalar"`, `"vector?width"`. The first one is taken where none is named. */
  Method(std::string_view text, std::span<const std::string_view> known);
  const std::string& name() const { return name_; }
  /** A parameter, or what it is where none is given. @throws Failure `argument` out of [min, max] */
  int get(std::string_view key, int byDefault, int min, int max) const;

 private:
  std::string name_;
  std::vector<std::pair<std::string, int>> given_;
};

using MakePlan = std::unique_ptr<Plan> (*)(const Request&);

/** A kernel of the ABI by the name of its stage, without what the header says of values and columns (`_table`, `16`). */
struct KernelEntry {
  std::string_view name;
  MakePlan make;
  /** Its methods, with their parameters; the first is the one expected to be fastest in general. */
  std::span<const std::string_view> methods;
  /** Names of those that add atomically, so that the bits of y depend on who comes first. */
  std::span<const std::string_view> atomic{};
};

/** All of them (`registry.cu`). */
std::span<const KernelEntry> kernels();

/** What makes the plans of a stage's kernel, whatever its name says of values and columns. @throws Failure `kernel` where there is none */
MakePlan makerOf(std::string_view kernel);

template <class V, class X>
struct Types {
  using Stored = V;
  using Sum = X;
};

/** How values are stored beside in full: codes into a table of at most 256, or not at all since every one is 1. */
struct Coded {};
struct Ones {};

/** Calls `use(Types<V, X>{})` for a dtype: V as stored, X of x, y and sums. */
template <class Use>
decltype(auto) withTypes(Dtype dtype, Use&& use) {
  switch (dtype) {
    case Dtype::f64: return use(Types<double, double>{});
    case Dtype::f32: return use(Types<float, float>{});
    default: return use(Types<float, double>{});
  }
}

/** The same for formats whose values may be coded or left out, as the header says by `values` and `table`. */
template <class Use>
decltype(auto) withValues(Dtype dtype, uint32_t values, uint32_t table, Use&& use) {
  const bool single = dtype == Dtype::f32;
  if (values == 0) return single ? use(Types<Ones, float>{}) : use(Types<Ones, double>{});
  if (table != 0) return single ? use(Types<Coded, float>{}) : use(Types<Coded, double>{});
  return withTypes(dtype, std::forward<Use>(use));
}

/** Threads of a warp. */
constexpr int WARP = 32;

constexpr uint32_t divideUp(uint64_t a, uint64_t b) { return static_cast<uint32_t>((a + b - 1) / b); }

}  // namespace sparlane
