/**
 * What ranks of one process do on their devices, each on its own: they hand vectors to each other, and write elements into each other's memory
 * (`frames.cuh`). Sums over ranks are the end of a list of vector operations (`vectors/ending.cuh`).
 *
 * Frames of even and odd turns are used in turn: a rank writes those of turn t + 2 when it has what its neighbours wrote in turn t + 1, which they did
 * after they had read turn t.
 */
#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "api/handles.cuh"
#include "api/ranks.h"
#include "frames.cuh"

static_assert(SPL_MOST_RANKS == sparlane::MOST_RANKS && SPL_SUM_FRAME == sparlane::RankSums::FRAME_BYTES);

namespace {

using sparlane::arrived;
using sparlane::Context;
using sparlane::divideUp;
using sparlane::Framed;
using sparlane::guard;
using sparlane::MOST_RANKS;
using sparlane::RankSums;
using sparlane::use;

constexpr int THREADS = 256;

std::mutex lock;
/** One environment has offered these vectors, and another one has not taken them yet. */
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

/** An exchange counts its turns: `taken` is the last one whose elements `take` has copied, `sent` the last one whose elements `push` has written. */
struct Turns {
  uint32_t taken, sent;
};

/** Elements from `ends[d − 1]` on go to destination d, which has a frame for even turns and one for odd ones. */
struct Destinations {
  uint32_t ends[MOST_RANKS];
  void* frames[MOST_RANKS][2];
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

/** `take` has at most so many thread blocks: products that run beside it keep the rest of the device. Chosen. */
constexpr uint32_t MOST_BLOCKS = 64;

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
      push<T><<<divideUp(length, THREADS), THREADS, 0, context.stream>>>(reinterpret_cast<Turns*>(turns->data), to,
                                                                         reinterpret_cast<const T*>(x->data),
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
      take<T><<<blocks, THREADS, 0, context.stream>>>(reinterpret_cast<Turns*>(turns->data), reinterpret_cast<T*>(y->data),
                                                      length, reinterpret_cast<const Framed<T>*>(even->data),
                                                      reinterpret_cast<const Framed<T>*>(odd->data), all);
    });
    CHECK_LAUNCH("take");
  });
}

void spl_join_ranks(spl_context* context, spl_vector* const* frames, uint32_t ranks, uint32_t rank, spl_error* error) {
  guard(error, [&] {
    RankSums sums{ranks, rank, 0, {}};
    for (uint32_t r = 0; r < ranks; r++) sums.frames[r] = reinterpret_cast<Framed<double>*>(frames[r]->data);
    use(*context->context).joinRanks(sums);
  });
}

}  // extern "C"
