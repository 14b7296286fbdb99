/**
 * CSR by windows of columns: y ← α A x + β y; a block adds the entries of its rows window by window, and has their sums in shared memory.
 *
 * Source: cache blocking (Im, Yelick & Vuduc 2004; Nishtala et al. 2007), with the sums instead of x in the faster memory: in a window, the
 *   whole block reads the same few elements of x, each from L2 once and then from L1. No warp waits for another: with a barrier after each
 *   window 713 × 1,181,379 takes 137 µs, without 110 (H200, f64, 23 November 2026).
 * Differs: the sums of a warp are its own, and the lanes of a chunk have different ones (`windows.cuh`). So nothing is added atomically.
 *   Several blocks may have the same rows and different columns: a second kernel adds their sums.
 * For: entries that are scattered over an x larger than L1: other methods take 7 to 8 ps for such an entry on an H200, the time of a sector from L2,
 *   this one, from ten million entries on, 2.3 to 5 in f32 and 3.3 to 8 in f64.
 * Bound: by L1, which serves 2.8 elements a cycle, and by bytes, 4 + V per entry; where few entries of a block are in the same sectors of x, by these;
 *   and by the latency of its busiest warp: `RESULTS.md`.
 * Cost: when the plan is made, 30 to 70 ns per entry on the host, so only a patient plan has windows by default.
 */
#include <cmath>

#include "candidate.cuh"
#include "csr/windows-costs.cuh"

namespace sparlane {
namespace {

constexpr int WINDOW_THREADS = WINDOW_WARPS * WARP;
constexpr int ADD_THREADS = 256;
/** Threads that the device keeps busy. */
constexpr uint32_t ADD_LANES = 1u << 17;
/** Of shared memory, for what the kernel has there besides the sums, and as much for the driver. */
constexpr size_t STATIC_BYTES = 1024;

struct WindowsView {
  const WindowBlock* blocks;
  const WarpChunks* warps;
  const uint32_t* bases;
  const uint32_t* codes;
  /** Null if every row has one slot. */
  const uint32_t* slotPtr;
  const LongRow* longRows;
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

/** Lanes that add the sums of a row, a power of 2: as many as give each of the `threads` a sum, up to a warp. */
inline uint32_t lanesOfRow(uint32_t rows, uint32_t threads) {
  uint32_t lanes = 1;
  while (lanes < WARP && uint64_t{rows} * lanes * 2 <= threads) lanes *= 2;
  return lanes;
}

template <class V, class X>
__global__ void __launch_bounds__(WINDOW_THREADS, 1)
    addWindows(const WindowsView a, Values<V, X> values, const X* __restrict__ x, X* y, X* sumsOfBlocks, X alpha, X beta) {
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
  const auto write = [&](uint32_t row, X sum) {
    if (block.sums == NOT_SHARED) put(y + block.row + row, sum, alpha, beta);
    else sumsOfBlocks[block.sums + row] = sum;
  };
  for (uint32_t row = threadIdx.x; row < block.rowEnd - block.row; row += WINDOW_THREADS) {
    if (a.slotPtr == nullptr) {
      write(row, sums[row]);
      continue;
    }
    const uint32_t* const ptr = a.slotPtr + block.slotPtr + row;
    const uint32_t begin = ptr[0], end = ptr[1];
    if (end - begin > MOST_SLOTS_OF_THREAD) continue;
    X sum = sums[begin];
    for (uint32_t slot = begin + 1; slot < end; slot++) sum += sums[slot];
    write(row, sum);
  }
  for (uint32_t i = block.longRow + threadIdx.x / WARP; i < block.longRowEnd; i += WINDOW_WARPS) {
    const LongRow row = a.longRows[i];
    X sum{0};
    for (uint32_t slot = row.slot + threadIdx.x % WARP; slot < row.slotEnd; slot += WARP) sum += sums[slot];
    sum = sumOfGroup<WARP>(sum);
    if (threadIdx.x % WARP == 0) write(row.row, sum);
  }
}

/** The rows that several blocks share. A block of threads has rows of one group. */
template <class X>
__global__ void __launch_bounds__(ADD_THREADS)
    addShares(const SharedRows* shared, uint32_t lanes, const X* __restrict__ sumsOfBlocks, X* y, X alpha, X beta) {
  const SharedRows group = shared[blockIdx.y];
  const uint32_t rows = group.rowEnd - group.row, lane = threadIdx.x & (lanes - 1);
  const uint32_t row = (blockIdx.x * ADD_THREADS + threadIdx.x) / lanes;
  X sum{0};
  if (row < rows) {
#pragma unroll 8
    for (uint32_t share = lane; share < group.shares; share += lanes)
      sum += __ldcs(sumsOfBlocks + group.sums + share * rows + row);
  }
  sum = sumOfGroup(sum, lanes);
  if (row < rows && lane == 0) put(y + group.row + row, sum, alpha, beta);
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
  WindowsPlan(const Request& request, const CsrHeader& header, const WindowLayout& layout)
      : values_(request, *this, header.values, header.table, header.nnz + READ_PAST),
        blocks_(request.upload(*this, std::span{layout.blocks})),
        warps_(request.upload(*this, std::span{layout.warps})),
        bases_(request.upload(*this, std::span{layout.bases})),
        codes_(request.upload(*this, std::span{layout.codes})),
        bytesOfSums_((layout.mostSlots + 1) * sizeof(X)) {
    const cudaStream_t stream = request.context->stream;
    if (layout.hasSplitRows) slotPtr_ = request.upload(*this, std::span{layout.slotPtr});
    if (!layout.longRows.empty()) longRows_ = request.upload(*this, std::span{layout.longRows});
    if (layout.sums > 0) {
      shared_ = request.upload(*this, std::span{layout.shared});
      sums_ = request.room<X>(*this, layout.sums);
      for (const SharedRows& group : layout.shared) mostShared_ = std::max(mostShared_, group.rowEnd - group.row);
      lanes_ = lanesOfRow(mostShared_, ADD_LANES / static_cast<uint32_t>(layout.shared.size()));
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
    view_ = {blocks_.data(), warps_.data(), bases_.data(), codes_.data(), slotPtr_.data(), longRows_.data()};
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
                                  sums_.data(), static_cast<X>(alpha), static_cast<X>(beta)));
    CHECK_LAUNCH("csr windows");
    if (mostShared_ == 0) return;
    const dim3 grid{divideUp(uint64_t{mostShared_} * lanes_, ADD_THREADS), static_cast<uint32_t>(shared_.length())};
    addShares<X><<<grid, ADD_THREADS, 0, stream>>>(shared_.data(), lanes_, sums_.data(), static_cast<X*>(y),
                                                   static_cast<X>(alpha), static_cast<X>(beta));
    CHECK_LAUNCH("csr add shares");
  }

