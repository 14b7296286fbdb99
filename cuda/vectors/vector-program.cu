/**
 * The kernels of `vector-program.cuh`.
 *
 * Vectors are cut into at most MAX_BLOCKS pieces; the cut depends only on their length. A thread block computes each piece. The sum of a
 * dot product is that of each thread's elements in order, then of the threads pairwise, then of the pieces (`ending.cuh`). So a list is one launch, and its
 * sums have the same bits on every device and in every list.
 *
 * Bound: bytes of the vectors, from some 10⁶ elements on; below, the launch and the waits for memory. A step of cg with jacobi on 5-point 2000² takes 195 µs, its
 * bytes 192 at the bandwidth of a stream; on 1000² 54 and 48, on 300² 15 and 4. (H200, f64, November 2026, `bench/cuda/steps.mjs`.)
 */
#include <cuda_pipeline.h>

#include <cmath>

#include "launch.cuh"
#include "vectors/ending.cuh"
#include "vectors/known-lists.cuh"

namespace sparlane::blas {

namespace {

/** Elements of a vector that a thread of the interpreter has in shared memory at a time; of a known list, in registers. */
constexpr int UNROLL = 2, KNOWN_UNROLL = 4;
/** Pieces are multiples of this. */
constexpr size_t GRAIN = 2 * THREADS;
/** A kernel may have 48 KB of shared memory without asking for more, its arrays of fixed size among them: less than 4 KB. */
constexpr size_t ROOM_EVERYWHERE = 44 * 1024;

/** a x + b y, with the same bits in every kernel. */
template <class X>
__device__ __forceinline__ X combined(X a, X x, X b, X y) {
  return b == X{0} ? a * x : std::fma(a, x, b * y);
}

template <class X>
__device__ __forceinline__ double plusProduct(double sum, X x, X y) {
  return std::fma(static_cast<double>(x), static_cast<double>(y), sum);
}

/** A program as a kernel gets it: launches of short ones need not copy room for long ones. */
template <uint32_t UPDATES, uint32_t RESULTS>
struct Steps {
  static constexpr uint32_t FACTORS = 2 * UPDATES;
  uint32_t vectorCount, updateCount, reads, writes, blocksBefore;
  bool isFollowed;
  /** It is null if dot products are not sums over ranks. */
  RankSums* ranks;
  size_t n;
  void* vectors[VectorProgram::MAX_VECTORS];
  VectorProgram::UpdateStep updates[UPDATES];
  Ending<RESULTS> ending, before;

  Steps(const VectorProgram& program, bool isFollowed, RankSums* ranks)
      : vectorCount(program.vectorCount),
        updateCount(program.updateCount),
        reads(program.reads),
        writes(program.writes),
        blocksBefore(program.blocksBefore),
        isFollowed(isFollowed),
        ranks(ranks),
        n(program.n) {
    std::copy_n(program.vectors, vectorCount, vectors);
    std::copy_n(program.updates, updateCount, updates);
    const auto copy = [](const auto& from, auto& to) {
      to.dotCount = from.dotCount;
      to.resultCount = from.resultCount;
      std::copy_n(from.results, from.resultCount, to.results);
    };
    copy(program.ending, ending);
    if (blocksBefore > 0) copy(program.before, before);
  }

