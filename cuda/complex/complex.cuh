/**
 * Complex matrices on the device: y ← α A x + β y, where values are pairs (re, im) in the layout of a real matrix (`src/complex/stored.ts`).
 *
 * The kernels are those of real blocks of vectors, with numbers that are pairs (`numbers.cuh`). Each file `<format>/blocks.cu` has both: blocks of
 * complex vectors, and single ones, which are blocks with one pair in a row. Single vectors with COO have the kernel of real ones (`coo/coo.cu`).
 * Methods of single vectors: `strips?slots` (`blocks/rows.cuh`): that many lanes have a row. CSR and CSR-k: a lane for each four entries of the mean
 *   row. ELL, SELL and DIA: one lane, since its neighbours read the entries of neighbouring rows. BSR (`bsr/blocks.cu`): lanes have a panel. COO,
 *   and CSR and CSR-k of uneven rows: `runs`. HYB: those of ELL and COO. Rows of more than 128 entries are cut, except those of DIA;
 *   block rows as those of real matrices.
 * Bound: bytes. With values of V bytes an entry takes 4 + 2 V in CSR and CSR-k, 8 + 2 V in COO, in ELL and SELL 4 + 2 V with padding, or 2 + 2 V with
 *   16-bit columns, 2 V in DIA, 2 V + 4 / b² in BSR; a row takes 4 X for x and y, and 4 in CSR and CSR-k. A gather is of a whole pair: 16 bytes in f64.
 *   Blocks of vectors: gathers of two rows of X for each entry, where X is larger than L2.
 */
#pragma once
#include "device.cuh"

namespace sparlane {

/**
 * Calls `use(Types<V, X>{}, header)` with the header of the layout: V are pairs, X is ELEMENT of a type of numbers: `Complex` for a single vector,
 * `Part` for a block of vectors.
 */
template <template <class> class ELEMENT, class Header, class Use>
std::unique_ptr<Plan> withPairs(const Request& request, Use&& use) {
  const auto& pairs = request.heap.header<ComplexHeader>(request.header);
  const auto& header = request.heap.header<Header>(pairs.matrix);
  return withTypes(request.dtype, [&]<class V, class X>(Types<V, X>) -> std::unique_ptr<Plan> {
    return use(Types<Complex<V>, ELEMENT<X>>{}, header);
  });
}

}  // namespace sparlane
