/**
 * Elements of vectors: real numbers as they are, and complex ones as pairs (re, im). A kernel that is written in these terms computes with both.
 *
 *     X            an element of x and y                        Number<X>, of sums    Scalar<X>, of α and β
 *     T            a real number, f64 or f32                    T                     T
 *     Complex<T>   a complex number                             Complex<T>            T
 *     Part<T>      the real or the imaginary part of one, in    Complex<T>            T
 *                  blocks of vectors: they have a row for each
 *
 * A complex number is read and written at once: 16 bytes in f64.
 */
#pragma once
#include <cuda_runtime.h>

#include <type_traits>

namespace sparlane {

/** Functions on pairs are in this namespace, where their arguments find them. In `sparlane` they would hide CUDA's functions of the same name. */
namespace pairs {

template <class T>
struct alignas(2 * sizeof(T)) Complex {
  T re, im;

  __device__ __forceinline__ Complex& operator+=(const Complex& other) {
    re += other.re;
    im += other.im;
    return *this;
  }
  __device__ __forceinline__ Complex& operator*=(T factor) {
    re *= factor;
    im *= factor;
    return *this;
  }
  __device__ __forceinline__ Complex& operator*=(const Complex& other) {
    *this = {re * other.re - im * other.im, re * other.im + im * other.re};
    return *this;
  }
};

template <class T>
struct Part {
  T value;
};

template <class T>
__device__ __forceinline__ Complex<T> operator+(Complex<T> a, const Complex<T>& b) {
  return a += b;
}

template <class T>
__device__ __forceinline__ Complex<T> operator*(T factor, Complex<T> a) {
  return a *= factor;
}

template <class T>
__device__ __forceinline__ Complex<T> operator*(Complex<T> a, const Complex<T>& b) {
  return a *= b;
}

/** sum ← sum + a x, in four fused operations. */
template <class T>
__device__ __forceinline__ void addProduct(Complex<T>& sum, const Complex<T>& a, const Complex<T>& x) {
  sum.re += a.re * x.re;
  sum.re -= a.im * x.im;
  sum.im += a.re * x.im;
  sum.im += a.im * x.re;
}

template <class T>
using Vector2 = std::conditional_t<sizeof(T) == 8, double2, float2>;

template <class T>
__device__ __forceinline__ Complex<T> __ldg(const Complex<T>* place) {
  const auto two = ::__ldg(reinterpret_cast<const Vector2<T>*>(place));
  return {two.x, two.y};
}

template <class T>
__device__ __forceinline__ Complex<T> __ldcs(const Complex<T>* place) {
  const auto two = ::__ldcs(reinterpret_cast<const Vector2<T>*>(place));
  return {two.x, two.y};
}

/** Two neighbouring numbers. */
template <class T>
struct alignas(4 * sizeof(T)) Couple {
  Complex<T> x, y;
};

__device__ __forceinline__ Couple<float> __ldcs(const Couple<float>* place) {
  const float4 four = ::__ldcs(reinterpret_cast<const float4*>(place));
  return {{four.x, four.y}, {four.z, four.w}};
}

template <class T>
__device__ __forceinline__ Complex<T> __shfl_sync(unsigned lanes, const Complex<T>& a, int lane) {
  return {::__shfl_sync(lanes, a.re, lane), ::__shfl_sync(lanes, a.im, lane)};
}

template <class T>
__device__ __forceinline__ Complex<T> __shfl_up_sync(unsigned lanes, const Complex<T>& a, unsigned step) {
  return {::__shfl_up_sync(lanes, a.re, step), ::__shfl_up_sync(lanes, a.im, step)};
}

template <class T>
__device__ __forceinline__ Complex<T> __shfl_down_sync(unsigned lanes, const Complex<T>& a, unsigned step, int width = 32) {
  return {::__shfl_down_sync(lanes, a.re, step, width), ::__shfl_down_sync(lanes, a.im, step, width)};
}

}  // namespace pairs

using pairs::Complex;
using pairs::Part;

/** sum ← sum + a x, for a real a. */
template <class X, class A>
requires std::is_floating_point_v<A> __device__ __forceinline__ void addProduct(X& sum, A a, const X& x) { sum += a * x; }

template <class X>
struct Element {
  using Number = X;
  using Scalar = X;
  static constexpr bool IS_COMPLEX = false;
};

template <class T>
struct Element<Complex<T>> {
  using Number = Complex<T>;
  using Scalar = T;
  static constexpr bool IS_COMPLEX = true;
};

template <class T>
struct Element<Part<T>> : Element<Complex<T>> {};

/** Two numbers X side by side, which are read and written at once. */
template <class X>
struct Neighbours {
  using Type = pairs::Vector2<X>;
};

template <class T>
struct Neighbours<Complex<T>> {
  using Type = pairs::Couple<T>;
};

template <class X>
using Two = typename Neighbours<X>::Type;

template <class X>
using Number = typename Element<X>::Number;
template <class X>
using Scalar = typename Element<X>::Scalar;
template <class X>
constexpr bool IS_COMPLEX = Element<X>::IS_COMPLEX;
/** Whether an element of x is a whole complex number: x is a single vector. */
template <class X>
constexpr bool IS_PAIR = IS_COMPLEX<X>&& std::is_same_v<X, Number<X>>;

}  // namespace sparlane
