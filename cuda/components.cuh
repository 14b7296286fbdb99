/** Common to the files of components: the header. */
#pragma once
#include "plan.cuh"

namespace sparlane {

/** `ComponentsHeader` of `assembly/components.ts`, word for word. */
struct ComponentsHeader {
  uint32_t rows, cols, nnz, sliceRows;
  uint32_t entryPtr, piecePtr, rowIdx, colIdx, values, table;
};
static_assert(sizeof(ComponentsHeader) == 40);

}  // namespace sparlane
