/**
 * Complex CSR, and maps of single complex numbers, on the device: y ← α A x + β y, where values, x and y are pairs (re, im). Layouts:
 * `src/complex/stored.ts`, `src/complex/unary.ts`.
 *
 * Methods: `vector?width=w` (Bell & Garland 2008, §4.2): w neighbouring lanes per row, by default as many as the mean row has entries, at most a warp. Each lane sums
 *   every w-th entry of the row; a tree adds the lanes.
 *   `element`: a thread per number.
 * Bound: bytes, 4 + 2 V per entry and 4 X per row; a gather is a whole pair, of 16 bytes in f64.
 */
#include "device.cuh"

namespace sparlane {

namespace {

constexpr int THREADS = 256;
constexpr uint32_t ALL_LANES = 0xffffffffu;

template <class T>
using PairOf = std::conditional_t<sizeof(T) == 8, double2, float2>;

/** y ← α sum + β y; β = 0 overwrites. */
template <class X>
__device__ __forceinline__ void putPair(PairOf<X>* y, PairOf<X> sum, X alpha, X beta) {
  PairOf<X> result{alpha * sum.x, alpha * sum.y};
  if (beta != X{0}) {
    const PairOf<X> before = *y;
    result.x += beta * before.x;
    result.y += beta * before.y;
  }
  *y = result;
}

/** The sum of every `WIDTH`-th entry of a row, from the lane's own on, then of all lanes of the row. `sign`: −1 for the conjugate. */
template <int WIDTH, class V, class X>
__global__ void __launch_bounds__(THREADS)
    rowsByLanes(uint32_t rows, const uint32_t* __restrict__ rowPtr, const uint32_t* __restrict__ colIdx,
                const PairOf<V>* __restrict__ values, X sign, const PairOf<X>* __restrict__ x, PairOf<X>* y, X alpha, X beta) {
  const uint64_t thread = uint64_t{blockIdx.x} * THREADS + threadIdx.x;
  const uint64_t row = thread / WIDTH;
  PairOf<X> sum{0, 0};
  // All lanes of a warp take part in the tree.
  if (row < rows) {
    const uint32_t end = rowPtr[row + 1];
    for (uint32_t k = rowPtr[row] + static_cast<uint32_t>(thread % WIDTH); k < end; k += WIDTH) {
      const PairOf<V> a = values[k];
      const PairOf<X> e = x[colIdx[k]];
      const X re = static_cast<X>(a.x), im = sign * static_cast<X>(a.y);
      sum.x += re * e.x - im * e.y;
      sum.y += re * e.y + im * e.x;
    }
  }
#pragma unroll
  for (int step = WIDTH / 2; step > 0; step /= 2) {
    sum.x += __shfl_down_sync(ALL_LANES, sum.x, step, WIDTH);
    sum.y += __shfl_down_sync(ALL_LANES, sum.y, step, WIDTH);
  }
  if (row < rows && thread % WIDTH == 0) putPair<X>(y + row, sum, alpha, beta);
}

constexpr MethodEntry CSR_METHODS[] = {{"vector", {"width"}}};

template <class V, class X>
class ComplexCsrPlan final : public Plan {
 public:
  ComplexCsrPlan(const Request& request, const ComplexHeader& header) : sign_(header.conjugate ? X{-1} : X{1}) {
    const auto& csr = request.heap.header<CsrHeader>(header.matrix);
    const Method given(request.method, CSR_METHODS);
    rows_ = csr.rows;
    const uint32_t mean = rows_ == 0 ? 0 : csr.nnz / rows_;
    int width = 2;
    while (width < WARP && static_cast<uint32_t>(width) < mean) width *= 2;
    width_ = given.get("width", width, 1, WARP);
    if ((width_ & (width_ - 1)) != 0)
      throw Failure{"argument", "width: expected a power of two from 1 to 32, got " + std::to_string(width_)};
    method = "vector?width=" + std::to_string(width_);
    rowPtr_ = request.share<uint32_t>(*this, csr.rowPtr, rows_ + size_t{1});
    colIdx_ = request.share<uint32_t>(*this, csr.colIdx, csr.nnz);
    values_ = request.share<V>(*this, header.values, 2 * size_t{csr.nnz});
  }

