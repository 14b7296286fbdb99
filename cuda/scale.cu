/**
 * y ← β y: the first stage of products whose other stages only add. Stage: `src/formats/layout/scale.ts`.
 *
 * Methods:
 *   element   a thread per element.
 * Bound: bytes, 2 X rows; X rows where β = 0, which overwrites; none where β = 1.
 */
#include "device.cuh"

namespace sparlane {
namespace {

/** `ScaleHeader` in `assembly/scale.ts`. */
struct ScaleHeader {
  uint32_t rows;
};
static_assert(sizeof(ScaleHeader) == 4);

constexpr MethodEntry METHODS[] = {{"element"}};

constexpr int BLOCK = 256;

template <class X>
__global__ void __launch_bounds__(BLOCK) scaleElements(uint32_t rows, X* y, X beta) {
  const uint32_t row = blockIdx.x * BLOCK + threadIdx.x;
  if (row < rows) y[row] = beta == X{0} ? X{0} : beta * y[row];
}

template <class X>
class ScalePlan final : public Plan {
 public:
  ScalePlan(const Request& request, const ScaleHeader& header) : rows_(header.rows) {
    method = Method(request.method, METHODS).name();
  }

  void run(cudaStream_t stream, const void*, void* y, double, double beta) override {
    if (rows_ == 0 || beta == 1) return;
    scaleElements<<<divideUp(rows_, BLOCK), BLOCK, 0, stream>>>(rows_, static_cast<X*>(y), static_cast<X>(beta));
    CHECK_LAUNCH("scale");
  }

 private:
  uint32_t rows_;
};

std::unique_ptr<Plan> makeScale(const Request& request) {
  const auto& header = request.heap.header<ScaleHeader>(request.header);
  return withTypes(request.dtype, [&](auto types) -> std::unique_ptr<Plan> {
    return std::make_unique<ScalePlan<typename decltype(types)::Sum>>(request, header);
  });
}

}  // namespace

extern const KernelEntry scaleKernel;
const KernelEntry scaleKernel{"y", "scale", makeScale, METHODS};

}  // namespace sparlane
