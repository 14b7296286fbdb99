/**
 * Operations on vectors of the device, for solvers. Each one returns when it is queued on the context's stream, or in a recording when it
 * has joined the list of those to be queued together.
 *
 * Vectors are f32 for the dtype f32, else f64. Sums are f64, in slots on the device. The scalars of a CG step are computed from
 * slot to slot (`compute`), without a round trip. A sum's bits depend only on the vectors and their length.
 */
#pragma once
#include "plan.cuh"

namespace sparlane::blas {

/** A factor: a slot of the device times a number, or without a slot the number alone. */
struct Factor {
  const double* slot = nullptr;
  double times = 1;
};

/** slot ← xᵀ y */
void dot(Context& context, Dtype dtype, size_t n, const void* x, const void* y, double* slot);

/** y ← a x + b y. b = 0 overwrites y, NaN included; a = 0 does not hide a NaN of x. x may be y. */
void axpby(Context& context, Dtype dtype, size_t n, Factor a, const void* x, Factor b, void* y);

/** y ← d ∘ x, element by element. Either of d and x may be y. */
void multiply(Context& context, Dtype dtype, size_t n, const void* d, const void* x, void* y);

enum class Operation { add, subtract, multiply, divide, root };

/** slot ← a ∘ b; the square root uses a alone. The slot may be that of a or b. */
void compute(Context& context, Operation operation, Factor a, Factor b, double* slot);

}  // namespace sparlane::blas
