/**
 * Complex matrices on the device: y ← α A x + β y, where values are pairs (re, im) in the layout of a real matrix (`src/complex/stored.ts`).
 *
 * The kernels are those of real matrices, with numbers that are pairs (`numbers.cuh`). A file `<format>/blocks.cu` has those of blocks of complex vectors,
 * and but for CSR those of single ones, too, which are blocks with one pair in a row. Single vectors with CSR and COO have the kernels of real ones.
 * Methods of single vectors: CSR and CSR-k: `packed` (`csr/complex.cu`). COO: `runs` (`coo/coo.cu`). ELL, SELL and DIA: `strips?slots`
 *   (`blocks/rows.cuh`), by default with one lane for a row, since its neighbours read the entries of neighbouring rows. BSR (`bsr/blocks.cu`): lanes have
 *   a panel. HYB: those of ELL and COO. Rows of more than 128 entries are cut in ELL and SELL, block rows as those of real matrices.
 * Bound: bytes. With values of V bytes an entry takes 2 + 2 V or 4 + 2 V in CSR and CSR-k, 8 + 2 V in COO, in ELL and SELL 4 + 2 V with padding, or
 *   2 + 2 V with 16-bit columns, 2 V in DIA, 2 V + 4 / b² in BSR; a row takes 4 X for x and y, and 4 in CSR and CSR-k. A gather is of a whole pair:
 *   16 bytes in f64. Blocks of vectors: gathers of two rows of X for each entry, where X is larger than L2.
 */
#pragma once
#include "device.cuh"

namespace sparlane {

/** Returns the header of the real matrix in whose layout the pairs of a complex one are stored. */
template <class Header>
const Header& headerOfPairs(const Request& request) {
  return request.heap.header<Header>(request.heap.header<ComplexHeader>(request.header).matrix);
}

/**
 * Calls `use(Types<V, X>{}, header)` with the header of the layout: V are pairs, X is ELEMENT of a type of numbers: `Complex` for a single vector,
 * `Part` for a block of vectors.
 */
template <template <class> class ELEMENT, class Header, class Use>
std::unique_ptr<Plan> withPairs(const Request& request, Use&& use) {
  const auto& header = headerOfPairs<Header>(request);
  return withTypes(request.dtype, [&]<class V, class X>(Types<V, X>) -> std::unique_ptr<Plan> {
    return use(Types<Complex<V>, ELEMENT<X>>{}, header);
  });
}

}  // namespace sparlane
