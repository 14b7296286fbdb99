/** Common to all kernels: reading entries, reducing sums, writing y. */
#pragma once
#include "numbers.cuh"
#include "plan.cuh"

namespace sparlane {

/** Blocks of 256 threads on a multiprocessor for which registers are allocated: `wanted`, but Turing has room for 1,024 threads. */
constexpr int residentBlocks(int wanted) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
  return wanted < 4 ? wanted : 4;
#else
  return wanted;
#endif
}

/** Reads data that is used once without caching it in L1, which is left to x. */
template <class T>
__device__ __forceinline__ T stream(const T* pointer) {
  return __ldcs(pointer);
}

/**
 * `streamIf` and `fetchIf`: the pointer's target if `isThere`, else 0; without L1, or through the read-only path. A condition in C++
 * would make each load a branch, with its address computation inside, and increase the instructions of a simple kernel by half.
 */
#define LOAD_IF(name, how)                                                                                         \
  __device__ __forceinline__ double name(bool isThere, const double* pointer) {                                    \
    double value;                                                                                                  \
    asm("{.reg .pred p; setp.ne.u32 p, %2, 0; mov.f64 %0, 0d0000000000000000; @p ld.global." how ".f64 %0, [%1];}" \
        : "=d"(value)                                                                                              \
        : "l"(pointer), "r"(static_cast<uint32_t>(isThere)));                                                      \
    return value;                                                                                                  \
  }                                                                                                                \
  __device__ __forceinline__ float name(bool isThere, const float* pointer) {                                      \
    float value;                                                                                                   \
    asm("{.reg .pred p; setp.ne.u32 p, %2, 0; mov.f32 %0, 0f00000000; @p ld.global." how ".f32 %0, [%1];}"         \
        : "=f"(value)                                                                                              \
        : "l"(pointer), "r"(static_cast<uint32_t>(isThere)));                                                      \
    return value;                                                                                                  \
  }                                                                                                                \
  __device__ __forceinline__ uint32_t name(bool isThere, const uint32_t* pointer) {                                \
    uint32_t value;                                                                                                \
    asm("{.reg .pred p; setp.ne.u32 p, %2, 0; mov.u32 %0, 0; @p ld.global." how ".u32 %0, [%1];}"                  \
        : "=r"(value)                                                                                              \
        : "l"(pointer), "r"(static_cast<uint32_t>(isThere)));                                                      \
    return value;                                                                                                  \
  }
LOAD_IF(streamIf, "cs")
LOAD_IF(fetchIf, "nc")
#undef LOAD_IF

/**
 * The values of a matrix as a kernel reads them: `at(k)` is entry k in the type of the sums. In two steps, for kernels that read a batch
 * before they use it: `read(k)` as stored, then `decode` of the result. `readShared(k)`: the same where other lanes read its neighbours a
 * little later, so that L1 keeps them. `from(k)`: the values from entry k on; with a constant offset
 * an address is an immediate, and ptxas keeps the loads of a batch together.
 */
template <class V, class X>
struct Values {
  using Stored = V;
  const V* values;
  __device__ __forceinline__ V read(uint32_t k) const { return stream(values + k); }
  __device__ __forceinline__ V readShared(uint32_t k) const { return __ldg(values + k); }
  __device__ __forceinline__ X decode(V stored) const { return static_cast<X>(stored); }
  __device__ __forceinline__ X at(uint32_t k) const { return decode(read(k)); }
  __device__ __forceinline__ Values from(size_t k) const { return {values + k}; }
};

template <class X>
struct Values<Coded, X> {
  using Stored = uint8_t;
  const uint8_t* values;
  const X* table;
  __device__ __forceinline__ uint8_t read(uint32_t k) const { return stream(values + k); }
  __device__ __forceinline__ uint8_t readShared(uint32_t k) const { return __ldg(values + k); }
  __device__ __forceinline__ X decode(uint8_t stored) const { return __ldg(table + stored); }
  __device__ __forceinline__ X at(uint32_t k) const { return decode(read(k)); }
  __device__ __forceinline__ Values from(size_t k) const { return {values + k, table}; }
};

template <class X>
struct Values<Ones, X> {
  using Stored = Ones;
  __device__ __forceinline__ Ones read(uint32_t) const { return {}; }
  __device__ __forceinline__ Ones readShared(uint32_t) const { return {}; }
  __device__ __forceinline__ X decode(Ones) const { return X{1}; }
  __device__ __forceinline__ X at(uint32_t) const { return X{1}; }
  __device__ __forceinline__ Values from(size_t) const { return {}; }
};

