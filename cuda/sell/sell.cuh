/** Common to the files of SELL: the header, the arrays on the device, pieces of long chunks, and the types of values. */
#pragma once
#include <bit>

#include "pieces.cuh"

namespace sparlane {

/** The starts of the chunks, and where the last one ends. */
inline std::span<const uint32_t> chunkPtrOf(const Request& request, const SellHeader& header) {
  return request.heap.at<uint32_t>(header.chunkPtr, divideUp(header.rows, header.chunkHeight) + size_t{1});
}

/** The arrays of a matrix on the device. */
template <class V, class I, class X>
struct StoredChunks {
  uint32_t rows;
  /** log2 C. */
  uint32_t shift;
  DeviceArray<uint32_t> chunkPtr, rowOf, chunkBase;
  DeviceArray<I> colIdx;
  StoredValues<V, X> values;

  StoredChunks(const Request& request, Plan& plan, const SellHeader& header, uint32_t entries)
      : rows(header.rows),
        shift(std::countr_zero(header.chunkHeight)),
        chunkPtr(request.share(plan, chunkPtrOf(request, header))),
        rowOf(request.share<uint32_t>(plan, header.rowOf, header.rows)),
        chunkBase(request.share<uint32_t>(plan, header.chunkBase, chunkPtr.length() - 1)),
        colIdx(request.share<I>(plan, header.colIdx, entries)),
        values(request, plan, header.values, header.table, entries) {}
};

/** The pieces of chunks of at least `least` columns, each of at most `most`. */
inline PieceList cutChunks(const Request& request, const SellHeader& header, uint32_t least, uint32_t most) {
  const auto chunkPtr = chunkPtrOf(request, header);
  const auto rowOf = header.rowOf == 0 ? std::span<const uint32_t>() : request.heap.at<uint32_t>(header.rowOf, header.rows);
  PieceList list;
  for (uint32_t chunk = 0; chunk + 1 < chunkPtr.size(); chunk++) {
    const uint32_t columns = (chunkPtr[chunk + 1] - chunkPtr[chunk]) / header.chunkHeight;
    if (columns < least) continue;
    const uint32_t first = chunk * header.chunkHeight;
    const auto rowAt = [&](uint32_t i) { return rowOf.empty() ? first + i : rowOf[first + i]; };
    list.cut(chunk, columns, most, std::min(header.chunkHeight, header.rows - first), rowAt);
  }
  return list;
}

/** Padding is a stored zero, so values are always stored (no patterns). */
template <class Use>
decltype(auto) withPadded(Dtype dtype, uint32_t table, Use&& use) {
  if (table == 0) return withTypes(dtype, use);
  return dtype == Dtype::f32 ? use(Types<Coded, float>{}) : use(Types<Coded, double>{});
}

/** Makes a `PLAN<V, I, X>(request, header, more…)`, I as the columns are stored. */
template <template <class, class, class> class PLAN, class V, class X, class... More>
std::unique_ptr<Plan> makeOfTypes(const Request& request, const SellHeader& header, const More&... more) {
  if (header.chunkBase == 0) return std::make_unique<PLAN<V, uint32_t, X>>(request, header, more...);
  return std::make_unique<PLAN<V, uint16_t, X>>(request, header, more...);
}

/** The same, V as the values are stored. */
template <template <class, class, class> class PLAN, class... More>
std::unique_ptr<Plan> makeOverChunks(const Request& request, const More&... more) {
  const auto& header = request.heap.header<SellHeader>(request.header);
  return withPadded(request.dtype, header.table,
                    [&]<class V, class X>(Types<V, X>) { return makeOfTypes<PLAN, V, X>(request, header, more...); });
}

}  // namespace sparlane
