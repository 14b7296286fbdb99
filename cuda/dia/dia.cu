/**
 * DIA, diagonals: no column indices. Layout: `src/formats/dia/dia.ts`.
 *
 * Source: Bell & Garland 2008, §4.1.
 * Differs: the diagonals of a chunk are stored one after the other, 64 bytes of y high, instead of each diagonal in one piece;
 *   so a thread's values are a chunk's height apart. Chunks inside the matrix, all but a few, are located without a pointer: no
 *   read of a thread depends on another read, except that of the offsets, which are in L1.
 * Methods:
 *   row     a thread per row. `unroll`: diagonals in a batch, 5, 7 or 9, read before the first is used; `block`: threads.
 *   Two neighbouring rows per thread, with their values in one read, were no faster: 5-point in f32 32.6 µs, with one 30.7; 27-point 60.7 and
 *   58.3. (H200, November 2026.)
 * Bound: bytes, V · stored + X (rows + cols). With many diagonals far apart the bandwidth of L2 is nearly the bound: each group
 *   of adjacent diagonals reads x from L2 once, except the part that a block's rows share.
 */
#include "dia/dia.cuh"

namespace sparlane {
namespace {

constexpr MethodEntry METHODS[] = {{"row", {"unroll", "block"}}};

/**
 * Default threads. Together with a batch chosen by the number of diagonals, they are within 2.1 % of the best of 64 to 512 threads
 * and batches of 5, 7 and 9, on 5-point, 27-point and 7×7 blocks at a quarter of their size; batches of 5 or 7 lose 4 to 15 % on the
 * last two. (H200, f64, November 2026, `bench/cuda/shapes.mjs`.)
 */
constexpr int BLOCK = 256;
/** The largest batch has so many diagonals. */
constexpr int MOST_UNROLL = 9;

constexpr int MAX_THREADS = 512;

/** sum + values · x over a batch of diagonals: all of them if ALL, else the first `left`. x is 0 outside the matrix. */
template <int UNROLL, bool ALL, class V, class X>
__device__ __forceinline__ X addBatch(X sum, const V* values, const int32_t* offsets, uint32_t row, uint32_t cols, const X* x,
                                      uint32_t left) {
  constexpr uint32_t HEIGHT = CHUNK_ROWS<X>;
  uint32_t column[UNROLL];
  V value[UNROLL];
  X factor[UNROLL];
#pragma unroll
  for (uint32_t j = 0; j < UNROLL; j++) {
    if (ALL || j < left) value[j] = stream(values + j * HEIGHT);
  }
#pragma unroll
  for (uint32_t j = 0; j < UNROLL; j++) column[j] = ALL || j < left ? row + __ldg(offsets + j) : cols;
#pragma unroll
  for (uint32_t j = 0; j < UNROLL; j++) factor[j] = column[j] < cols ? __ldg(x + column[j]) : X{0};
#pragma unroll
  for (uint32_t j = 0; j < UNROLL; j++) {
    if (ALL || j < left) sum += static_cast<X>(value[j]) * factor[j];
  }
  return sum;
}

template <class V, class X, int UNROLL>
__global__ void __launch_bounds__(MAX_THREADS)
    rowKernel(Diagonals a, const V* data, const X* __restrict__ x, X* __restrict__ y, X alpha, X beta) {
  constexpr uint32_t HEIGHT = CHUNK_ROWS<X>;
  const uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= a.rows) return;
  const uint32_t inside = row / HEIGHT - a.insideBegin;
  uint32_t begin;
  uint32_t left = a.count;
  const int32_t* offsets = a.offsets;
  if (inside < a.insideChunks) {
    begin = a.insideBeginOf(inside);
  } else {
    const uint32_t chunk = row / HEIGHT;
    begin = __ldg(a.chunkPtr + chunk);
    const uint32_t first = a.below(1 - static_cast<int32_t>((chunk + 1) * HEIGHT));
    left = a.below(static_cast<int32_t>(a.cols - chunk * HEIGHT)) - first;
    offsets += first;
  }
  const V* values = data + (size_t{begin} * HEIGHT + row % HEIGHT);
  X sum = 0;
#pragma unroll 1
  for (; left >= UNROLL; left -= UNROLL) {
    sum = addBatch<UNROLL, true>(sum, values, offsets, row, a.cols, x, left);
    values += UNROLL * HEIGHT;
    offsets += UNROLL;
  }
  if (left > 0) sum = addBatch<UNROLL, false>(sum, values, offsets, row, a.cols, x, left);
  put(y + row, sum, alpha, beta);
}

template <class V, class X>
class DiaPlan final : public Plan {
 public:
  DiaPlan(const Request& request, const DiaHeader& header) {
    constexpr uint32_t HEIGHT = CHUNK_ROWS<X>;
    const auto chunkPtr = request.heap.at<uint32_t>(header.chunkPtr, divideUp(header.rows, HEIGHT) + size_t{1});
    offsets_ = request.share<int32_t>(*this, header.offsets, header.diagonals);
    chunkPtr_ = request.share(*this, chunkPtr);
    data_ = request.share<V>(*this, header.data, size_t{chunkPtr.back()} * HEIGHT);
    view_ = diagonalsOf(header, chunkPtr, offsets_.data(), chunkPtr_.data());
    const Method asked(request.method, METHODS);
    unroll_ = asked.get("unroll", header.diagonals <= 5 ? 5 : header.diagonals <= 7 ? 7 : MOST_UNROLL, 5, MOST_UNROLL) | 1;
    block_ = asked.get("block", BLOCK, WARP, MAX_THREADS) / WARP * WARP;
    method = "row?unroll=" + std::to_string(unroll_) + "&block=" + std::to_string(block_);
  }

  void run(cudaStream_t stream, const void* x, void* y, double alpha, double beta) override {
    if (view_.rows == 0) return;
    const auto kernel = unroll_ == 5 ? rowKernel<V, X, 5> : unroll_ == 7 ? rowKernel<V, X, 7> : rowKernel<V, X, MOST_UNROLL>;
    kernel<<<divideUp(view_.rows, block_), block_, 0, stream>>>(view_, data_.data(), static_cast<const X*>(x), static_cast<X*>(y),
                                                                static_cast<X>(alpha), static_cast<X>(beta));
    CHECK_LAUNCH("dia");
  }

 private:
  DeviceArray<int32_t> offsets_;
  DeviceArray<uint32_t> chunkPtr_;
  DeviceArray<V> data_;
  Diagonals view_;
  int unroll_, block_;
};

std::unique_ptr<Plan> makeDia(const Request& request) {
  const auto& header = request.heap.header<DiaHeader>(request.header);
  return withTypes(request.dtype, [&](auto types) -> std::unique_ptr<Plan> {
    return std::make_unique<DiaPlan<typename decltype(types)::Stored, typename decltype(types)::Sum>>(request, header);
  });
}

}  // namespace

extern const KernelEntry diaKernel;
const KernelEntry diaKernel{"dia", "spmv", makeDia, METHODS};

}  // namespace sparlane
