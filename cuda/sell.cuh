/** Common to the files of SELL: the header, and the types of values. */
#pragma once
#include "plan.cuh"

namespace sparlane {

/** `SellHeader` in `assembly/sell.ts`. */
struct SellHeader {
  uint32_t rows, cols, nnz;
  /** C: 4 or 8. */
  uint32_t chunkHeight;
  /** In entries. */
  uint32_t chunkPtr;
  uint32_t colIdx, values;
  /** The values that codes stand for; else 0. */
  uint32_t table;
  /** The row of each lane; 0 if rows are in order. */
  uint32_t rowOf;
  /** Base of 16-bit columns; 0 if columns have 32 bits. */
  uint32_t chunkBase;
};
static_assert(sizeof(SellHeader) == 40);

/** Padding is a stored zero, so values are always stored (no patterns). */
template <class Use>
decltype(auto) withPadded(Dtype dtype, uint32_t table, Use&& use) {
  if (table == 0) return withTypes(dtype, use);
  return dtype == Dtype::f32 ? use(Types<Coded, float>{}) : use(Types<Coded, double>{});
}

}  // namespace sparlane