 private:
  StoredValues<V, X> values_;
  DeviceArray<WindowBlock> blocks_;
  DeviceArray<WarpChunks> warps_;
  DeviceArray<uint32_t> bases_, codes_, slotPtr_;
  DeviceArray<LongRow> longRows_;
  DeviceArray<SharedRows> shared_;
  DeviceArray<X> sums_;
  /** Most rows of a group that blocks share, and lanes for each of its rows. */
  uint32_t mostShared_ = 0, lanes_ = 1;
  size_t bytesOfSums_;
  int carveout_;
  WindowsView view_;
};

}  // namespace

std::optional<Candidate> windowsOf(const Request& request, const CsrHeader& header, Places colIdx, const Method& method,
                                   double othersNs) {
  if (header.nnz == 0 || header.cols > uint64_t{MOST_BINS} * WIDEST_WINDOW) return {};
  const cudaDeviceProp& device = request.context->properties;
  const Rates& rates = request.context->rates;
  const uint32_t width = Sizes::of(request.dtype, header).element;
  const size_t room = std::min<size_t>(device.sharedMemPerBlockOptin - 2 * STATIC_BYTES,
                                       static_cast<size_t>(SUMS_SHARE * static_cast<double>(device.sharedMemPerMultiprocessor)));
  const auto mostSlots = static_cast<uint32_t>(std::min<size_t>(room / width, MOST_SLOTS) - 1);
  // Long rows have some slots more.
  const uint32_t mostOfGroup = mostSlots - WINDOW_WARPS * LEAST_SLOTS;
  const auto asked = static_cast<uint32_t>(method.get("groups", 0, 0, static_cast<int>(rates.multiprocessors)));
  const auto rowPtr = request.heap.at<uint32_t>(header.rowPtr, header.rows + size_t{1});
  const WindowSize size{static_cast<uint32_t>(method.get("columns", WINDOW_BYTES / width, 1, WIDEST_WINDOW)),
                        static_cast<uint32_t>(method.get("entries", WINDOW_ENTRIES, 0, 1 << 20))};
  std::optional<Candidate> best;
  Grid grid;
  // If columns follow the rows, few of a block's warps have entries in its columns: then a block had better have all columns.
  for (const uint32_t groups : {asked, rates.multiprocessors}) {
    Grid next = gridOf(rates, header, rowPtr, width, mostOfGroup, groups);
    if (next.groups() == 0 || next.groups() == grid.groups()) continue;
    const auto leastNs = [&](double placesOfEntry) {
      return leastWindowsNs(rates, header, request.dtype, placesOfEntry * header.nnz, placesOfEntry * next.entries / WARP);
    };
    const double limitNs = std::min(othersNs, best ? best->ns : INFINITY);
    Candidate candidate{{"windows", leastNs(1)}, {}};
    if (candidate.ns < limitNs) {
      const double nsOfPlace = WINDOWS_FACTOR * chunkNs(rates, width) * next.entries / WARP;
      auto layout = std::make_shared<const WindowLayout>(rowPtr, colIdx.first(header.nnz), header.cols, next, size,
                                                         (limitNs - WINDOWS_FACTOR * START_NS) / nsOfPlace, SECTOR_BYTES / width);
      if (layout->mostSlots > mostSlots || layout->codes.size() > UINT32_MAX) continue;
      // A layout that was given up takes more than the limit.
      candidate.ns = layout->busiest == 0 ? limitNs : predictNs(rates, header, *layout, request.dtype);
      if (layout->busiest > 0) {
        candidate.make = [=, groupsOfRows = next.groups()] {
          return withValues(
              request.dtype, header.values, header.table, [&]<class V, class X>(Types<V, X>) -> std::unique_ptr<Plan> {
                auto plan = std::make_unique<WindowsPlan<V, X>>(request, header, *layout);
                plan->method = "windows?columns=" + std::to_string(size.columns) + "&groups=" + std::to_string(groupsOfRows);
                return plan;
              });
        };
      }
    }
    grid = std::move(next);
    if (!best || candidate.ns < best->ns) best = std::move(candidate);
    if (asked > 0) break;
  }
  return best;
}

}  // namespace sparlane
