/**
 * Blocks of vectors with CSR: Y ← α A X + β Y by rows (`block-rows.cuh`). Layout: `src/formats/csr.ts`. Also CSR-k, whose first arrays
 * are CSR.
 */
#include "block-rows.cuh"
#include "csr.cuh"

namespace sparlane {

namespace {

template <class V, class X>
struct CsrRows {
  static constexpr bool CUTS = true;
  static constexpr uint32_t heightShift = 0;
  uint32_t rows;
  const uint32_t* rowPtr;
  const uint32_t* colIdx;
  Values<V, X> values;

  __device__ __forceinline__ RowEntries<V, uint32_t, X> entries(uint32_t row) const {
    const uint32_t begin = __ldg(rowPtr + row);
    return {colIdx, values, begin, 1, __ldg(rowPtr + row + 1) - begin, 0};
  }
  __device__ __forceinline__ uint32_t rowAt(uint32_t row) const { return row; }
};

template <class V, class X>
class CsrBlocksPlan final : public BlockRowsPlan<X> {
 public:
  CsrBlocksPlan(const Request& request, const CsrHeader& header, Places colIdx)
      : BlockRowsPlan<X>(request, header.rows, header.nnz),
        rows_(header.rows),
        colIdx_(request.share(*this, colIdx)),
        values_(request, *this, header.values, header.table, header.nnz + READ_PAST) {
    const auto rowPtr = request.heap.at<uint32_t>(header.rowPtr, rows_ + size_t{1});
    rowPtr_ = request.share(*this, rowPtr);
    PieceList list;
    for (uint32_t row = 0; row < rows_; row++) {
      const uint32_t count = rowPtr[row + 1] - rowPtr[row];
      if (count > LONGEST) list.cut(row, count, PIECE, 1, [&](uint32_t) { return row; });
    }
    this->cut(request, list);
  }

  void runBlocks(cudaStream_t stream, const void* x, void* y, uint32_t stride, double alpha, double beta) override {
    const CsrRows<V, X> a{rows_, rowPtr_.data(), colIdx_.data(), values_.view()};
    this->runRows(stream, a, static_cast<const X*>(x), static_cast<X*>(y), stride, static_cast<X>(alpha), static_cast<X>(beta));
  }

 private:
  uint32_t rows_;
  DeviceArray<uint32_t> rowPtr_, colIdx_;
  StoredValues<V, X> values_;
};

std::unique_ptr<Plan> make(const Request& request) {
  const auto& header = request.heap.header<CsrHeader>(request.header);
  return makeCsrBlocks(request, header, request.heap.at<uint32_t>(header.colIdx, header.nnz + READ_PAST));
}

}  // namespace

std::unique_ptr<Plan> makeCsrBlocks(const Request& request, const CsrHeader& header, Places colIdx) {
  return withValues(request.dtype, header.values, header.table, [&]<class V, class X>(Types<V, X>) -> std::unique_ptr<Plan> {
    return std::make_unique<CsrBlocksPlan<V, X>>(request, header, colIdx);
  });
}

extern const KernelEntry csrBlocksKernel;
const KernelEntry csrBlocksKernel{"csr", "spmm", make, STRIPS};

}  // namespace sparlane