/** Pairs (re, im) as they are stored. The number is (re, sign · im): that of the matrix, or its conjugate. */
template <class T, class X>
struct Values<Complex<T>, X> {
  using Stored = Complex<T>;
  const Complex<T>* values;
  Scalar<X> sign;
  __device__ __forceinline__ Stored read(uint32_t k) const { return stream(values + k); }
  __device__ __forceinline__ Stored readShared(uint32_t k) const { return __ldg(values + k); }
  __device__ __forceinline__ Number<X> decode(Stored stored) const {
    return {static_cast<Scalar<X>>(stored.re), sign * static_cast<Scalar<X>>(stored.im)};
  }
  __device__ __forceinline__ Number<X> at(uint32_t k) const { return decode(read(k)); }
  __device__ __forceinline__ Values from(size_t k) const { return {values + k, sign}; }
};

/** The values on the device, uploaded from a header's `values` and `table`. */
template <class V, class X>
struct StoredValues {
  DeviceArray<V> values;
  StoredValues(const Request& request, Plan& plan, uint32_t values, uint32_t, size_t length)
      : values(request.share<V>(plan, values, length)) {}
  Values<V, X> view() const { return {values.data()}; }
};

/** Codes are bytes: a table always has 256 places, used or not. */
constexpr size_t TABLE_LENGTH = 256;

template <class X>
struct StoredValues<Coded, X> {
  DeviceArray<uint8_t> values;
  DeviceArray<X> table;
  StoredValues(const Request& request, Plan& plan, uint32_t values, uint32_t table, size_t length)
      : values(request.share<uint8_t>(plan, values, length)), table(request.upload<X>(plan, table, TABLE_LENGTH)) {}
  Values<Coded, X> view() const { return {values.data(), table.data()}; }
};

template <class X>
struct StoredValues<Ones, X> {
  StoredValues(const Request&, Plan&, uint32_t, uint32_t, size_t) {}
  Values<Ones, X> view() const { return {}; }
};

/** The pairs of a complex matrix, whose layout has no values of its own. */
template <class T, class X>
struct StoredValues<Complex<T>, X> {
  DeviceArray<Complex<T>> values;
  Scalar<X> sign;
  StoredValues(const Request& request, Plan& plan, uint32_t, uint32_t, size_t length)
      : StoredValues(request, plan, request.heap.header<ComplexHeader>(request.header), length) {}
  Values<Complex<T>, X> view() const { return {values.data(), sign}; }

 private:
  StoredValues(const Request& request, Plan& plan, const ComplexHeader& header, size_t length)
      : values(request.share<Complex<T>>(plan, header.values, length)), sign(header.conjugate ? -1 : 1) {}
};

/** y ← α sum + β y, for one element. β = 0 does not read y. */
template <class X>
__device__ __forceinline__ void put(X* y, X sum, Scalar<X> alpha, Scalar<X> beta) {
  *y = beta == Scalar<X>{0} ? alpha * sum : alpha * sum + beta * *y;
}

/** The sum over each group of WIDTH neighbouring lanes, in its first lane. All lanes of the warp must call this. */
template <int WIDTH, class X>
__device__ __forceinline__ X sumOfGroup(X sum) {
#pragma unroll
  for (int step = WIDTH / 2; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step, WIDTH);
  return sum;
}

/** The same for groups of `lanes`, a power of 2. */
template <class X>
__device__ __forceinline__ X sumOfGroup(X sum, uint32_t lanes) {
  for (uint32_t step = lanes / 2; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step, lanes);
  return sum;
}

/**
 * In each lane, the sum over its run of lanes up to itself. Bit i of `starts` (the same in all lanes): a run begins in lane i. Lane 0
 * always begins one. The number of steps depends on the longest run. All lanes of the warp must call this.
 */
template <class X>
__device__ __forceinline__ X sumOfRun(X sum, uint32_t starts) {
  const uint32_t lane = threadIdx.x % WARP;
  // Bit i: of the lanes i − step + 1 … i none begins a run.
  uint32_t inside = ~(starts | 1);
#pragma unroll
  for (int step = 1; step < WARP; step *= 2) {
    if (inside == 0) break;
    const X left = __shfl_up_sync(0xffffffffu, sum, step);
    if (inside >> lane & 1) sum += left;
    inside &= inside << step;
  }
  return sum;
}

}  // namespace sparlane
