/**
 * What solvers stand on beside products: operations on vectors of the device. Each one queues on the context's stream, and returns.
 *
 * Vectors are f32 where the dtype is, else f64. Sums are f64, in slots on the device: what a step of CG needs goes from slot to
 * slot (`compute`), without a round trip. A sum's bits depend on the vectors and their length, nothing else.
 */
#pragma once
#include "plan.cuh"

namespace sparlane::blas {

/** A factor: a slot of the device times a number, or where there is no slot the number. */
struct Factor {
  const double* slot = nullptr;
  double times = 1;
};

/** slot ← xᵀ y */
void dot(Context& context, Dtype dtype, size_t n, const void* x, const void* y, double* slot);

/** y ← a x + b y. b = 0 overwrites y, NaN included; a = 0 does not hide a NaN of x. x may be y. */
void axpby(Context& context, Dtype dtype, size_t n, Factor a, const void* x, Factor b, void* y);

enum class Operation { add, subtract, multiply, divide, root };

/** slot ← a ∘ b; of a alone where it is a root. The slot may be that of a or b. */
void compute(Context& context, Operation operation, Factor a, Factor b, double* slot);

}  // namespace sparlane::blas
