/**
 * The end of a list of vector operations: the sums of its dot products, and the scalars computed from them. Each thread block leaves its sums in
 * memory. If another list is queued next, each of its thread blocks adds them up and computes the scalars, before it starts; the first
 * block writes them to their slots. Otherwise the last block to finish does. That is also the one that adds dot products over ranks.
 *
 * A sum has the same bits either way: threads add the sums of blocks t and t + THREADS, then pairwise.
 *
 * Cost: the last block waits some 2.5 µs for what the others know, and nobody else computes meanwhile. The next list waits 0.5 µs while its elements are
 * on their way. (H200, `bench/cuda/steps.mjs`.)
 */
#pragma once
#include <cuda/atomic>

#include "device.cuh"
#include "frames.cuh"
#include "vectors/vector-program.cuh"

namespace sparlane::blas {

constexpr uint32_t THREADS = 256, WARPS = THREADS / WARP;
/** The most thread blocks of a list. */
constexpr uint32_t MAX_BLOCKS = 512;
constexpr uint32_t ALL = 0xffffffffu;
static_assert(2 * VectorProgram::MAX_RESULTS <= WARP && 2 * VectorProgram::MAX_UPDATES <= WARP);

/** In `Context::reductions`, two: a list may read those of the one before. */
struct Sums {
  double sums[VectorProgram::MAX_DOTS][MAX_BLOCKS];
  /** The factors of the results: 2 i + j is operand j of result i. */
  double operands[WARP];
  /** Thread blocks that have ended so far; 0 before and after a program. */
  unsigned count;
};
static_assert(2 * sizeof(Sums) <= Context::REDUCTION_BYTES);
static_assert(VectorProgram::MAX_DOTS * MOST_RANKS <= THREADS);

__device__ __forceinline__ double valueOf(const Factor& factor) {
  return factor.slot == nullptr ? factor.times : factor.times * __ldcg(factor.slot);
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

/** The sums over a thread block, for its first warp. @param sumOf a thread's sum by its dot product */
template <class SumOf>
__device__ __forceinline__ void addUp(uint32_t dots, double* sums, SumOf sumOf) {
  constexpr uint32_t TOGETHER = WARP / WARPS;
  __shared__ double ofWarps[(VectorProgram::MAX_DOTS + TOGETHER) * WARPS];
  const uint32_t lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  for (uint32_t dot = 0; dot < dots; dot++) {
    const double sum = sumOfGroup<WARP>(sumOf(dot));
    if (lane == 0) ofWarps[dot * WARPS + warp] = sum;
  }
  __syncthreads();
  if (warp > 0) return;
  for (uint32_t first = 0; first < dots; first += TOGETHER) {
    const uint32_t dot = first + lane / WARPS;
    const double sum = sumOfGroup<WARPS>(dot < dots ? ofWarps[first * WARPS + lane] : 0);
    if (lane % WARPS == 0 && dot < dots) sums[dot] = sum;
  }
  __syncwarp();
}

/** The sums over all thread blocks, for the first warp. */
__device__ __forceinline__ void addUpBlocks(uint32_t dots, uint32_t blocks, const Sums& from, double* sums) {
  addUp(dots, sums, [&](uint32_t dot) {
    const uint32_t other = threadIdx.x + THREADS;
    const double sum = threadIdx.x < blocks ? __ldcg(from.sums[dot] + threadIdx.x) : 0;
    return other < blocks ? sum + __ldcg(from.sums[dot] + other) : sum;
  });
}

/** A factor that a lane holds: its value, which follows its slot. */
struct Held {
  Factor factor{nullptr, 0};
  double value = 0;
  __device__ __forceinline__ void follow(const double* slot, double result) {
    if (factor.slot == slot) value = factor.times * result;
  }
};

/** In lane 2 i + j operand j of result i; 0 in the others. */
template <uint32_t LENGTH>
__device__ __forceinline__ Factor operandOf(const Ending<LENGTH>& ending) {
  const uint32_t own = threadIdx.x / 2;
  if (own >= ending.resultCount) return {nullptr, 0};
  return threadIdx.x % 2 == 0 ? ending.results[own].a : ending.results[own].b;
}

/**
 * Computes the results, in order, in each lane of the first warp. Operands were read before any result is written, so no result waits for
 * memory.
 *
 * @param use gets each slot and its result
 */
template <uint32_t LENGTH, class Use>
__device__ __forceinline__ void computeResults(const Ending<LENGTH>& ending, Held operand, const double* sums, Use use) {
  for (uint32_t i = 0; i < ending.resultCount; i++) {
    const auto& [dot, operation, a, b, slot] = ending.results[i];
    const double left = __shfl_sync(ALL, operand.value, 2 * i), right = __shfl_sync(ALL, operand.value, 2 * i + 1);
    const double result = dot == Result::NO_DOT ? compute(operation, left, right) : sums[dot];
    operand.follow(slot, result);
    use(slot, result);
  }
}

/** The factors of the updates, for all threads of the block: 2 i + j is factor j of update i. Computes the results of the list before. */
template <class Program>
__device__ __forceinline__ void prepare(const Program& program, const Sums& before, Sums& own, double* factors) {
  __shared__ double sums[VectorProgram::MAX_DOTS];
  const uint32_t lane = threadIdx.x, update = lane / 2;
  const bool isFirst = blockIdx.x == 0;
  Held factor, kept;
  if (update < program.updateCount) factor.factor = lane % 2 == 0 ? program.updates[update].a : program.updates[update].b;
  if (lane < WARP) {
    factor.value = valueOf(factor.factor);
    if (isFirst && program.isFollowed) {
      kept.factor = operandOf(program.ending);
      kept.value = valueOf(kept.factor);
    }
  }
  if (program.blocksBefore > 0) {
    Held operand;
    if (lane < WARP) operand = {operandOf(program.before), __ldcg(before.operands + lane)};
    addUpBlocks(program.before.dotCount, program.blocksBefore, before, sums);
    if (lane < WARP) {
      computeResults(program.before, operand, sums, [&](double* slot, double result) {
        factor.follow(slot, result);
        kept.follow(slot, result);
        if (isFirst && lane == 0) *slot = result;
      });
    }
  }
  if (lane < 2 * program.updateCount) factors[lane] = factor.value;
  if (isFirst && lane < WARP && program.isFollowed) own.operands[lane] = kept.value;
  __syncthreads();
}

/** Leaves the sums of the block to the next list, or to the last block of this one, which computes the results. */
template <class Program, class SumOf>
__device__ __forceinline__ void finish(const Program& program, Sums& own, SumOf sumOf) {
  __shared__ double sums[VectorProgram::MAX_DOTS];
  __shared__ bool isLast;
  const uint32_t dots = program.ending.dotCount;
  if (program.ending.resultCount == 0) return;
  addUp(dots, sums, sumOf);
  if (threadIdx.x < dots) own.sums[threadIdx.x][blockIdx.x] = sums[threadIdx.x];
  if (program.isFollowed) return;
  if (threadIdx.x < WARP) {
    __syncwarp();
    const cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(own.count);
    if (threadIdx.x == 0) isLast = count.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
  }
  __syncthreads();
  if (!isLast) return;
  addUpBlocks(dots, gridDim.x, own, sums);
  if (program.ranks != nullptr && dots > 0) sumOverRanks<VectorProgram::MAX_DOTS>(*program.ranks, dots, sums);
  if (threadIdx.x >= WARP) return;
  const Factor operand = operandOf(program.ending);
  computeResults(program.ending, Held{operand, valueOf(operand)}, sums, [&](double* slot, double result) {
    if (threadIdx.x == 0) *slot = result;
  });
  if (threadIdx.x == 0) own.count = 0;
}

}  // namespace sparlane::blas
