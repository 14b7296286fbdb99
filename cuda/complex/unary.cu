/**
 * Maps of single complex numbers: multiplication by i, and conjugation. Stage: `src/complex/unary.ts`.
 *
 * Methods: `element`: a thread per number.
 * Bound: bytes, 4 X per number, and 2 X more where β is not 0.
 */
#include "device.cuh"

namespace sparlane {

namespace {

constexpr int THREADS = 256;

template <class X>
__global__ void __launch_bounds__(THREADS) mapPairs(uint32_t rows, bool exchanges, X reSign, X imSign,
                                                    const Complex<X>* __restrict__ x, Complex<X>* y, X alpha, X beta) {
  const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= rows) return;
  const Complex<X> e = x[i];
  put(y + i, Complex<X>{reSign * (exchanges ? e.im : e.re), imSign * (exchanges ? e.re : e.im)}, alpha, beta);
}

constexpr MethodEntry METHODS[] = {{"element"}};

template <class X>
class UnaryPlan final : public Plan {
 public:
  UnaryPlan(const Request& request, const UnaryHeader& header)
      : rows_(header.rows),
        exchanges_(header.exchanges != 0),
        reSign_(header.negatesReal ? X{-1} : X{1}),
        imSign_(header.negatesImaginary ? X{-1} : X{1}) {
    method = Method(request.method, METHODS).name();
  }

  void run(cudaStream_t stream, const void* x, void* y, double alpha, double beta) override {
    if (rows_ == 0) return;
    mapPairs<X><<<divideUp(rows_, THREADS), THREADS, 0, stream>>>(rows_, exchanges_, reSign_, imSign_,
                                                                  static_cast<const Complex<X>*>(x), static_cast<Complex<X>*>(y),
                                                                  static_cast<X>(alpha), static_cast<X>(beta));
    CHECK_LAUNCH("complex map");
  }

 private:
  uint32_t rows_;
  bool exchanges_;
  X reSign_, imSign_;
};

std::unique_ptr<Plan> make(const Request& request) {
  const auto& header = request.heap.header<UnaryHeader>(request.header);
  return withTypes(request.dtype, [&](auto types) -> std::unique_ptr<Plan> {
    return std::make_unique<UnaryPlan<typename decltype(types)::Sum>>(request, header);
  });
}

}  // namespace

extern const KernelEntry complexUnaryKernel;
const KernelEntry complexUnaryKernel{"complex", "unary", make, METHODS};

}  // namespace sparlane
