/** The header of CSR-k. */
#pragma once
#include "csr.cuh"

namespace sparlane {

/** `CsrkHeader` of `assembly/csrk.ts`, word for word. */
struct CsrkHeader {
  CsrHeader csr;
  uint32_t units;
  uint32_t superRowPtr;
  uint32_t superSuperRowPtr;
  uint32_t superRowBase;
};
static_assert(sizeof(CsrkHeader) == 48);

}  // namespace sparlane
