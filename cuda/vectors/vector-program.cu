/**
 * The kernel of `vector-program.cuh`.
 *
 * Vectors are cut into at most MAX_PIECES pieces; the cut depends only on their length. A thread block computes each piece. The sum of a
 * dot product is that of each thread's elements in order, then of the threads pairwise; the last block to finish adds those of the pieces
 * in the same way, and computes the scalars. So a list is one launch, and its sums have the same bits on every device and in every list.
 *
 * Bound: bytes of the vectors. A step of cg with jacobi on 5-point 2000² takes 220 µs instead of 237 with a kernel for each operation, on 300² 26
 * instead of 32; lists of one operation take up to 1.1 times as long as their own kernels did. (H200, f64, November 2026, `bench/cuda/steps.mjs`.)
 */
#include <cuda_pipeline.h>

#include "device.cuh"
#include "vectors/vector-program.cuh"

namespace sparlane::blas {

namespace {

constexpr int THREADS = 256;

/**
 * Elements of a vector that a thread has in shared memory at a time, and the most pieces. A step of cg with jacobi on 5-point 2000² takes 221 µs
 * with 2 and 4096, 226 to 235 with 2 and 1024, 241 with 1 and 4096; 232 with 1, 4096 and the next element on its way. (H200, f64, November 2026,
 * `bench/cuda/steps.mjs`.)
 */
constexpr int UNROLL = 2;
constexpr size_t TURN = THREADS * UNROLL;
constexpr size_t MAX_PIECES = 4096;

/** `Context::reductions` */
struct Pieces {
  double sums[VectorProgram::MAX_DOTS][MAX_PIECES];
  /** Thread blocks that have ended so far; 0 before and after a program. */
  unsigned count;
};
static_assert(sizeof(Pieces) <= Context::REDUCTION_BYTES);

__device__ __forceinline__ double valueOf(const Factor& factor) {
  return factor.slot == nullptr ? factor.times : factor.times * *factor.slot;
}

__device__ __forceinline__ double compute(Operation operation, double a, double b) {
  switch (operation) {
    case Operation::add: return a + b;
    case Operation::subtract: return a - b;
    case Operation::multiply: return a * b;
    case Operation::divide: return a / b;
    default: return sqrt(a);
  }
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

/** A program as a kernel gets it: launches of short ones need not copy room for long ones. */
template <uint32_t U, uint32_t R>
struct Steps {
  static constexpr uint32_t UPDATES = U;
  uint32_t vectorCount, updateCount, dotCount, resultCount, reads, writes;
  size_t n;
  void* vectors[VectorProgram::MAX_VECTORS];
  VectorProgram::UpdateStep updates[U];
  VectorProgram::Result results[R];

  explicit Steps(const VectorProgram& program)
      : vectorCount(program.vectorCount),
        updateCount(program.updateCount),
        dotCount(program.dotCount),
        resultCount(program.resultCount),
        reads(program.reads),
        writes(program.writes),
        n(program.n) {
    std::copy_n(program.vectors, vectorCount, vectors);
    std::copy_n(program.updates, updateCount, updates);
    std::copy_n(program.results, resultCount, results);
  }
};

/** What a thread keeps in shared memory: its sums, and UNROLL elements of each vector. */
template <class X>
struct Own {
  double* sums;
  X* elements;
  __device__ __forceinline__ double& sum(uint32_t dot) const { return sums[dot * THREADS + threadIdx.x]; }
  __device__ __forceinline__ X& element(uint32_t vector, int i) const {
    return elements[(vector * UNROLL + i) * THREADS + threadIdx.x];
  }
};

/** Requests the elements of a turn. */
template <class X, class Program>
__device__ __forceinline__ void fetch(const Program& program, const Own<X>& own, size_t first, size_t end) {
  for (uint32_t v = 0; v < program.vectorCount; v++) {
    if (!(program.reads >> v & 1)) continue;
    const X* const from = static_cast<const X*>(program.vectors[v]) + first;
#pragma unroll
    for (int i = 0; i < UNROLL; i++) {
      if (first + i * THREADS < end) __pipeline_memcpy_async(&own.element(v, i), from + i * THREADS, sizeof(X));
    }
  }
  __pipeline_commit();
}

template <class X>
__device__ __forceinline__ void update(const Own<X>& own, const VectorProgram::UpdateStep& step, X a, X b, size_t first,
                                       size_t end) {
#pragma unroll
  for (int i = 0; i < UNROLL; i++) {
    const X x = own.element(step.x, i);
    X& y = own.element(step.y, i);
    switch (step.update) {
      case Update::combine: y = b == X{0} ? a * x : a * x + b * y; break;
      case Update::multiply: y = own.element(step.d, i) * x; break;
      case Update::dot:
        if (first + i * THREADS < end) own.sum(step.d) += static_cast<double>(x) * static_cast<double>(y);
    }
  }
}

template <class X, class Program>
__device__ __forceinline__ void store(const Program& program, const Own<X>& own, size_t first, size_t end) {
  for (uint32_t v = 0; v < program.vectorCount; v++) {
    if (!(program.writes >> v & 1)) continue;
    X* const to = static_cast<X*>(program.vectors[v]) + first;
#pragma unroll
    for (int i = 0; i < UNROLL; i++) {
      if (first + i * THREADS < end) to[i * THREADS] = own.element(v, i);
    }
  }
}

/**
 * Sums of the pieces, and scalars: by one thread block, after all others. Lane 2 i + j of the first warp has operand j of result i, read before
 * any result is written and replaced by each result that it is a multiple of, so no result waits for memory.
 */
template <class Program>
__device__ void computeResults(const Program& program, const Pieces* pieces) {
  static_assert(2 * VectorProgram::MAX_RESULTS <= WARP);
  __shared__ double sums[VectorProgram::MAX_DOTS];
  const uint32_t own = threadIdx.x / 2;
  Factor operand{nullptr, 0};
  if (own < program.resultCount) operand = threadIdx.x % 2 == 0 ? program.results[own].a : program.results[own].b;
  double value = valueOf(operand);
  for (uint32_t dot = 0; dot < program.dotCount; dot++) {
    double sum = 0;
    for (unsigned piece = threadIdx.x; piece < gridDim.x; piece += THREADS) sum += __ldcg(pieces->sums[dot] + piece);
    sum = sumOfBlock(sum);
    if (threadIdx.x == 0) sums[dot] = sum;
  }
  if (threadIdx.x >= WARP) return;
  __syncwarp();
  for (uint32_t i = 0; i < program.resultCount; i++) {
    const auto& [dot, operation, a, b, slot] = program.results[i];
    const double left = __shfl_sync(0xffffffffu, value, 2 * i), right = __shfl_sync(0xffffffffu, value, 2 * i + 1);
    const double result = dot == VectorProgram::NO_DOT ? compute(operation, left, right) : sums[dot];
    if (threadIdx.x == 0) *slot = result;
    if (operand.slot == slot) value = operand.times * result;
  }
}

template <class X, class Program>
__global__ void __launch_bounds__(THREADS) runProgram(const __grid_constant__ Program program, size_t piece, Pieces* pieces) {
  __shared__ double factors[Program::UPDATES][2];
  extern __shared__ double room[];
  const Own<X> own{room, reinterpret_cast<X*>(room + program.dotCount * THREADS)};
  const size_t end = min(program.n, (blockIdx.x + size_t{1}) * piece);
  size_t first = blockIdx.x * piece + threadIdx.x;
  fetch(program, own, first, end);
  if (threadIdx.x < program.updateCount) {
    factors[threadIdx.x][0] = valueOf(program.updates[threadIdx.x].a);
    factors[threadIdx.x][1] = valueOf(program.updates[threadIdx.x].b);
  }
  for (uint32_t dot = 0; dot < program.dotCount; dot++) own.sum(dot) = 0;
  __syncthreads();
  for (; first < end; first += TURN) {
    __pipeline_wait_prior(0);
    for (uint32_t i = 0; i < program.updateCount; i++) {
      update(own, program.updates[i], static_cast<X>(factors[i][0]), static_cast<X>(factors[i][1]), first, end);
    }
    store(program, own, first, end);
    fetch(program, own, first + TURN, end);
  }
  if (program.resultCount == 0) return;
  for (uint32_t dot = 0; dot < program.dotCount; dot++) {
    const double sum = sumOfBlock(own.sum(dot));
    if (threadIdx.x == 0) pieces->sums[dot][blockIdx.x] = sum;
  }
  __shared__ bool isLast;
  if (threadIdx.x == 0) {
    // The sums reach memory before the count. The last block wraps the count to 0.
    __threadfence();
    isLast = atomicInc(&pieces->count, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!isLast) return;
  __threadfence();
  computeResults(program, pieces);
}

template <class X, class Program>
void queue(Context& context, const Program& program) {
  const size_t piece = divideUp(divideUp(program.n, MAX_PIECES), TURN) * TURN;
  const uint32_t blocks = program.n == 0 ? 1 : divideUp(program.n, piece);
  const size_t room = THREADS * (program.dotCount * sizeof(double) + program.vectorCount * UNROLL * sizeof(X));
  runProgram<X><<<blocks, THREADS, room, context.stream>>>(program, piece, static_cast<Pieces*>(context.reductions()));
  CHECK_LAUNCH("vector program");
}

template <class X>
void queueSteps(Context& context, const VectorProgram& program) {
  constexpr uint32_t FEW = 2;
  if (program.updateCount <= FEW && program.resultCount <= FEW) queue<X>(context, Steps<FEW, FEW>(program));
  else queue<X>(context, Steps<VectorProgram::MAX_UPDATES, VectorProgram::MAX_RESULTS>(program));
}

}  // namespace

void launch(Context& context, const VectorProgram& program) {
  if (program.dtype == Dtype::f32) queueSteps<float>(context, program);
  else queueSteps<double>(context, program);
}

}  // namespace sparlane::blas