  void run(cudaStream_t stream, const void* x, void* y, double alpha, double beta) override {
    if (rows_ == 0) return;
    switch (width_) {
      case 1: return launch<1>(stream, x, y, alpha, beta);
      case 2: return launch<2>(stream, x, y, alpha, beta);
      case 4: return launch<4>(stream, x, y, alpha, beta);
      case 8: return launch<8>(stream, x, y, alpha, beta);
      case 16: return launch<16>(stream, x, y, alpha, beta);
      default: return launch<32>(stream, x, y, alpha, beta);
    }
  }

 private:
  template <int WIDTH>
  void launch(cudaStream_t stream, const void* x, void* y, double alpha, double beta) const {
    rowsByLanes<WIDTH, V, X><<<divideUp(uint64_t{rows_} * WIDTH, THREADS), THREADS, 0, stream>>>(
        rows_, rowPtr_.data(), colIdx_.data(), reinterpret_cast<const PairOf<V>*>(values_.data()), sign_,
        static_cast<const PairOf<X>*>(x), static_cast<PairOf<X>*>(y), static_cast<X>(alpha), static_cast<X>(beta));
    CHECK_LAUNCH("complex csr");
  }

  DeviceArray<uint32_t> rowPtr_, colIdx_;
  DeviceArray<V> values_;
  uint32_t rows_;
  int width_;
  X sign_;
};

std::unique_ptr<Plan> makeComplexCsr(const Request& request) {
  const auto& header = request.heap.header<ComplexHeader>(request.header);
  return withTypes(request.dtype, [&]<class V, class X>(Types<V, X>) -> std::unique_ptr<Plan> {
    return std::make_unique<ComplexCsrPlan<V, X>>(request, header);
  });
}

template <class X>
__global__ void __launch_bounds__(THREADS)
    mapPairs(uint32_t rows, bool exchanges, X reSign, X imSign, const PairOf<X>* __restrict__ x, PairOf<X>* y, X alpha, X beta) {
  const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= rows) return;
  const PairOf<X> e = x[i];
  putPair<X>(y + i, {reSign * (exchanges ? e.y : e.x), imSign * (exchanges ? e.x : e.y)}, alpha, beta);
}

constexpr MethodEntry UNARY_METHODS[] = {{"element"}};

template <class X>
class UnaryPlan final : public Plan {
 public:
  UnaryPlan(const Request& request, const UnaryHeader& header)
      : rows_(header.rows),
        exchanges_(header.exchanges != 0),
        reSign_(header.negatesReal ? X{-1} : X{1}),
        imSign_(header.negatesImaginary ? X{-1} : X{1}) {
    method = Method(request.method, UNARY_METHODS).name();
  }

  void run(cudaStream_t stream, const void* x, void* y, double alpha, double beta) override {
    if (rows_ == 0) return;
    mapPairs<X><<<divideUp(rows_, THREADS), THREADS, 0, stream>>>(rows_, exchanges_, reSign_, imSign_,
                                                                  static_cast<const PairOf<X>*>(x), static_cast<PairOf<X>*>(y),
                                                                  static_cast<X>(alpha), static_cast<X>(beta));
    CHECK_LAUNCH("complex map");
  }

 private:
  uint32_t rows_;
  bool exchanges_;
  X reSign_, imSign_;
};

std::unique_ptr<Plan> makeUnary(const Request& request) {
  const auto& header = request.heap.header<UnaryHeader>(request.header);
  return withTypes(request.dtype, [&](auto types) -> std::unique_ptr<Plan> {
    return std::make_unique<UnaryPlan<typename decltype(types)::Sum>>(request, header);
  });
}

}  // namespace

extern const KernelEntry complexCsrKernel, complexUnaryKernel;
const KernelEntry complexCsrKernel{"complex_csr", "spmv", makeComplexCsr, CSR_METHODS};
const KernelEntry complexUnaryKernel{"complex", "unary", makeUnary, UNARY_METHODS};

}  // namespace sparlane
