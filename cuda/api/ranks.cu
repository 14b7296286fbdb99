/**
 * What ranks of one machine do on their devices, each on its own: they hand vectors to each other, and write elements into each other's memory
 * (`frames.cuh`). Sums over ranks are the end of a list of vector operations (`vectors/ending.cuh`).
 *
 * Frames of even and odd turns are used in turn: a rank writes those of turn t + 2 when it has what its neighbours wrote in turn t + 1, which they did
 * after they had read turn t.
 */
#include <algorithm>
#include <array>
#include <cstring>
#include <random>

#include "api/handles.cuh"
#include "api/ranks.h"
#include "frames.cuh"
#include "shared-memory.cuh"

static_assert(SPL_MOST_RANKS == sparlane::MOST_RANKS && SPL_SUM_FRAME == sparlane::RankSums::FRAME_BYTES);

namespace {

using sparlane::arrived;
using sparlane::Context;
using sparlane::DeviceArray;
using sparlane::DeviceMemory;
using sparlane::divideUp;
using sparlane::Framed;
using sparlane::guard;
using sparlane::MOST_RANKS;
using sparlane::RankSums;
using sparlane::use;

constexpr int THREADS = 256;

/** These numbers tell this process from all others, also where several machines or containers give the same process number. */
const std::array<uint32_t, 4> PROCESS = [] {
  std::random_device random;
  return std::array<uint32_t, 4>{random(), random(), random(), random()};
}();

/** A ticket says where a vector is: to ranks of its process by the address, to others by the handle of the memory and the place there. */
struct Ticket {
  std::array<uint32_t, 4> process;
  int32_t device;
  cudaIpcMemHandle_t handle;
  uint64_t offset, bytes;
  uint8_t* data;
};
static_assert(sizeof(Ticket) == SPL_TICKET);

/** Lets this device, which is the current one, access memory of another device of the process. */
void openPeer(int device) {
  const cudaError_t error = cudaDeviceEnablePeerAccess(device, 0);
  if (error == cudaErrorPeerAccessAlreadyEnabled) cudaGetLastError();
  else CUDA_CHECK(error);
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

void spl_identity(int32_t device, uint8_t* identity, spl_error* error) {
  guard(error, [&] {
    cudaDeviceProp properties{};
    CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
    static_assert(sizeof properties.uuid == SPL_IDENTITY);
    std::memcpy(identity, &properties.uuid, SPL_IDENTITY);
  });
}

int32_t spl_reaches(int32_t device, const uint8_t* identity, spl_error* error) {
  return guard(error, [&] {
    int count = 0;
    CUDA_CHECK(cudaGetDeviceCount(&count));
    for (int other = 0; other < count; other++) {
      cudaDeviceProp properties{};
      CUDA_CHECK(cudaGetDeviceProperties(&properties, other));
      if (std::memcmp(identity, &properties.uuid, SPL_IDENTITY) != 0) continue;
      if (other == device) return int32_t{1};
      int linked = 0;
      CUDA_CHECK(cudaDeviceCanAccessPeer(&linked, device, other));
      return int32_t{linked != 0};
    }
    return int32_t{0};
  });
}

spl_vector* spl_shared_vector_new(spl_context* context, uint64_t bytes, spl_error* error) {
  return guard(error, [&] {
    Context& owner = use(*context->context);
    owner.refuseRecording("an allocation");
    auto memory = std::make_shared<DeviceMemory>(context->context, bytes, owner.sharedMemory().allocate(bytes),
                                                 [](Context& of, void* data) { of.sharedMemory().release(data); });
    auto* const data = static_cast<uint8_t*>(memory->data());
    CUDA_CHECK(cudaMemsetAsync(data, 0, bytes, owner.stream));
    auto array = std::make_shared<DeviceArray<uint8_t>>(std::move(memory), bytes);
    return new spl_vector{context->context, std::move(array), data, bytes};
  });
}

void spl_offer_vector(const spl_vector* vector, uint8_t* ticket, spl_error* error) {
  guard(error, [&] {
    vector->context->enter();
    uint8_t* const base = vector->memory->data();
    Ticket made{PROCESS, vector->context->device, {}, static_cast<uint64_t>(vector->data - base), vector->bytes, vector->data};
    CUDA_CHECK(cudaIpcGetMemHandle(&made.handle, base));
    std::memcpy(ticket, &made, sizeof made);
  });
}

spl_vector* spl_take_vector(spl_context* context, const uint8_t* ticket, spl_error* error) {
  return guard(error, [&] {
    Ticket offered;
    std::memcpy(&offered, ticket, sizeof offered);
    const auto& owner = context->context;
    owner->enter();
    DeviceMemory::Free free = [](Context&, void*) {};
    if (offered.process == PROCESS) {
      if (offered.device != owner->device) openPeer(offered.device);
    } else {
      void* base = nullptr;
      CUDA_CHECK(cudaIpcOpenMemHandle(&base, offered.handle, cudaIpcMemLazyEnablePeerAccess));
      offered.data = static_cast<uint8_t*>(base) + offered.offset;
      free = [](Context& of, void* data) {
        cudaSetDevice(of.device);
        cudaIpcCloseMemHandle(data);
      };
    }
    auto memory = std::make_shared<DeviceMemory>(owner, offered.offset + offered.bytes, offered.data - offered.offset, free);
    auto array = std::make_shared<DeviceArray<uint8_t>>(std::move(memory), offered.offset + offered.bytes);
    return new spl_vector{owner, std::move(array), offered.data, offered.bytes};
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
