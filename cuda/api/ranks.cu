/**
 * What ranks of one process do on their devices, each on its own: they hand vectors to each other, write elements into each other's memory, and add
 * sums in an order that depends on nothing but their number.
 *
 * Elements are written into a frame of the other device. A frame has 8 bytes for each 4 bytes of an element: these, and the turn. Both are
 * written at once, so who finds the turn has the element, and nobody waits for anything else. Turns are counted on the device: a recording goes on
 * counting. Frames of even and odd turns are used in turn: a rank writes those of turn t + 2 when it has what all others wrote in turn t + 1, which
 * they did after they had read turn t.
 *
 * Source: the protocol LL of NCCL (Hu et al., "Demystifying NCCL", 2025): data and flag in one store of 8 bytes.
 */
#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "api/handles.cuh"
#include "api/ranks.h"
#include "launch.cuh"

namespace {

using sparlane::afterOthers;
using sparlane::Context;
using sparlane::divideUp;
using sparlane::guard;
using sparlane::use;

constexpr int THREADS = 256;

std::mutex lock;
/** Vectors that one environment has offered and another one has not taken yet. */
std::unordered_map<uint32_t, spl_vector> offers;
uint32_t lastTicket = 0;

template <class T>
__global__ void __launch_bounds__(THREADS) pick(T* y, const T* x, const uint32_t* places, size_t length) {
  const size_t i = size_t{blockIdx.x} * THREADS + threadIdx.x;
  if (i < length) y[i] = x[places[i]];
}

template <class T>
__global__ void __launch_bounds__(THREADS) addAt(T* y, const T* x, const uint32_t* places, size_t length) {
  const size_t i = size_t{blockIdx.x} * THREADS + threadIdx.x;
  if (i < length) y[places[i]] += x[i];
}

/** A kernel over elements of either width, and its name. */
struct PlacesKernel {
  const char* name;
  void (*f32)(float*, const float*, const uint32_t*, size_t);
  void (*f64)(double*, const double*, const uint32_t*, size_t);
};

void queueAtPlaces(const PlacesKernel& kernel, uint32_t width, uint64_t length, spl_vector* y, const spl_vector* x,
                   const spl_vector* places) {
  const Context& context = use(y, x, places);
  if (length == 0) return;
  const auto queue = [&]<class T>(void (*run)(T*, const T*, const uint32_t*, size_t)) {
    run<<<divideUp(length, THREADS), THREADS, 0, context.stream>>>(reinterpret_cast<T*>(y->data),
                                                                   reinterpret_cast<const T*>(x->data),
                                                                   reinterpret_cast<const uint32_t*>(places->data), length);
  };
  if (width == sizeof(float)) queue(kernel.f32);
  else queue(kernel.f64);
  CHECK_LAUNCH(kernel.name);
}

/** A rank that waits longer for another one, in nanoseconds, ends with an error of the device. Chosen. */
constexpr uint64_t MOST_WAIT = 60'000'000'000;
/** It looks at the clock once in so many tries. */
constexpr uint32_t TRIES = 1 << 12;

__device__ __forceinline__ uint64_t now() {
  uint64_t time;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
  return time;
}

/** An element in a frame: 4 bytes and the turn, once or twice. */
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

/** Waits for the element of a turn. */
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

/** The turns of an exchange: `push` reads the last one whose elements were taken, and `take` the last one that was sent. */
struct Turns {
  uint32_t taken, sent;
};

/** Where elements go: those of destination d from `ends[d − 1]` on, to its frames of even and odd turns. */
struct Destinations {
  uint32_t ends[SPL_MOST_RANKS];
  void* frames[SPL_MOST_RANKS][2];
};

template <class T>
__global__ void __launch_bounds__(THREADS)
    push(Turns* turns, const __grid_constant__ Destinations to, const T* x, const uint32_t* places, uint32_t length) {
  const uint32_t turn = turns->taken + 1, i = blockIdx.x * THREADS + threadIdx.x;
  if (i == 0) turns->sent = turn;
  if (i >= length) return;
  uint32_t d = 0, begin = 0;
  while (i >= to.ends[d]) begin = to.ends[d++];
  const uint32_t place = places[i];
  static_cast<Framed<T>*>(to.frames[d][turn % 2])[i - begin].write(place == SPL_NO_PLACE ? T{0} : x[place], turn);
}

template <class T>
__global__ void __launch_bounds__(THREADS)
    take(Turns* turns, T* y, uint32_t length, const Framed<T>* even, const Framed<T>* odd, uint32_t all) {
  const uint32_t turn = turns->sent, first = blockIdx.x * THREADS + threadIdx.x;
  const Framed<T>* const frame = turn % 2 == 0 ? even : odd;
  for (uint32_t i = first; i < all; i += gridDim.x * THREADS) {
    const T value = arrived(frame + i, turn);
    if (i < length) y[i] = value;
  }
  if (first == 0) turns->taken = turn;
}

/** Thread blocks of `take`, at most: products that run beside it keep the rest of the device. Chosen. */
constexpr uint32_t MOST_BLOCKS = 64;

/** The frames of all ranks for sums, [turn % 2][rank][slot] in each, and the slots of this rank. */
struct Sums {
  Framed<double>* frames[SPL_MOST_RANKS];
  double* slots[SPL_MOST_SLOTS];
};

/** The sum over the ranks [begin, end), by halves: as ranks add on the host. */
__device__ double sumByHalves(const double* numbers, uint32_t begin, uint32_t end) {
  if (end - begin == 1) return numbers[begin];
  const uint32_t middle = (begin + end) / 2;
  return sumByHalves(numbers, begin, middle) + sumByHalves(numbers, middle, end);
}

/** A thread for each slot and rank. */
__global__ void __launch_bounds__(SPL_MOST_RANKS* SPL_MOST_SLOTS)
    sumRanks(uint32_t* turns, const __grid_constant__ Sums sums, uint32_t ranks, uint32_t rank, uint32_t count) {
  __shared__ double numbers[SPL_MOST_SLOTS][SPL_MOST_RANKS];
  turns = afterOthers(turns);
  const uint32_t turn = *turns + 1, other = threadIdx.x / count, slot = threadIdx.x % count;
  const auto placeOf = [&](uint32_t of) { return (turn % 2 * SPL_MOST_RANKS + of) * SPL_MOST_SLOTS + slot; };
  sums.frames[other][placeOf(rank)].write(__ldcg(sums.slots[slot]), turn);
  numbers[slot][other] = arrived(sums.frames[rank] + placeOf(other), turn);
  __syncthreads();
  if (threadIdx.x < count) *sums.slots[threadIdx.x] = sumByHalves(numbers[threadIdx.x], 0, ranks);
  if (threadIdx.x == 0) *turns = turn;
}

template <class Queue>
void queueForWidth(uint32_t width, Queue queue) {
  if (width == sizeof(float)) queue(float{});
  else queue(double{});
}

}  // namespace

