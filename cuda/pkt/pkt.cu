/**
 * PKT: a block for each packet of neighbouring rows, with the packet's x and y in shared memory; its threads are the lanes of
 *   the layout.
 *
 * Source: Bell & Garland 2008, §3.6 and §4.6 (figure 26). Layout: `src/formats/pkt/pkt.ts`, converted for a device with e.g.
 *   `lanes=128`.
 * Differs: a lane keeps the sum of its row in a register until the next row begins, so y is stored once per row, not read and
 *   written with every entry. A row belongs to one lane: no atomic add. Padding adds to a sum that is never stored.
 *   Packets whose x and y do not fit into shared memory keep them in global memory. Entries outside all packets are a stage of
 *   COO (`coo/coo.cu`).
 * Methods: `packets`, as above. A layout of four lanes, the CPU's, is accepted too, and computed by four threads of a block.
 * Bound: bytes, 4 + V per entry, 8 + 3 X per row, and those of the COO stage; for small packets, latency: three phases with a
 *   barrier between them, which other blocks of the multiprocessor must hide.
 */
#include <algorithm>

#include "device.cuh"

namespace sparlane {

namespace {

/** Steps that a lane reads ahead. */
constexpr uint32_t STEPS = 8;

/** Elements of x or y that a thread has in flight. */
constexpr uint32_t ROWS = 4;

/** Minimum threads of a block, for the gather of x and the scatter of y; maximum number of lanes. */
constexpr uint32_t MIN_THREADS = 128;
constexpr uint32_t MAX_THREADS = 1024;

template <class V, class X>
struct Packets {
  uint32_t lanes;
  /** Number of elements of x, and of sums, of the largest packet. */
  uint32_t room;
  /** Where packets begin: in rows of `order`, and in steps of one entry for each lane. */
  const uint32_t *packetPtr, *stepPtr, *order;
  /** Row and column within the packet, the row in the upper bits; the row after the last is padding. */
  const uint32_t* packed;
  Values<V, X> values;
};

/** Sums the rows of a lane. `count`: number of rows of the packet. */
template <class V, class X>
__device__ __forceinline__ void addLane(const Packets<V, X>& a, uint32_t begin, uint32_t end, uint32_t count, const X* x, X* y) {
  uint32_t row = count;
  X sum = 0;
  for (uint32_t step = begin; step < end; step += STEPS) {
    // Past the last step, the last one is read again and not used: a conditional load would be a branch.
    uint32_t packed[STEPS];
    V value[STEPS];
    X term[STEPS];
#pragma unroll
    for (uint32_t i = 0; i < STEPS; i++) {
      const uint32_t k = min(step + i, end - 1) * a.lanes + threadIdx.x;
      packed[i] = stream(a.packed + k);
      value[i] = a.values.read(k);
    }
    // All of x is read before the first y is stored, since the compiler cannot prove that they do not alias.
#pragma unroll
    for (uint32_t i = 0; i < STEPS; i++) term[i] = x[packed[i] & 0xffff];
#pragma unroll
    for (uint32_t i = 0; i < STEPS; i++) {
      const uint32_t next = step + i < end ? packed[i] >> 16 : count;
      if (next != row) {
        if (row < count) y[row] = sum;
        row = next;
        sum = 0;
      }
      sum += a.values.decode(value[i]) * term[i];
    }
  }
  if (row < count) y[row] = sum;
}

/**
 * SHARED: x and the sums of a packet are in shared memory, and `scratch` is null. Otherwise they are in its part of `scratch`.
 */
template <bool SHARED, class V, class X>
__global__ void __launch_bounds__(MAX_THREADS)
    packets(const Packets<V, X> a, X* scratch, const X* __restrict__ x, X* y, X alpha, X beta) {
  extern __shared__ __align__(16) unsigned char sharedBytes[];
  X* xLocal = SHARED ? reinterpret_cast<X*>(sharedBytes) : scratch + 2 * size_t{a.room} * blockIdx.x;
  X* yLocal = xLocal + a.room;
  const uint32_t first = a.packetPtr[blockIdx.x];
  const uint32_t count = a.packetPtr[blockIdx.x + 1] - first;
  for (uint32_t i = threadIdx.x; i < count; i += ROWS * blockDim.x) {
    uint32_t place[ROWS];
    X xs[ROWS];
#pragma unroll
    for (uint32_t r = 0; r < ROWS; r++) place[r] = __ldg(a.order + first + min(i + r * blockDim.x, count - 1));
#pragma unroll
    for (uint32_t r = 0; r < ROWS; r++) xs[r] = __ldg(x + place[r]);
#pragma unroll
    for (uint32_t r = 0; r < ROWS; r++) {
      if (i + r * blockDim.x >= count) break;
      xLocal[i + r * blockDim.x] = xs[r];
      yLocal[i + r * blockDim.x] = 0;
    }
  }
  __syncthreads();
  if (threadIdx.x < a.lanes) addLane(a, a.stepPtr[blockIdx.x], a.stepPtr[blockIdx.x + 1], count, xLocal, yLocal);
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < count; i += ROWS * blockDim.x) {
    uint32_t place[ROWS];
#pragma unroll
    for (uint32_t r = 0; r < ROWS; r++) place[r] = __ldg(a.order + first + min(i + r * blockDim.x, count - 1));
#pragma unroll
    for (uint32_t r = 0; r < ROWS; r++) {
      if (i + r * blockDim.x >= count) break;
      put(y + place[r], yLocal[i + r * blockDim.x], alpha, beta);
    }
  }
}

template <class V, class X>
class PktPlan : public Plan {
 public:
  PktPlan(const Request& request, const PktHeader& header)
      : packets_(header.packets),
        lanes_(header.lanes),
        room_(header.room),
        sharedBytes_(2 * sizeof(X) * header.room),
        packetPtr_(request.upload<uint32_t>(*this, header.packetPtr, packets_ + size_t{1})),
        stepPtr_(request.upload<uint32_t>(*this, header.stepPtr, packets_ + size_t{1})),
        order_(request.upload<uint32_t>(*this, header.order, header.rows)),
        packed_(request.upload<uint32_t>(*this, header.packed, stored(request, header))),
        values_(request, *this, header.values, 0, stored(request, header)) {
    if (sharedBytes_ > request.context->properties.sharedMemPerBlockOptin) {
      scratch_ = request.room<X>(*this, 2 * size_t{room_} * packets_);
      kernel_ = packets<false, V, X>;
      sharedBytes_ = 0;
    } else {
      kernel_ = packets<true, V, X>;
      CUDA_CHECK(cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(request.context->properties.sharedMemPerBlockOptin)));
    }
    method = "packets";
  }

