/**
 * Complex CSR and a single vector: y ← α A x + β y. Layout: `src/formats/csr/csr.ts`, with pairs (re, im) as values. Also CSR-k, whose first
 * arrays are CSR.
 *
 * Methods: `packed?entries&bits` (`packed.cuh`): rows packed into tiles, with columns of 16 bits where they fit.
 *   `strips?slots` (`csr/blocks.cu`): that many lanes have a row. `runs` (`coo/coo.cu`): equal shares of the entries. Both are for comparison.
 * Bound: bytes; with values of V bytes 2 + 2 V for an entry, or 4 + 2 V. A gather is of a whole pair: 16 bytes in f64.
 */
#include "complex/complex.cuh"
#include "coo/coo.cuh"
#include "csr/packed-candidates.cuh"

namespace sparlane {

std::unique_ptr<Plan> makeComplexCsr(const Request& request, Places colIdx) {
  const Method asked(request.method, COMPLEX_CSR);
  if (asked.name() == "strips") return makeComplexStrips(request, colIdx);
  const auto& header = request.heap.header<CsrHeader>(request.heap.header<ComplexHeader>(request.header).matrix);
  if (asked.name() == "runs" || header.nnz == 0)
    return makeComplexRuns(request, request.heap.at<uint32_t>(header.rowPtr, header.rows + size_t{1}), colIdx);
  std::vector<Candidate> candidates;
  addPacked(candidates, request, header, colIdx, asked, Sizes::ofPairs(request.dtype), [&](const auto&... how) {
    return withPairs<Complex, CsrHeader>(request, [&]<class V, class X>(Types<V, X>, const CsrHeader&) -> std::unique_ptr<Plan> {
      return std::make_unique<PackedPlan<V, X>>(request, header, colIdx, how...);
    });
  });
  return makeLeast(candidates);
}

namespace {

std::unique_ptr<Plan> make(const Request& request) {
  const auto& header = request.heap.header<CsrHeader>(request.heap.header<ComplexHeader>(request.header).matrix);
  return makeComplexCsr(request, columnsOf(request, header));
}

}  // namespace

extern const KernelEntry complexCsrKernel;
const KernelEntry complexCsrKernel{"complex_csr", "spmv", make, COMPLEX_CSR};

}  // namespace sparlane
