/**
 * Elements that a rank writes into the memory of another one's device. A *frame* there has 8 bytes for each 4 bytes of an element: these, and the number
 * of the turn. Both are written at once, so who finds the turn has the element, and waits for nothing else. Turns are counted on the device, so a recording
 * goes on counting.
 *
 * Source: the protocol LL of NCCL (Hu et al., "Demystifying NCCL", 2025): data and flag in one store of 8 bytes.
 */
#pragma once
#include "plan.cuh"

namespace sparlane {

/** At most so many ranks exchange elements, because their frames are arguments of a kernel. */
constexpr uint32_t MOST_RANKS = 16;

/** A rank that waits for another one for more nanoseconds ends with an error of the device. Chosen. */
constexpr uint64_t MOST_WAIT = 60'000'000'000;
/** A thread that waits looks at the clock once in so many tries. Chosen. */
constexpr uint32_t TRIES = 1 << 12;

__device__ __forceinline__ uint64_t now() {
  uint64_t time;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
  return time;
}

/** A frame has each element as 4 bytes and the turn, once or twice. */
template <class T>
struct Framed;

template <>
struct Framed<float> {
  uint32_t bits, turn;
  __device__ __forceinline__ void write(float value, uint32_t of) {
    asm volatile("st.volatile.global.v2.u32 [%0], {%1, %2};" ::"l"(this), "r"(__float_as_uint(value)), "r"(of) : "memory");
  }
  __device__ __forceinline__ bool read(float& value, uint32_t wanted) const {
    uint32_t got, then;
    asm volatile("ld.volatile.global.v2.u32 {%0, %1}, [%2];" : "=r"(got), "=r"(then) : "l"(this) : "memory");
    value = __uint_as_float(got);
    return then == wanted;
  }
};

template <>
struct Framed<double> {
  uint32_t low, turnOfLow, high, turnOfHigh;
  __device__ __forceinline__ void write(double value, uint32_t of) {
    asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %2};" ::"l"(this), "r"(__double2loint(value)), "r"(of),
                 "r"(__double2hiint(value))
                 : "memory");
  }
  __device__ __forceinline__ bool read(double& value, uint32_t wanted) const {
    uint32_t lower, upper, thenLower, thenUpper;
    asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(lower), "=r"(thenLower), "=r"(upper), "=r"(thenUpper)
                 : "l"(this)
                 : "memory");
    value = __hiloint2double(static_cast<int>(upper), static_cast<int>(lower));
    return thenLower == wanted && thenUpper == wanted;
  }
};

/** Waits until the element of a turn is in a frame of this device. */
template <class T>
__device__ __forceinline__ T arrived(const Framed<T>* frame, uint32_t turn) {
  T value;
  uint64_t begin = 0;
  for (uint32_t tries = 1; !frame->read(value, turn); tries++) {
    if (tries % TRIES != 0) continue;
    if (begin == 0) begin = now();
    else if (now() - begin > MOST_WAIT) __trap();
  }
  return value;
}

/**
 * How a rank adds its dot products to those of the others: in memory of the device. Dot products have numbers, from 1 on, that are the same on all ranks,
 * however many of them a list has. Number k is at [k % RING][rank] in the frames of all ranks. A rank that writes number k has all numbers before its list, so
 * the others have written these: they have read all but those of their last list, far less than RING.
 */
struct RankSums {
  static constexpr uint32_t RING = 16;
  static constexpr size_t FRAME_BYTES = RING * MOST_RANKS * sizeof(Framed<double>);
  uint32_t size, rank;
  /** So many dot products have been added so far. */
  uint32_t count;
  Framed<double>* frames[MOST_RANKS];
};

/** Returns the sum over at most 2^DEPTH ranks [begin, end), by halves, as ranks add on the host. */
template <int DEPTH = 4>
__device__ __forceinline__ double sumByHalves(const double* numbers, uint32_t begin, uint32_t end) {
  if constexpr (DEPTH > 0) {
    if (end - begin > 1) {
      const uint32_t middle = (begin + end) / 2;
      return sumByHalves<DEPTH - 1>(numbers, begin, middle) + sumByHalves<DEPTH - 1>(numbers, middle, end);
    }
  }
  return numbers[begin];
}
static_assert(MOST_RANKS == 1 << 4);

/**
 * sums[i] ← its sum over all ranks, with the same bits on each. Called by all threads of a block, of at least `MOST` times the most ranks, at least those
 * of the first warp after they have written the sums, which they may read when it returns.
 */
template <uint32_t MOST>
__device__ __forceinline__ void sumOverRanks(RankSums& ranks, uint32_t count, double* sums) {
  static_assert(MOST <= RankSums::RING / 2);
  __shared__ double numbers[MOST][MOST_RANKS];
  const uint32_t other = threadIdx.x / count, sum = threadIdx.x % count, turn = ranks.count + sum + 1;
  const uint32_t size = ranks.size, place = turn % RankSums::RING * MOST_RANKS;
  __syncthreads();
  if (other < size) {
    ranks.frames[other][place + ranks.rank].write(sums[sum], turn);
    numbers[sum][other] = arrived(ranks.frames[ranks.rank] + place + other, turn);
  }
  __syncthreads();
  if (threadIdx.x < count) sums[threadIdx.x] = sumByHalves(numbers[threadIdx.x], 0, size);
  if (threadIdx.x == 0) ranks.count += count;
  if (threadIdx.x < WARP) __syncwarp();
}

}  // namespace sparlane
