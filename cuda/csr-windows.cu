/**
 * CSR by windows of columns: y ← α A x + β y; a block adds the entries of its rows window by window, and has their sums in shared memory.
 *
 * Source: cache blocking (Im, Yelick & Vuduc 2004; Nishtala et al. 2007), with the sums instead of x in the faster memory: in a window, the
 *   whole block reads the same few elements of x, each from L2 once and then from L1. No warp waits for another: with a barrier after each
 *   window 713 × 1,181,379 takes 137 µs, without 110 (H200, f64, 23 November 2026).
 * Differs: the sums of a warp are its own, and the lanes of a chunk have different ones (`csr-windows.cuh`). So nothing is added atomically.
 *   Where rows are few, several blocks have the same rows and different columns. Their sums are added by the one that ends last, always in the same
 *   order.
 * For: rows of many entries whose columns are scattered over an x larger than L1: other methods take 7 ps for such an entry on an H200, the time of
 *   a sector from L2, this one 2.3 to 4 in f32 and 3.3 to 5 in f64.
 * Bound: by bytes, 4 + V per entry; else by L1, which serves 2.8 elements a cycle, by bank conflicts of the sums, and by the latency of a warp: `RESULTS.md`.
 * Cost: when the plan is made, about 25 ns per entry on the host, so only a patient plan has windows by default.
 */
#include <cmath>

#include "csr-windows-grid.cuh"

namespace sparlane {
namespace {

constexpr int WINDOW_THREADS = WINDOW_WARPS * WARP;
/** Of shared memory, for what the kernel has there besides the sums, and as much for the driver. */
constexpr size_t STATIC_BYTES = 1024;

struct WindowsView {
  const WindowBlock* blocks;
  const WarpChunks* warps;
  const uint32_t* bases;
  const uint32_t* codes;
  /** Null if every row has one slot. */
  const uint32_t* slotPtr;
  uint32_t rows;
  /** Blocks with the same rows, one after the other. */
  uint32_t shares;
  /** For each group how many of its blocks have ended; 0 between products. */
  uint32_t* ended;
};

/** A batch of chunks, as read. */
template <class V, class X>
struct ChunkBatch {
  uint32_t codes[CHUNK_BATCH], bases[CHUNK_BATCH];
  typename Values<V, X>::Stored stored[CHUNK_BATCH];

