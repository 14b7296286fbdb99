/**
 * Blocks of vectors with SELL and ELL: Y ← α A X + β Y by rows of chunks (`block-rows.cuh`). Layout: `src/formats/sell/sell.ts`. The
 * teams of a warp read a column of a chunk from neighbouring places.
 */
#include <bit>

#include "block-rows.cuh"
#include "sell.cuh"

namespace sparlane {

namespace {

template <class V, class I, class X>
struct SellRows {
  static constexpr bool CUTS = true;
  uint32_t rows;
  /** log2 C. */
  uint32_t heightShift;
  const uint32_t* chunkPtr;
  const I* colIdx;
  Values<V, X> values;
  const uint32_t* rowOf;
  const uint32_t* chunkBase;

  __device__ __forceinline__ RowEntries<V, I, X> entries(uint32_t place) const {
    const uint32_t chunk = place >> heightShift;
    const uint32_t height = 1u << heightShift;
    const uint32_t begin = __ldg(chunkPtr + chunk);
    const uint32_t count = (__ldg(chunkPtr + chunk + 1) - begin) >> heightShift;
    const uint32_t base = sizeof(I) == sizeof(uint16_t) ? __ldg(chunkBase + chunk) : 0;
    return {colIdx, values, begin + (place & (height - 1)), height, count, base};
  }
  __device__ __forceinline__ uint32_t rowAt(uint32_t place) const { return rowOf == nullptr ? place : __ldg(rowOf + place); }
};

template <class V, class I, class X>
class SellBlocksPlan final : public BlockRowsPlan<X> {
 public:
  SellBlocksPlan(const Request& request, const SellHeader& header, std::span<const uint32_t> chunkPtr)
      : BlockRowsPlan<X>(request, header.rows, chunkPtr.back()),
        rows_(header.rows),
        shift_(std::countr_zero(header.chunkHeight)),
        chunkPtr_(request.share(*this, chunkPtr)),
        rowOf_(request.share<uint32_t>(*this, header.rowOf, header.rows)),
        chunkBase_(request.share<uint32_t>(*this, header.chunkBase, chunkPtr.size() - 1)),
        colIdx_(request.share<I>(*this, header.colIdx, chunkPtr.back())),
        values_(request, *this, header.values, header.table, chunkPtr.back()) {
    const auto rowOf = header.rowOf == 0 ? std::span<const uint32_t>() : request.heap.at<uint32_t>(header.rowOf, rows_);
    PieceList list;
    for (uint32_t chunk = 0; chunk + 1 < chunkPtr.size(); chunk++) {
      const uint32_t columns = (chunkPtr[chunk + 1] - chunkPtr[chunk]) >> shift_;
      if (columns <= LONGEST) continue;
      const uint32_t first = chunk << shift_;
      const auto rowAt = [&](uint32_t i) { return rowOf.empty() ? first + i : rowOf[first + i]; };
      list.cut(chunk, columns, PIECE, std::min(1u << shift_, rows_ - first), rowAt);
    }
    this->cut(request, list);
  }

  void runBlocks(cudaStream_t stream, const void* x, void* y, uint32_t stride, double alpha, double beta) override {
    const SellRows<V, I, X> a{rows_, shift_, chunkPtr_.data(), colIdx_.data(), values_.view(), rowOf_.data(), chunkBase_.data()};
    this->runRows(stream, a, static_cast<const X*>(x), static_cast<X*>(y), stride, static_cast<X>(alpha), static_cast<X>(beta));
  }

 private:
  uint32_t rows_, shift_;
  DeviceArray<uint32_t> chunkPtr_, rowOf_, chunkBase_;
  DeviceArray<I> colIdx_;
  StoredValues<V, X> values_;
};

std::unique_ptr<Plan> make(const Request& request) {
  const auto& header = request.heap.header<SellHeader>(request.header);
  const auto chunkPtr = request.heap.at<uint32_t>(header.chunkPtr, divideUp(header.rows, header.chunkHeight) + size_t{1});
  return withPadded(request.dtype, header.table, [&](auto types) -> std::unique_ptr<Plan> {
    using V = typename decltype(types)::Stored;
    using X = typename decltype(types)::Sum;
    if (header.chunkBase == 0) return std::make_unique<SellBlocksPlan<V, uint32_t, X>>(request, header, chunkPtr);
    return std::make_unique<SellBlocksPlan<V, uint16_t, X>>(request, header, chunkPtr);
  });
}

}  // namespace

extern const KernelEntry sellBlocksKernel;
const KernelEntry sellBlocksKernel{"sell", "spmm", make, STRIPS};

}  // namespace sparlane
