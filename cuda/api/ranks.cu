/**
 * What ranks of one process do on their devices: they hand vectors and events to each other, wait for each other's events, read and write each
 * other's memory, and add sums in an order that depends on nothing but their number.
 */
#include <mutex>
#include <unordered_map>
#include <variant>

#include "api/handles.cuh"
#include "api/ranks.h"

namespace {

using sparlane::Context;
using sparlane::divideUp;
using sparlane::guard;
using sparlane::use;

constexpr int THREADS = 256;

struct Event {
  explicit Event(std::shared_ptr<Context> owner) : context(std::move(owner)) {
    context->enter();
    CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(event); }

  std::shared_ptr<Context> context;
  cudaEvent_t event = nullptr;
};

using Offered = std::variant<spl_vector, std::shared_ptr<Event>>;

std::mutex lock;
/** Objects that one environment has offered and another one has not taken yet. */
std::unordered_map<uint32_t, Offered> offers;
uint32_t lastTicket = 0;

uint32_t offer(Offered object) {
  const std::lock_guard hold(lock);
  offers.emplace(++lastTicket, std::move(object));
  return lastTicket;
}

/** Called with the lock held. */
template <class T>
T take(uint32_t ticket) {
  const auto found = offers.find(ticket);
  if (found == offers.end() || !std::holds_alternative<T>(found->second)) {
    throw sparlane::Failure{"argument", "ticket: expected one that was not taken, got " + std::to_string(ticket)};
  }
  T object = std::get<T>(std::move(found->second));
  offers.erase(found);
  return object;
}

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

/** A kernel's arguments: some addresses of f64. */
struct Places {
  double* at[SPL_MOST_SLOTS];
};

Places placesOf(spl_vector* const* vectors, uint32_t count) {
  Places places{};
  for (uint32_t i = 0; i < count; i++) places.at[i] = reinterpret_cast<double*>(vectors[i]->data);
  return places;
}

/** targets[t][offset + s] ← slots[s]; a thread for each. */
__global__ void spread(Places targets, uint32_t offset, Places slots, uint32_t count) {
  targets.at[threadIdx.x / count][offset + threadIdx.x % count] = *slots.at[threadIdx.x % count];
}

/** The sum of `numbers[r stride]` over the ranks [begin, end), by halves: as ranks add on the host. */
__device__ double sumByHalves(const double* numbers, uint32_t begin, uint32_t end, uint32_t stride) {
  if (end - begin == 1) return numbers[begin * stride];
  const uint32_t middle = (begin + end) / 2;
  return sumByHalves(numbers, begin, middle, stride) + sumByHalves(numbers, middle, end, stride);
}

__global__ void addRanks(const double* frames, uint32_t ranks, uint32_t stride, Places slots) {
  *slots.at[threadIdx.x] = sumByHalves(frames + threadIdx.x, 0, ranks, stride);
}

}  // namespace

struct spl_event {
  std::shared_ptr<Event> event;
};

extern "C" {

int32_t spl_reaches(int32_t device, int32_t other, spl_error* error) {
  return guard(error, [&] {
    if (device == other) return int32_t{1};
    int linked = 0;
    CUDA_CHECK(cudaDeviceCanAccessPeer(&linked, device, other));
    return int32_t{linked != 0};
  });
}

spl_event* spl_event_new(spl_context* context, spl_error* error) {
  return guard(error, [&] { return new spl_event{std::make_shared<Event>(context->context)}; });
}

void spl_event_free(spl_event* event) { delete event; }

void spl_event_record(spl_event* event, spl_error* error) {
  guard(error, [&] {
    const Context& context = use(*event->event->context);
    CUDA_CHECK(cudaEventRecord(event->event->event, context.stream));
  });
}

void spl_event_await(spl_context* context, const spl_event* event, spl_error* error) {
  guard(error, [&] {
    use(*context->context);
    CUDA_CHECK(cudaStreamWaitEvent(context->context->stream, event->event->event, 0));
  });
}

uint32_t spl_offer_vector(const spl_vector* vector) { return offer(*vector); }

uint32_t spl_offer_event(const spl_event* event) { return offer(event->event); }

spl_vector* spl_take_vector(spl_context* context, uint32_t ticket, spl_error* error) {
  return guard(error, [&] {
    // Held until the end: several ranks may take vectors of one context.
    const std::lock_guard hold(lock);
    auto vector = take<spl_vector>(ticket);
    if (!vector.context->share(*context->context)) {
      throw sparlane::Failure{"backend", "ticket: expected a vector of a device in reach, got one of device " +
                                             std::to_string(vector.context->device)};
    }
    return new spl_vector(std::move(vector));
  });
}

spl_event* spl_take_event(uint32_t ticket, spl_error* error) {
  return guard(error, [&] {
    const std::lock_guard hold(lock);
    return new spl_event{take<std::shared_ptr<Event>>(ticket)};
  });
}

void spl_draw(spl_context* context, spl_vector* target, uint64_t target_offset, const spl_vector* source, uint64_t source_offset,
              uint64_t bytes, spl_error* error) {
  guard(error, [&] {
    use(*context->context);
    CUDA_CHECK(cudaMemcpyAsync(target->data + target_offset, source->data + source_offset, bytes, cudaMemcpyDefault,
                               context->context->stream));
  });
}

void spl_pick(uint32_t width, uint64_t length, spl_vector* y, const spl_vector* x, const spl_vector* places, spl_error* error) {
  guard(error, [&] { queueAtPlaces({"pick", pick<float>, pick<double>}, width, length, y, x, places); });
}

void spl_add_at(uint32_t width, uint64_t length, spl_vector* y, const spl_vector* x, const spl_vector* places, spl_error* error) {
  guard(error, [&] { queueAtPlaces({"addAt", addAt<float>, addAt<double>}, width, length, y, x, places); });
}

void spl_spread(spl_context* context, spl_vector* const* targets, uint32_t ranks, uint64_t offset, spl_vector* const* slots,
                uint32_t count, spl_error* error) {
  guard(error, [&] {
    use(*context->context);
    spread<<<1, ranks * count, 0, context->context->stream>>>(placesOf(targets, ranks), static_cast<uint32_t>(offset),
                                                              placesOf(slots, count), count);
    CHECK_LAUNCH("spread");
  });
}

void spl_add_ranks(spl_context* context, const spl_vector* frames, uint64_t offset, uint32_t ranks, uint32_t stride,
                   spl_vector* const* slots, uint32_t count, spl_error* error) {
  guard(error, [&] {
    use(*context->context);
    const auto* numbers = reinterpret_cast<const double*>(frames->data) + offset;
    addRanks<<<1, count, 0, context->context->stream>>>(numbers, ranks, stride, placesOf(slots, count));
    CHECK_LAUNCH("addRanks");
  });
}

}  // extern "C"
