/**
 * Blocks of vectors with COO: Y ← α A X + β Y by entries (`blocks/spans.cuh`). Layout: `src/formats/coo/coo.ts`. Also the rest of HYB, which
 * adds to Y. Complex matrices use these kernels for blocks.
 */
#include "blocks/spans.cuh"
#include "complex/complex.cuh"
#include "coo/coo.cuh"

namespace sparlane {

namespace {

constexpr MethodEntry METHODS[] = {{"spans", {"entries"}}};

/** A matrix that adds leaves the rows without entries as they are. */
SpanList spansOf(const Request& request, const CooAtomicHeader& coo, uint32_t shift) {
  const auto rowIdx = request.heap.at<uint32_t>(coo.rowIdx, coo.nnz);
  SpanList list(shift, coo.nnz);
  const auto addEmpty = [&](uint32_t first, uint32_t end) {
    if (coo.adds) return;
    for (uint32_t row = first; row < end; row++) list.add(row, 0, 0);
  };
  uint32_t row = 0;
  for (uint32_t begin = 0, end; begin < coo.nnz; begin = end) {
    for (end = begin + 1; end < coo.nnz && rowIdx[end] == rowIdx[begin]; end++) continue;
    addEmpty(row, rowIdx[begin]);
    list.add(rowIdx[begin], begin, end);
    row = rowIdx[begin] + 1;
  }
  addEmpty(row, coo.rows);
  return list;
}

template <class V, class X>
class CooBlocksPlan final : public BlockPlan<X> {
 public:
  CooBlocksPlan(const Request& request, const CooAtomicHeader& coo, uint32_t shift)
      : entries_(request, *this, coo), spans_(request, *this, coo.nnz, spansOf(request, coo, shift)) {
    this->method = nameOfSpans(shift);
  }

  void runBlocks(cudaStream_t stream, const void* x, void* y, uint32_t stride, double alpha, double beta) override {
    const Entries<V, X> a = entries_.view();
    spans_.run(stream, a.colIdx, a.values, static_cast<const X*>(x), static_cast<X*>(y), stride, static_cast<Scalar<X>>(alpha),
               static_cast<Scalar<X>>(beta));
  }

 private:
  StoredEntries<V, X> entries_;
  BlockSpans<V, X> spans_;
};

std::unique_ptr<Plan> make(const Request& request) {
  const auto& coo = request.heap.header<CooAtomicHeader>(request.header);
  const uint32_t shift = spanShiftOf(Method(request.method, METHODS));
  return withValues(request.dtype, coo.values, coo.table, [&]<class V, class X>(Types<V, X>) -> std::unique_ptr<Plan> {
    return std::make_unique<CooBlocksPlan<V, X>>(request, coo, shift);
  });
}

std::unique_ptr<Plan> makeComplex(const Request& request) {
  const uint32_t shift = spanShiftOf(Method(request.method, METHODS));
  return withPairs<Part, CooAtomicHeader>(
      request, [&]<class V, class X>(Types<V, X>, const CooAtomicHeader& coo) -> std::unique_ptr<Plan> {
        return std::make_unique<CooBlocksPlan<V, X>>(request, coo, shift);
      });
}

}  // namespace

extern const KernelEntry cooBlocksKernel, complexCooBlocksKernel;
const KernelEntry cooBlocksKernel{"coo", "spmm", make, METHODS};
const KernelEntry complexCooBlocksKernel{"complex_coo", "spmm", makeComplex, METHODS};

}  // namespace sparlane
