/**
 * y ← β y: the first stage of products whose other stages only add. Stage: `src/formats/layout/scale.ts`.
 *
 * Methods:
 *   element   a thread per element.
 * Bound: bytes, 2 X rows; X rows where β = 0, which overwrites; none where β = 1.
 */
#include "scale.cuh"

namespace sparlane {
namespace {

constexpr MethodEntry METHODS[] = {{"element"}};

template <class X>
class ScalePlan final : public Plan {
 public:
  ScalePlan(const Request& request, const ScaleHeader& header) : rows_(header.rows) {
    method = Method(request.method, METHODS).name();
  }

  void run(cudaStream_t stream, const void*, void* y, double, double beta) override {
    scale(stream, rows_, static_cast<X*>(y), static_cast<X>(beta));
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
