/**
 * Transposed products by scattering: y ← α Aᵀ x + β y from the entries of A, which row i of A multiplies by xᵢ and adds to y by
 * column. For CSR, CSR-k and COO; on the CPU: `assembly/scatter.ts`.
 *
 * Differs: there, each part has a y of its own; here the adds are atomic, so the bits of y may differ from run to run.
 * Methods: `atomic`: a warp has equally many entries, for any distribution of row lengths. With CSR it finds the rows of its first and
 *   last entry by a search of rowPtr, and each lane those of its entries between them.
 * Bound: atomic adds, at L2; in columns of many entries one after the other.
 */
#include "coo/coo.cuh"
#include "csr/csr.cuh"
#include "scale.cuh"
#include "scatter.cuh"

namespace sparlane {

namespace {

constexpr int THREADS = 256;
/**
 * Entries of a lane, 32 apart. 5-point takes 68, 64 and 67 µs with 4, 8 and 16, R-MAT 134, 141 and 149, 3 × 3 blocks 62, 59 and 57. (H200, f64,
 * November 2026, `bench/cuda/blocks.mjs`.)
 */
constexpr uint32_t ITEMS = 8;
constexpr uint32_t SPAN = ITEMS * WARP;

/** The row in [low, high) of entry k, if rowPtr[low] ≤ k < rowPtr[high]. Rows without entries are passed over. */
__device__ __forceinline__ uint32_t rowOf(const uint32_t* rowPtr, uint32_t k, uint32_t low, uint32_t high) {
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    if (__ldg(rowPtr + middle) <= k) low = middle;
    else high = middle;
  }
  return low;
}

template <class V, class X>
__global__ void __launch_bounds__(THREADS)
    scatterRows(uint32_t rows, uint32_t nnz, CsrView<V, uint32_t, X> a, const X* __restrict__ x, X* y, X alpha) {
  const uint32_t warp = blockIdx.x * (THREADS / WARP) + threadIdx.x / WARP;
  const uint64_t begin = uint64_t{warp} * SPAN;
  if (begin >= nnz) return;
  const auto end = static_cast<uint32_t>(min(begin + SPAN, uint64_t{nnz}));
  uint32_t row = rowOf(a.rowPtr, static_cast<uint32_t>(begin), 0, rows);
  const uint32_t last = rowOf(a.rowPtr, end - 1, row, rows);
#pragma unroll 4
  for (uint32_t i = 0; i < ITEMS; i++) {
    const uint64_t k = begin + i * WARP + threadIdx.x % WARP;
    if (k >= end) return;
    const auto entry = static_cast<uint32_t>(k);
    row = rowOf(a.rowPtr, entry, row, last + 1);
    atomicAdd(y + stream(a.colIdx + entry), alpha * (a.values.at(entry) * __ldg(x + row)));
  }
}

template <class V, class X>
__global__ void __launch_bounds__(THREADS) scatterEntries(Entries<V, X> a, const X* __restrict__ x, X* y, X alpha) {
  const uint64_t k = uint64_t{blockIdx.x} * THREADS + threadIdx.x;
  if (k >= a.nnz) return;
  const auto entry = static_cast<uint32_t>(k);
  const uint32_t row = stream(a.rowIdx + entry);
  atomicAdd(y + stream(a.colIdx + entry), alpha * (a.values.at(entry) * __ldg(x + row)));
}

template <class V, class X>
class CsrScatterPlan final : public Plan {
 public:
  CsrScatterPlan(const Request& request, const CsrHeader& header, Places colIdx)
      : rows_(header.rows),
        cols_(header.cols),
        nnz_(header.nnz),
        rowPtr_(request.share<uint32_t>(*this, header.rowPtr, header.rows + size_t{1})),
        colIdx_(request.share(*this, colIdx)),
        values_(request, *this, header.values, header.table, header.nnz + READ_PAST) {
    method = Method(request.method, SCATTER).name();
  }

  void run(cudaStream_t stream, const void* x, void* y, double alpha, double beta) override {
    scale(stream, cols_, static_cast<X*>(y), static_cast<X>(beta));
    if (nnz_ == 0) return;
    const CsrView<V, uint32_t, X> a{rowPtr_.data(), colIdx_.data(), values_.view()};
    scatterRows<V, X><<<divideUp(nnz_, SPAN * (THREADS / WARP)), THREADS, 0, stream>>>(rows_, nnz_, a, static_cast<const X*>(x),
                                                                                       static_cast<X*>(y), static_cast<X>(alpha));
    CHECK_LAUNCH("csr scatter");
  }

 private:
  uint32_t rows_, cols_, nnz_;
  DeviceArray<uint32_t> rowPtr_, colIdx_;
  StoredValues<V, X> values_;
};

template <class V, class X>
class CooScatterPlan final : public Plan {
 public:
  CooScatterPlan(const Request& request, const CooAtomicHeader& coo) : cols_(coo.cols), entries_(request, *this, coo) {
    method = Method(request.method, SCATTER).name();
  }

  void run(cudaStream_t stream, const void* x, void* y, double alpha, double beta) override {
    scale(stream, cols_, static_cast<X*>(y), static_cast<X>(beta));
    const Entries<V, X> a = entries_.view();
    if (a.nnz == 0) return;
    scatterEntries<<<divideUp(a.nnz, THREADS), THREADS, 0, stream>>>(a, static_cast<const X*>(x), static_cast<X*>(y),
                                                                     static_cast<X>(alpha));
    CHECK_LAUNCH("coo scatter");
  }

 private:
  uint32_t cols_;
  StoredEntries<V, X> entries_;
};

std::unique_ptr<Plan> makeCsr(const Request& request) {
  const auto& header = request.heap.header<CsrHeader>(request.header);
  return makeCsrScatter(request, header, request.heap.at<uint32_t>(header.colIdx, header.nnz + READ_PAST));
}

std::unique_ptr<Plan> makeCoo(const Request& request) {
  const auto& coo = request.heap.header<CooAtomicHeader>(request.header);
  return withValues(request.dtype, coo.values, coo.table, [&]<class V, class X>(Types<V, X>) -> std::unique_ptr<Plan> {
    return std::make_unique<CooScatterPlan<V, X>>(request, coo);
  });
}

}  // namespace

std::unique_ptr<Plan> makeCsrScatter(const Request& request, const CsrHeader& header, Places colIdx) {
  return withValues(request.dtype, header.values, header.table, [&]<class V, class X>(Types<V, X>) -> std::unique_ptr<Plan> {
    return std::make_unique<CsrScatterPlan<V, X>>(request, header, colIdx);
  });
}

extern const KernelEntry csrScatterKernel, cooScatterKernel;
const KernelEntry csrScatterKernel{"csr", "spmv_t", makeCsr, SCATTER};
const KernelEntry cooScatterKernel{"coo", "spmv_t", makeCoo, SCATTER};

}  // namespace sparlane
