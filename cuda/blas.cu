/**
 * Operations on vectors of the device.
 *
 * A dot product is cut into at most MAX_PIECES pieces; the cut depends only on the length of the vectors. A thread block sums
 * each piece: each thread adds every 256th element in order, then the threads' sums are added pairwise. The last block to
 * finish adds the sums of the pieces in the same way. So it is one launch, and its bits are the same on every device.
 *
 * Bound: bytes of the vectors.
 */
#include <algorithm>

#include "blas.cuh"
#include "device.cuh"

namespace sparlane::blas {

namespace {

constexpr int THREADS = 256;

/** Elements that a thread requests before it uses the first. */
constexpr int UNROLL = 4;
constexpr size_t TURN = THREADS * UNROLL;

/** Maximum pieces of a dot product: about one wave of thread blocks, and no more sums than a thread block adds at once. */
constexpr size_t MAX_PIECES = TURN;

/** Minimum number of elements of a piece. */
constexpr size_t MIN_PIECE = 4 * TURN;

/** `Context::reductions` */
struct Pieces {
  double sums[MAX_PIECES];
  /** Number of sums written so far; 0 before and after a product. */
  unsigned count;
};
static_assert(sizeof(Pieces) <= Context::REDUCTION_BYTES);

__device__ __forceinline__ double valueOf(const Factor& factor) {
  return factor.slot == nullptr ? factor.times : factor.times * *factor.slot;
}

/** The sum over a thread block, in its first thread. */
__device__ __forceinline__ double sumOfBlock(double sum) {
  __shared__ double sums[THREADS / WARP];
  sum = sumOfGroup<WARP>(sum);
  __syncthreads();
  if (threadIdx.x % WARP == 0) sums[threadIdx.x / WARP] = sum;
  __syncthreads();
  sum = threadIdx.x < THREADS / WARP ? sums[threadIdx.x] : 0;
  return sumOfGroup<THREADS / WARP>(sum);
}

template <class X>
__global__ void __launch_bounds__(THREADS)
    dotPieces(size_t n, size_t piece, const X* x, const X* y, Pieces* pieces, double* slot) {
  const size_t end = min(n, (blockIdx.x + size_t{1}) * piece);
  double sum = 0;
  for (size_t begin = blockIdx.x * piece; begin < end; begin += TURN) {
    X xs[UNROLL], ys[UNROLL];
#pragma unroll
    for (int i = 0; i < UNROLL; i++) {
      const size_t k = begin + i * THREADS + threadIdx.x;
      xs[i] = k < end ? x[k] : X{0};
      ys[i] = k < end ? y[k] : X{0};
    }
#pragma unroll
    for (int i = 0; i < UNROLL; i++) sum += static_cast<double>(xs[i]) * static_cast<double>(ys[i]);
  }
  sum = sumOfBlock(sum);
  __shared__ bool isLast;
  if (threadIdx.x == 0) {
    pieces->sums[blockIdx.x] = sum;
    // The sum reaches memory before the count. The last block wraps the count to 0.
    __threadfence();
    isLast = atomicInc(&pieces->count, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!isLast) return;
  __threadfence();
  sum = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += THREADS) sum += __ldcg(pieces->sums + i);
  sum = sumOfBlock(sum);
  if (threadIdx.x == 0) *slot = sum;
}

/** x and y may be the same vector. */
template <class X>
__global__ void __launch_bounds__(THREADS) combine(size_t n, Factor factorA, const X* x, Factor factorB, X* y) {
  const X a = static_cast<X>(valueOf(factorA));
  const X b = static_cast<X>(valueOf(factorB));
  const size_t first = blockIdx.x * TURN + threadIdx.x;
  X xs[UNROLL], ys[UNROLL];
#pragma unroll
  for (int i = 0; i < UNROLL; i++) {
    const size_t k = first + i * THREADS;
    xs[i] = k < n ? x[k] : X{0};
    ys[i] = k < n && b != X{0} ? y[k] : X{0};
  }
#pragma unroll
  for (int i = 0; i < UNROLL; i++) {
    const size_t k = first + i * THREADS;
    if (k < n) y[k] = b == X{0} ? a * xs[i] : a * xs[i] + b * ys[i];
  }
}

/** Either of d and x may be y. */
template <class X>
__global__ void __launch_bounds__(THREADS) multiplyElements(size_t n, const X* d, const X* x, X* y) {
  const size_t first = blockIdx.x * TURN + threadIdx.x;
  X ds[UNROLL], xs[UNROLL];
#pragma unroll
  for (int i = 0; i < UNROLL; i++) {
    const size_t k = first + i * THREADS;
    ds[i] = k < n ? d[k] : X{0};
    xs[i] = k < n ? x[k] : X{0};
  }
#pragma unroll
  for (int i = 0; i < UNROLL; i++) {
    const size_t k = first + i * THREADS;
    if (k < n) y[k] = ds[i] * xs[i];
  }
}

__global__ void computeSlot(Operation operation, Factor factorA, Factor factorB, double* slot) {
  const double a = valueOf(factorA);
  const double b = valueOf(factorB);
  switch (operation) {
    case Operation::add: *slot = a + b; break;
    case Operation::subtract: *slot = a - b; break;
    case Operation::multiply: *slot = a * b; break;
    case Operation::divide: *slot = a / b; break;
    case Operation::root: *slot = sqrt(a); break;
  }
}

/** Calls `use` with a null pointer of the vectors' type. */
template <class Use>
void withVectors(Dtype dtype, Use&& use) {
  if (dtype == Dtype::f32) use(static_cast<float*>(nullptr));
  else use(static_cast<double*>(nullptr));
}

}  // namespace

void dot(Context& context, Dtype dtype, size_t n, const void* x, const void* y, double* slot) {
  const size_t piece = std::max(MIN_PIECE, divideUp(divideUp(n, MAX_PIECES), TURN) * TURN);
  const uint32_t blocks = std::max(1u, divideUp(n, piece));
  Pieces* const pieces = static_cast<Pieces*>(context.reductions());
  withVectors(dtype, [&]<class X>(X*) {
    dotPieces<<<blocks, THREADS, 0, context.stream>>>(n, piece, static_cast<const X*>(x), static_cast<const X*>(y), pieces, slot);
  });
  CHECK_LAUNCH("dotPieces");
}

void axpby(Context& context, Dtype dtype, size_t n, Factor a, const void* x, Factor b, void* y) {
  if (n == 0) return;
  withVectors(dtype, [&]<class X>(X*) {
    combine<<<divideUp(n, TURN), THREADS, 0, context.stream>>>(n, a, static_cast<const X*>(x), b, static_cast<X*>(y));
  });
  CHECK_LAUNCH("combine");
}

void multiply(Context& context, Dtype dtype, size_t n, const void* d, const void* x, void* y) {
  if (n == 0) return;
  withVectors(dtype, [&]<class X>(X*) {
    multiplyElements<<<divideUp(n, TURN), THREADS, 0, context.stream>>>(n, static_cast<const X*>(d), static_cast<const X*>(x),
                                                                        static_cast<X*>(y));
  });
  CHECK_LAUNCH("multiplyElements");
}

void compute(Context& context, Operation operation, Factor a, Factor b, double* slot) {
  computeSlot<<<1, 1, 0, context.stream>>>(operation, a, b, slot);
  CHECK_LAUNCH("computeSlot");
}

}  // namespace sparlane::blas
