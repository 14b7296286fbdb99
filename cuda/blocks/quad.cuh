/**
 * Four neighbouring elements of an array, read as 16 bytes at a time: fewer instructions, and more bytes in flight per
 * instruction.
 */
#pragma once
#include "device.cuh"

namespace sparlane {

constexpr uint32_t QUAD = 4;

/** Four neighbours; the index of the first is a multiple of four. */
template <class T>
struct Quad {
  T at[QUAD] = {};
};

__device__ __forceinline__ Quad<uint32_t> quad(const uint32_t* place) {
  const uint4 four = stream(reinterpret_cast<const uint4*>(place));
  return {{four.x, four.y, four.z, four.w}};
}

__device__ __forceinline__ Quad<float> quad(const float* place) {
  const float4 four = stream(reinterpret_cast<const float4*>(place));
  return {{four.x, four.y, four.z, four.w}};
}

__device__ __forceinline__ Quad<double> quad(const double* place) {
  const double2 low = stream(reinterpret_cast<const double2*>(place));
  const double2 high = stream(reinterpret_cast<const double2*>(place) + 1);
  return {{low.x, low.y, high.x, high.y}};
}

__device__ __forceinline__ Quad<uint8_t> quad(const uint8_t* place) {
  const uchar4 four = stream(reinterpret_cast<const uchar4*>(place));
  return {{four.x, four.y, four.z, four.w}};
}

template <class T>
__device__ __forceinline__ Quad<Complex<T>> quad(const Complex<T>* place) {
  return {{stream(place), stream(place + 1), stream(place + 2), stream(place + 3)}};
}

/** Four values as they are stored; `at(j)` is one in the type of the sums. */
template <class V, class X>
struct ValueQuad {
  Quad<V> stored;
  __device__ __forceinline__ void read(const Values<V, X>& values, uint32_t k) { stored = quad(values.values + k); }
  __device__ __forceinline__ Number<X> at(const Values<V, X>& values, int j) const { return values.decode(stored.at[j]); }
};

template <class X>
struct ValueQuad<Coded, X> {
  Quad<uint8_t> stored;
  __device__ __forceinline__ void read(const Values<Coded, X>& values, uint32_t k) { stored = quad(values.values + k); }
  __device__ __forceinline__ X at(const Values<Coded, X>& values, int j) const { return __ldg(values.table + stored.at[j]); }
};

template <class X>
struct ValueQuad<Ones, X> {
  __device__ __forceinline__ void read(const Values<Ones, X>&, uint32_t) {}
  __device__ __forceinline__ X at(const Values<Ones, X>&, int) const { return X{1}; }
};

}  // namespace sparlane