  __device__ __forceinline__ void load(const WindowsView& a, const Values<V, X>& values, uint32_t chunk) {
    const uint32_t place = chunk * WARP + threadIdx.x % WARP;
#pragma unroll
    for (int i = 0; i < CHUNK_BATCH; i++) codes[i] = stream(a.codes + place + i * WARP);
#pragma unroll
    for (int i = 0; i < CHUNK_BATCH; i++) stored[i] = values.read(place + i * WARP);
#pragma unroll
    for (int i = 0; i < CHUNK_BATCH; i++) bases[i] = __ldg(a.bases + chunk + i);
  }
};

/** For each of `rows` rows the sum of `sumOf(row, lane, lanes)` over its lanes, given to `use(row, sum)`. The whole block must call this. */
template <class X, class SumOf, class Use>
__device__ __forceinline__ void eachRow(uint32_t rows, const SumOf& sumOf, const Use& use) {
  uint32_t shift = 0;
  while (shift < 5 && rows << (shift + 1) <= WINDOW_THREADS) shift++;
  const uint32_t lanes = 1u << shift, lane = threadIdx.x & (lanes - 1);
  for (uint32_t first = 0; first < rows; first += WINDOW_THREADS >> shift) {
    const uint32_t row = first + (threadIdx.x >> shift);
    X sum = row < rows ? sumOf(row, lane, lanes) : X{0};
    for (uint32_t step = lanes / 2; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step, lanes);
    if (row < rows && lane == 0) use(row, sum);
  }
}

template <class V, class X>
__global__ void __launch_bounds__(WINDOW_THREADS, 1)
    addWindows(const WindowsView a, Values<V, X> values, const X* __restrict__ x, X* y, X* shared, X alpha, X beta) {
  extern __shared__ uint4 memory[];
  X* const sums = reinterpret_cast<X*>(memory);
  const WindowBlock block = a.blocks[blockIdx.x];
  const WarpChunks own = a.warps[blockIdx.x * WINDOW_WARPS + threadIdx.x / WARP];
  ChunkBatch<V, X> batch;
  if (own.count > 0) batch.load(a, values, own.first);
  // The last one is of the places that are left.
  for (uint32_t i = threadIdx.x; i <= block.slots; i += WINDOW_THREADS) sums[i] = X{0};
  __syncthreads();
#pragma unroll 1
  for (uint32_t chunk = 0; chunk < own.count; chunk += CHUNK_BATCH) {
    X elements[CHUNK_BATCH];
    const ChunkBatch<V, X> now = batch;
#pragma unroll
    for (int i = 0; i < CHUNK_BATCH; i++) elements[i] = __ldg(x + now.bases[i] + (now.codes[i] & 0xffff));
    if (chunk + CHUNK_BATCH < own.count) batch.load(a, values, own.first + chunk + CHUNK_BATCH);
#pragma unroll
    for (int i = 0; i < CHUNK_BATCH; i++) {
      sums[now.codes[i] >> 16] += values.decode(now.stored[i]) * elements[i];
      __syncwarp();
    }
  }
  __syncthreads();
  const uint32_t group = blockIdx.x / a.shares, share = blockIdx.x % a.shares;
  const uint32_t rows = block.rowEnd - block.row;
  const auto ofSlots = [&](uint32_t row, uint32_t lane, uint32_t lanes) {
    if (a.slotPtr == nullptr) return lane == 0 ? sums[row] : X{0};
    const uint32_t* const ptr = a.slotPtr + block.row + group + row;
    X sum{0};
    for (uint32_t slot = ptr[0] + lane; slot < ptr[1]; slot += lanes) sum += sums[slot];
    return sum;
  };
  if (a.shares == 1) {
    eachRow<X>(rows, ofSlots, [&](uint32_t row, X sum) { put(y + block.row + row, sum, alpha, beta); });
    return;
  }
  X* const begin = shared + block.row;
  eachRow<X>(rows, ofSlots, [&](uint32_t row, X sum) { __stcg(begin + size_t{share} * a.rows + row, sum); });
  __shared__ bool isLast;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    isLast = atomicAdd(a.ended + group, 1) == a.shares - 1;
    if (isLast) a.ended[group] = 0;
  }
  __syncthreads();
  if (!isLast) return;
  __threadfence();
  const auto ofShares = [&](uint32_t row, uint32_t lane, uint32_t lanes) {
    X sum{0};
#pragma unroll 8
    for (uint32_t other = lane; other < a.shares; other += lanes) sum += __ldcg(begin + size_t{other} * a.rows + row);
    return sum;
  };
  eachRow<X>(rows, ofShares, [&](uint32_t row, X sum) { put(y + block.row + row, sum, alpha, beta); });
}

/** to[i] = from[entryOf[i]]. */
template <class T>
__global__ void __launch_bounds__(256) takeEntries(uint32_t places, const uint32_t* entryOf, const T* from, T* to) {
  const uint32_t place = blockIdx.x * 256 + threadIdx.x;
  if (place < places) to[place] = from[entryOf[place]];
}

template <class V, class X>
class WindowsPlan : public Plan {
 public:
  WindowsPlan(const Request& request, const CsrHeader& header, const WindowLayout& layout, Grid grid)
      : values_(request, *this, header.values, header.table, header.nnz + READ_PAST),
        blocks_(request.upload(*this, std::span{layout.blocks})),
        warps_(request.upload(*this, std::span{layout.warps})),
        bases_(request.upload(*this, std::span{layout.bases})),
        codes_(request.upload(*this, std::span{layout.codes})),
        bytesOfSums_((layout.mostSlots + 1) * sizeof(X)) {
    const cudaStream_t stream = request.context->stream;
    if (layout.hasLongRows) slotPtr_ = request.upload(*this, std::span{layout.slotPtr});
    if (grid.shares > 1) {
      shared_ = request.room<X>(*this, size_t{grid.shares} * header.rows);
      ended_ = request.room<uint32_t>(*this, grid.groups);
      CUDA_CHECK(cudaMemsetAsync(ended_.data(), 0, ended_.bytes(), stream));
    }
    if constexpr (!std::is_same_v<V, Ones>) {
      DeviceArray<uint32_t> entryOf(request.context, layout.entryOf.size());
      queueCopy(entryOf.data(), layout.entryOf.data(), entryOf.bytes(), cudaMemcpyHostToDevice, stream);
      auto taken = request.room<typename Values<V, X>::Stored>(*this, entryOf.length());
      bytes -= values_.values.bytes();
      takeEntries<<<divideUp(entryOf.length(), 256), 256, 0, stream>>>(static_cast<uint32_t>(entryOf.length()), entryOf.data(),
                                                                       values_.values.data(), taken.data());
      CHECK_LAUNCH("csr take entries");
      values_.values = std::move(taken);
    }
    view_ = {blocks_.data(),  warps_.data(), bases_.data(), codes_.data(),
             slotPtr_.data(), header.rows,   grid.shares,   ended_.data()};
    const auto kernel = addWindows<V, X>;
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(request.context->properties.sharedMemPerBlockOptin - STATIC_BYTES)));
    const auto all = static_cast<double>(request.context->properties.sharedMemPerMultiprocessor);
    carveout_ = std::min(100, static_cast<int>(std::ceil(100 * (static_cast<double>(bytesOfSums_) + 2 * STATIC_BYTES) / all)));
  }

  void run(cudaStream_t stream, const void* x, void* y, double alpha, double beta) override {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributePreferredSharedMemoryCarveout;
    attribute.val.sharedMemCarveout = carveout_;
    cudaLaunchConfig_t config{};
    config.gridDim = static_cast<uint32_t>(blocks_.length());
    config.blockDim = WINDOW_THREADS;
    config.dynamicSmemBytes = bytesOfSums_;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CUDA_CHECK(cudaLaunchKernelEx(&config, addWindows<V, X>, view_, values_.view(), static_cast<const X*>(x), static_cast<X*>(y),
                                  shared_.data(), static_cast<X>(alpha), static_cast<X>(beta)));
    CHECK_LAUNCH("csr windows");
  }

 private:
  StoredValues<V, X> values_;
  DeviceArray<WindowBlock> blocks_;
  DeviceArray<WarpChunks> warps_;
  DeviceArray<uint32_t> bases_, codes_, slotPtr_, ended_;
  DeviceArray<X> shared_;
  size_t bytesOfSums_;
  int carveout_;
  WindowsView view_;
};

}  // namespace

