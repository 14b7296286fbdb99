/**
 * Common to every kernel file of this folder: the plan of a product.
 *
 * `src/formats/X/X.ts` has stored a format's arrays and its header block in the shared heap. The header's words are the ABI, which
 * the WebAssembly kernels read too (`assembly/X/X.ts`). A plan reads the header once, copies the arrays to the device unchanged,
 * inspects them if necessary, and then runs any number of products.
 */
#pragma once
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "context.cuh"
#include "headers.h"

namespace sparlane {

enum class Dtype { f64, f32, mixed };

/** The shared heap as the host sees it. Offsets are those of the headers: bytes from the heap's begin. */
class Heap {
 public:
  Heap(const uint8_t* base, size_t bytes) : base_(base), bytes_(bytes) {}
  /** `length` elements at a byte offset. @throws Failure if they are not all inside */
  template <class T>
  std::span<const T> at(uint32_t offset, size_t length) const {
    check(offset, length * sizeof(T));
    return {reinterpret_cast<const T*>(base_ + offset), length};
  }
  template <class T>
  const T& header(uint32_t offset) const {
    return at<T>(offset, 1).front();
  }
  /** The offset of a place in the heap; none for other memory. */
  std::optional<uint32_t> offsetOf(const void* place) const {
    const auto offset = reinterpret_cast<uintptr_t>(place) - reinterpret_cast<uintptr_t>(base_);
    return offset < bytes_ ? std::optional(static_cast<uint32_t>(offset)) : std::nullopt;
  }

 private:
  void check(uint32_t offset, size_t bytes) const;
  const uint8_t* base_;
  size_t bytes_;
};

/** A method is expected to take `ns` nanoseconds. Its name has those parameters that tell it from others. */
struct Estimate {
  std::string method;
  double ns;
};

/** The plan of one stage of a product: y ← α A x + β y, or its share of it. `run` queues, and returns. */
class Plan {
 public:
  virtual ~Plan() = default;
  /** β = 0 overwrites y, NaN included; α = 0 does not hide a NaN of A or x. */
  virtual void run(cudaStream_t stream, const void* x, void* y, double alpha, double beta) = 0;
  /** Y ← α A X + β Y likewise, by a plan for `spmm`: X and Y have `stride` elements to a row, a multiple of 16 bytes. */
  virtual void runBlocks(cudaStream_t stream, const void* x, void* y, uint32_t stride, double alpha, double beta);
  /** Bytes of device memory: the arrays, those that it shares with other plans included, and those added by the inspection. */
  size_t bytes = 0;
  /** The chosen method, with its parameters: `vector?width=8`. */
  std::string method;
  /** The method was chosen among these, the least time first; empty if it was asked for, or the kernel has no choice. */
  std::vector<Estimate> estimates;
};

/** The input of a plan. */
struct Request {
  std::shared_ptr<Context> context;
  Heap heap;
  /** Place of the stage's header in the heap. */
  uint32_t header;
  Dtype dtype;
  /** Bits of a column index: 16 or 32. Most headers say it too. */
  int columnBits;
  /** Empty for the method expected to be fastest. Otherwise a name with parameters, `vector?width=8`. */
  std::string_view method;
  /** The matrix: a number that no other matrix of the context has had; or `Context::ALONE`. */
  uint32_t matrix;
  /** Whether the inspection may take the time of thousands of products. */
  bool patient;

  /** Copies an array of the heap to the device, counted in `plan.bytes`. Offset 0 is no array: nothing is copied. */
  template <class T>
  DeviceArray<T> upload(Plan& plan, uint32_t offset, size_t length) const {
    if (offset == 0) return {};
    return upload(plan, heap.at<T>(offset, length));
  }
  /** Copies an array made by the inspector. */
  template <class T>
  DeviceArray<std::remove_const_t<T>> upload(Plan& plan, std::span<T> source) const {
    DeviceArray<std::remove_const_t<T>> array(context, source.size());
    copy(array.data(), source.data(), source.size_bytes());
    plan.bytes += array.bytes();
    return array;
  }
  /** The same as `upload` for arrays that no plan changes: an array of the heap is on the device once for all plans of the matrix. */
  template <class T>
  DeviceArray<std::remove_const_t<T>> share(Plan& plan, std::span<T> source) const {
    const auto offset = heap.offsetOf(source.data());
    if (!offset || matrix == Context::ALONE) return upload(plan, source);
    auto& shares = context->shares;
    std::erase_if(shares, [](const auto& entry) { return entry.second.expired(); });
    const std::pair key{matrix, *offset};
    for (const uint32_t owner : {matrix, Context::LENT}) {
      const auto found = shares.find({owner, *offset});
      if (found == shares.end()) continue;
      if (auto memory = found->second.lock(); memory->bytes() == source.size_bytes()) {
        plan.bytes += memory->bytes();
        shares[key] = memory;
        return {std::move(memory), source.size()};
      }
    }
    auto array = upload(plan, source);
    shares[key] = array.memory();
    return array;
  }
  template <class T>
  DeviceArray<T> share(Plan& plan, uint32_t offset, size_t length) const {
    if (offset == 0) return {};
    return share(plan, heap.at<T>(offset, length));
  }
  /** Room on the device, counted in `plan.bytes`. */
  template <class T>
  DeviceArray<T> room(Plan& plan, size_t length) const {
    plan.bytes += length * sizeof(T);
    return {context, length};
  }
  /** Memory shared by the stages of one matrix, by its place in the heap. The first request allocates and counts it. */
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

/** A method of a kernel, named as in its paper. */
struct MethodEntry {
  const char* name;
  /** The parameters that it accepts; unused places are null. */
  const char* parameters[4] = {};
  /** Whether it uses atomic adds: the bits of y may differ from run to run. */
  bool isAtomic = false;
};

/** `name?key=number&…` of a method. @throws Failure `argument` for an unknown method or parameter of the kernel */
class Method {
 public:
  /** The first one of `known` is the default. */
  Method(std::string_view text, std::span<const MethodEntry> known);
  const std::string& name() const { return name_; }
  /** A parameter, or its default. @throws Failure `argument` outside [min, max] */
  int get(std::string_view key, int byDefault, int min, int max) const;

 private:
  std::string name_;
  std::vector<std::pair<std::string, int>> given_;
};

using MakePlan = std::unique_ptr<Plan> (*)(const Request&);
struct Candidate;
using FindCandidates = std::vector<Candidate> (*)(const Request&);

/** A kernel of the ABI, for all dtypes and storages of values and columns. */
struct KernelEntry {
  const char* base;
  const char* verb;
  MakePlan make;
  /** The first is the one expected to be fastest in general. */
  std::span<const MethodEntry> methods;
  /** Finds the methods among which the kernel chooses if none is asked for, without a GPU; null if it has one for all matrices. */
  FindCandidates candidates = nullptr;
};

/** All kernels (`registry.cu`). */
std::span<const KernelEntry> kernels();

/** @throws Failure `kernel` if there is none */
const KernelEntry& kernelOf(std::string_view base, std::string_view verb);

template <class V, class X>
struct Types {
  using Stored = V;
  using Sum = X;
};

/** How values are stored if not in full: as codes into a table of at most 256, or not at all if every value is 1. */
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

/** The same for formats whose values may be coded or omitted, as stated in the header by `values` and `table`. */
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
