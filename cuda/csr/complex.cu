/**
 * Complex CSR and a single vector: y ← α A x + β y. Layout: `src/formats/csr/csr.ts`, with pairs (re, im) as values. Also CSR-k, whose first
 * arrays are CSR.
 *
 * Methods: `packed?entries&bits&clustered&shared` (`packed.cuh`), as real CSR: rows packed into tiles, in order or in that of clusters.
 * Bound: bytes. With values of V bytes an entry takes 2 + 2 V, or 4 + 2 V where its columns do not fit in 16 bits. A gather is of a whole
 *   pair: 16 bytes in f64.
 */
#include "complex/complex.cuh"
#include "csr/packed-candidates.cuh"

namespace sparlane {

std::unique_ptr<Plan> makeComplexCsr(const Request& request, Places colIdx) {
  const auto& header = headerOfPairs<CsrHeader>(request);
  std::vector<Candidate> candidates;
  addPacked(candidates, request, header, colIdx, Method(request.method, COMPLEX_CSR), Sizes::ofPairs(request.dtype),
            [&](const auto&... how) {
              return withPairs<Complex, CsrHeader>(request,
                                                   [&]<class V, class X>(Types<V, X>, const CsrHeader&) -> std::unique_ptr<Plan> {
                                                     return std::make_unique<PackedPlan<V, X>>(request, header, colIdx, how...);
                                                   });
            });
  return makeLeast(candidates);
}

namespace {

std::unique_ptr<Plan> make(const Request& request) {
  const auto& header = headerOfPairs<CsrHeader>(request);
  return makeComplexCsr(request, columnsOf(request, header));
}

}  // namespace

extern const KernelEntry complexCsrKernel;
const KernelEntry complexCsrKernel{"complex_csr", "spmv", make, COMPLEX_CSR};

}  // namespace sparlane