std::unique_ptr<Plan> makeWindows(const Request& request, const CsrHeader& header, Places colIdx, const Method& method) {
  const bool isAsked = method.name() == "windows";
  if (header.nnz < (isAsked ? 1 : LEAST_ENTRIES_OF_WINDOWS)) return nullptr;
  const cudaDeviceProp& device = request.context->properties;
  const auto multiprocessors = static_cast<uint32_t>(device.multiProcessorCount);
  const uint32_t width = request.dtype == Dtype::f32 ? 4 : 8;
  const size_t room = std::min<size_t>(device.sharedMemPerBlockOptin - 2 * STATIC_BYTES,
                                       static_cast<size_t>(SUMS_SHARE * static_cast<double>(device.sharedMemPerMultiprocessor)));
  const auto mostSlots = static_cast<uint32_t>(std::min<size_t>(room / width, MOST_SLOTS) - 1);
  // Long rows have some slots more.
  const uint32_t mostOfGroup = mostSlots - WINDOW_WARPS * LEAST_SLOTS;
  const auto groups = static_cast<uint32_t>(method.get("groups", 0, 0, static_cast<int>(multiprocessors)));
  const Grid grid = gridOf(header, multiprocessors, width, mostOfGroup, groups);
  if (grid.groups == 0) return nullptr;
  double mostNs = INFINITY, mostPlaces = INFINITY;
  if (!isAsked) {
    mostNs = LESS * packedNs(request, header, colIdx, width);
    mostPlaces = (mostNs - predictNs(grid, header, width, 0)) / (CHUNK_NS * chunksOf(grid, header, 1));
    if (mostPlaces < 1) return nullptr;
  }
  const auto columns =
      static_cast<uint32_t>(method.get("columns", static_cast<int>(usualColumns(grid, header, width)), 1, 1 << 16));
  const auto rowPtr = request.heap.at<uint32_t>(header.rowPtr, header.rows + size_t{1});
  const WindowLayout layout(rowPtr, colIdx.first(header.nnz), header.cols, grid, columns, mostOfGroup, mostPlaces);
  if (layout.busiest == 0 || layout.mostSlots > mostSlots || layout.codes.size() > UINT32_MAX) return nullptr;
  if (predictNs(grid, header, width, layout.busiest) > mostNs) return nullptr;
  return withValues(request.dtype, header.values, header.table, [&]<class V, class X>(Types<V, X>) -> std::unique_ptr<Plan> {
    auto plan = std::make_unique<WindowsPlan<V, X>>(request, header, layout, grid);
    plan->method = "windows?columns=" + std::to_string(columns) + "&groups=" + std::to_string(grid.groups);
    return plan;
  });
}

}  // namespace sparlane