extern "C" {

int32_t spl_reaches(int32_t device, int32_t other, spl_error* error) {
  return guard(error, [&] {
    if (device == other) return int32_t{1};
    int linked = 0;
    CUDA_CHECK(cudaDeviceCanAccessPeer(&linked, device, other));
    return int32_t{linked != 0};
  });
}

uint32_t spl_offer_vector(const spl_vector* vector) {
  const std::lock_guard hold(lock);
  offers.emplace(++lastTicket, *vector);
  return lastTicket;
}

spl_vector* spl_take_vector(spl_context* context, uint32_t ticket, spl_error* error) {
  return guard(error, [&] {
    // Held until the end: several ranks may take vectors of one context.
    const std::lock_guard hold(lock);
    const auto found = offers.find(ticket);
    if (found == offers.end()) {
      throw sparlane::Failure{"argument", "ticket: expected one that was not taken, got " + std::to_string(ticket)};
    }
    spl_vector vector = std::move(found->second);
    offers.erase(found);
    if (!vector.context->share(*context->context)) {
      throw sparlane::Failure{"backend", "ticket: expected a vector of a device in reach, got one of device " +
                                             std::to_string(vector.context->device)};
    }
    return new spl_vector(std::move(vector));
  });
}

void spl_pick(uint32_t width, uint64_t length, spl_vector* y, const spl_vector* x, const spl_vector* places, spl_error* error) {
  guard(error, [&] { queueAtPlaces({"pick", pick<float>, pick<double>}, width, length, y, x, places); });
}

void spl_add_at(uint32_t width, uint64_t length, spl_vector* y, const spl_vector* x, const spl_vector* places, spl_error* error) {
  guard(error, [&] { queueAtPlaces({"addAt", addAt<float>, addAt<double>}, width, length, y, x, places); });
}

void spl_push(uint32_t width, spl_vector* turns, const spl_vector* x, const spl_vector* places, const uint32_t* ends,
              spl_vector* const* frames, uint32_t count, spl_error* error) {
  guard(error, [&] {
    Context& context = use(turns, x, places);
    Destinations to{};
    for (uint32_t d = 0; d < count; d++) {
      to.ends[d] = ends[d];
      for (const uint32_t parity : {0, 1}) {
        context.keep(frames[2 * d + parity]->memory);
        to.frames[d][parity] = frames[2 * d + parity]->data;
      }
    }
    const uint32_t length = ends[count - 1];
    queueForWidth(width, [&]<class T>(T) {
      push<T><<<divideUp(length, THREADS), THREADS, 0, context.stream>>>(
          reinterpret_cast<Turns*>(turns->data), to, reinterpret_cast<const T*>(x->data),
          reinterpret_cast<const uint32_t*>(places->data), length);
    });
    CHECK_LAUNCH("push");
  });
}

void spl_take(uint32_t width, spl_vector* turns, spl_vector* y, uint32_t length, const spl_vector* even, const spl_vector* odd,
              spl_error* error) {
  guard(error, [&] {
    const Context& context = use(turns, y, even, odd);
    queueForWidth(width, [&]<class T>(T) {
      const auto all = static_cast<uint32_t>(even->bytes / sizeof(Framed<T>));
      const uint32_t blocks = std::min<uint32_t>(divideUp(all, THREADS), MOST_BLOCKS);
      take<T><<<blocks, THREADS, 0, context.stream>>>(reinterpret_cast<Turns*>(turns->data), reinterpret_cast<T*>(y->data), length,
                                                      reinterpret_cast<const Framed<T>*>(even->data),
                                                      reinterpret_cast<const Framed<T>*>(odd->data), all);
    });
    CHECK_LAUNCH("take");
  });
}

void spl_sum_ranks(spl_vector* turn, spl_vector* const* frames, uint32_t ranks, uint32_t rank, spl_vector* const* slots,
                   uint32_t count, spl_error* error) {
  guard(error, [&] {
    Context& context = use(turn);
    Sums sums{};
    for (uint32_t r = 0; r < ranks; r++) {
      context.keep(frames[r]->memory);
      sums.frames[r] = reinterpret_cast<Framed<double>*>(frames[r]->data);
    }
    for (uint32_t s = 0; s < count; s++) {
      context.keep(slots[s]->memory);
      sums.slots[s] = reinterpret_cast<double*>(slots[s]->data);
    }
    sparlane::Launch launch(1, ranks * count, context.stream);
    launch.early();
    launch(sumRanks, reinterpret_cast<uint32_t*>(turn->data), sums, ranks, rank, count);
  });
}

}  // extern "C"
