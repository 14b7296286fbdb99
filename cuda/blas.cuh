/**
 * What solvers stand on beside products: operations on vectors of the device. Each one queues on the context's stream, and returns.
 *
 * Vectors are f32 where the dtype is, else f64. Sums are f64, in slots on the device: what a step of CG needs goes from slot to
 * slot (`compute`), without a round trip. A sum's bits depend on the vectors and their length, nothing else.
 */
#pragma once
#include "plan.cuh"

namespace sparlane::blas {

/** A factor: a slot of the device, or where there is none a number. */
struct Scalar {
  const double* device = nullptr;
  double value = 0;
  bool negate = false;
};

/** slot ← x · y */
void dot(Context& context, Dtype dtype, size_t n, const void* x, const void* y, double* slot);

/** slot ← x · x: the norm is its root, which `compute` takes. */
void squaredNorm(Context& context, Dtype dtype, size_t n, const void* x, double* slot);

/** y ← a x + b y. b = 0 overwrites y, NaN included; a = 0 does not hide a NaN of x. x may be y. */
void axpby(Context& context, Dtype dtype, size_t n, Scalar a, const void* x, Scalar b, void* y);

/** y ← a x + y */
void axpy(Context& context, Dtype dtype, size_t n, Scalar a, const void* x, void* y);

/** x ← a x */
void scale(Context& context, Dtype dtype, size_t n, Scalar a, void* x);

/** y ← x */
void copy(Context& context, Dtype dtype, size_t n, const void* x, void* y);

enum class Operation { add, subtract, multiply, divide, root };

/** slot ← a ∘ b; of a alone where it is a root. The slot may be that of a or b. */
void compute(Context& context, Operation operation, Scalar a, Scalar b, double* slot);

}  // namespace sparlane::blas