  void run(cudaStream_t stream, const void* x, void* y, double alpha, double beta) override {
    if (packets_ == 0) return;
    const Packets<V, X> a{lanes_, room_, packetPtr_.data(), stepPtr_.data(), order_.data(), packed_.data(), values_.view()};
    const uint32_t threads = std::max(MIN_THREADS, divideUp(lanes_, WARP) * WARP);
    kernel_<<<packets_, threads, sharedBytes_, stream>>>(a, scratch_.data(), static_cast<const X*>(x), static_cast<X*>(y),
                                                         static_cast<X>(alpha), static_cast<X>(beta));
    CHECK_LAUNCH("pkt packets");
  }

 private:
  /** Number of entries, including padding. */
  static size_t stored(const Request& request, const PktHeader& header) {
    return size_t{header.lanes} * request.heap.at<uint32_t>(header.stepPtr, header.packets + size_t{1}).back();
  }

  uint32_t packets_, lanes_, room_;
  size_t sharedBytes_;
  DeviceArray<uint32_t> packetPtr_, stepPtr_, order_, packed_;
  StoredValues<V, X> values_;
  DeviceArray<X> scratch_;
  void (*kernel_)(Packets<V, X>, X*, const X*, X*, X, X);
};

constexpr MethodEntry METHODS[] = {{"packets"}};

std::unique_ptr<Plan> makePkt(const Request& request) {
  const auto& header = request.heap.header<PktHeader>(request.header);
  const Method method(request.method, METHODS);
  return withTypes(request.dtype, [&]<class V, class X>(Types<V, X>) -> std::unique_ptr<Plan> {
    return std::make_unique<PktPlan<V, X>>(request, header);
  });
}

}  // namespace

extern const KernelEntry pktKernel;
const KernelEntry pktKernel{"pkt", "spmv", makePkt, METHODS};

}  // namespace sparlane