  static bool fits(const VectorProgram& program) {
    return program.updateCount <= UPDATES && program.ending.resultCount <= RESULTS &&
           (program.blocksBefore == 0 || program.before.resultCount <= RESULTS);
  }
};

/** What a thread of the interpreter keeps in shared memory: its sums, and UNROLL elements of each vector. */
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
__device__ __forceinline__ void update(const Own<X>& own, const Move& move, X a, X b, size_t first, size_t end) {
#pragma unroll
  for (int i = 0; i < UNROLL; i++) {
    const X x = own.element(move.x, i);
    X& y = own.element(move.y, i);
    switch (move.update) {
      case Update::combine: y = combined(a, x, b, y); break;
      case Update::multiply: y = own.element(move.d, i) * x; break;
      case Update::dot:
        if (first + i * THREADS < end) own.sum(move.d) = plusProduct(own.sum(move.d), x, y);
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

/** Any list, operation by operation. */
template <class X, class Program>
__global__ void __launch_bounds__(THREADS)
    runAny(const __grid_constant__ Program program, size_t piece, const Sums* before, Sums* sums) {
  __shared__ double factors[Program::FACTORS];
  extern __shared__ double room[];
  afterOthers(sums);
  const Own<X> own{room, reinterpret_cast<X*>(room + program.ending.dotCount * THREADS)};
  const size_t end = min(program.n, (blockIdx.x + size_t{1}) * piece);
  size_t first = blockIdx.x * piece + threadIdx.x;
  fetch(program, own, first, end);
  for (uint32_t dot = 0; dot < program.ending.dotCount; dot++) own.sum(dot) = 0;
  prepare(program, *before, *sums, factors);
  for (; first < end; first += UNROLL * THREADS) {
    __pipeline_wait_prior(0);
    for (uint32_t i = 0; i < program.updateCount; i++) {
      update(own, program.updates[i].move, static_cast<X>(factors[2 * i]), static_cast<X>(factors[2 * i + 1]), first, end);
    }
    store(program, own, first, end);
    fetch(program, own, first + UNROLL * THREADS, end);
  }
  finish(program, *sums, [&](uint32_t dot) { return own.sum(dot); });
}

/** A turn of a thread in a known list: the elements `first`, `first` + THREADS and so on, in registers. */
template <class X, uint32_t reads, Move... moves>
struct Turn {
  using List = KnownList<reads, moves...>;
  X elements[List::VECTORS][KNOWN_UNROLL];

  __device__ __forceinline__ void load(void* const* vectors, size_t first, size_t end) {
#pragma unroll
    for (uint32_t v = 0; v < List::VECTORS; v++) {
      if (!(reads >> v & 1)) continue;
      const X* const from = static_cast<const X*>(vectors[v]) + first;
#pragma unroll
      for (int i = 0; i < KNOWN_UNROLL; i++) elements[v][i] = first + i * THREADS < end ? from[i * THREADS] : X{0};
    }
  }

  template <size_t DOTS>
  __device__ __forceinline__ void compute(const double* factors, double (&sums)[DOTS], size_t first, size_t end) {
    uint32_t i = 0;
    ((step<moves>(static_cast<X>(factors[2 * i]), static_cast<X>(factors[2 * i + 1]), sums, first, end), i++), ...);
  }

  __device__ __forceinline__ void store(void* const* vectors, size_t first, size_t end) const {
#pragma unroll
    for (uint32_t v = 0; v < List::VECTORS; v++) {
      if (!(List::WRITES >> v & 1)) continue;
      X* const to = static_cast<X*>(vectors[v]) + first;
#pragma unroll
      for (int i = 0; i < KNOWN_UNROLL; i++) {
        if (first + i * THREADS < end) to[i * THREADS] = elements[v][i];
      }
    }
  }

 private:
  template <Move move, size_t DOTS>
  __device__ __forceinline__ void step(X a, X b, double (&sums)[DOTS], size_t first, size_t end) {
#pragma unroll
    for (int i = 0; i < KNOWN_UNROLL; i++) {
      const X x = elements[move.x][i];
      X& y = elements[move.y][i];
      if constexpr (move.update == Update::combine) y = combined(a, x, b, y);
      else if constexpr (move.update == Update::multiply) y = elements[move.d][i] * x;
      else if (first + i * THREADS < end) sums[move.d] = plusProduct(sums[move.d], x, y);
    }
  }
};

template <class X, class Program, uint32_t reads, Move... moves>
__device__ __forceinline__ void runMoves(const Program& program, size_t piece, const Sums* before, Sums* sums,
                                         KnownList<reads, moves...>) {
  constexpr uint32_t DOTS = KnownList<reads, moves...>::DOTS;
  __shared__ double factors[Program::FACTORS];
  const size_t end = min(program.n, (blockIdx.x + size_t{1}) * piece);
  size_t first = blockIdx.x * piece + threadIdx.x;
  double own[DOTS + 1] = {};
  Turn<X, reads, moves...> turn;
  turn.load(program.vectors, first, end);
  prepare(program, *before, *sums, factors);
  while (first < end) {
    turn.compute(factors, own, first, end);
    turn.store(program.vectors, first, end);
    first += KNOWN_UNROLL * THREADS;
    turn.load(program.vectors, first, end);
  }
  if constexpr (DOTS > 0) {
    finish(program, *sums, [&](uint32_t dot) {
      double sum = own[0];
#pragma unroll
      for (uint32_t i = 1; i < DOTS; i++) sum = i == dot ? own[i] : sum;
      return sum;
    });
  } else {
    finish(program, *sums, [](uint32_t) { return 0.0; });
  }
}

/** A known list, compiled. */
template <class X, class Program, class List>
__global__ void __launch_bounds__(THREADS)
    runKnown(const __grid_constant__ Program program, size_t piece, const Sums* before, Sums* sums) {
  afterOthers(sums);
  runMoves<X>(program, piece, before, sums, List{});
}

template <class Program>
using Kernel = void (*)(Program, size_t, const Sums*, Sums*);

template <class X, class Program>
Kernel<Program> kernelOf(const VectorProgram&, KnownLists<>) {
  return runAny<X, Program>;
}

template <class X, class Program, class List, class... Others>
Kernel<Program> kernelOf(const VectorProgram& program, KnownLists<List, Others...>) {
  return List::is(program) ? runKnown<X, Program, List> : kernelOf<X, Program>(program, KnownLists<Others...>{});
}

template <class X, class Program>
uint32_t queue(Context& context, const VectorProgram& program, bool isFollowed) {
  const size_t piece = std::max<size_t>(1, divideUp(divideUp(program.n, size_t{MAX_BLOCKS}), GRAIN)) * GRAIN;
  const uint32_t blocks = program.n == 0 ? 1 : divideUp(program.n, piece);
  const auto kernel = kernelOf<X, Program>(program, Known{});
  const bool isAny = kernel == runAny<X, Program>;
  const size_t room = THREADS * (program.ending.dotCount * sizeof(double) + program.vectorCount * UNROLL * sizeof(X));
  if (isAny && room > ROOM_EVERYWHERE)
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(room)));
  Launch launch(blocks, THREADS, context.stream, isAny ? room : 0);
  launch.early();
  auto* const sums = static_cast<Sums*>(context.reductions());
  const uint32_t own = context.turn(), before = 1 - own;
  launch(kernel, Program(program, isFollowed, context.ranks()), piece, static_cast<const Sums*>(sums + before), sums + own);
  return blocks;
}

template <class X>
uint32_t queueSteps(Context& context, const VectorProgram& program, bool isFollowed) {
  using Few = Steps<6, 4>;
  using Many = Steps<VectorProgram::MAX_UPDATES, VectorProgram::MAX_RESULTS>;
  return Few::fits(program) ? queue<X, Few>(context, program, isFollowed) : queue<X, Many>(context, program, isFollowed);
}

}  // namespace

uint32_t launch(Context& context, const VectorProgram& program, bool isFollowed) {
  // One thread block adds over ranks.
  const bool isOverRanks = context.ranks() != nullptr && program.ending.dotCount > 0;
  const bool isLeft = isFollowed && program.ending.resultCount > 0 && !isOverRanks;
  const auto queueIn = program.dtype == Dtype::f32 ? queueSteps<float> : queueSteps<double>;
  const uint32_t blocks = queueIn(context, program, isLeft);
  return isLeft ? blocks : 0;
}

}  // namespace sparlane::blas
