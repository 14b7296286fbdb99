/**
 * Blocks of vectors with CSR: Y ← α A X + β Y by rows (`blocks/rows.cuh`), or by entries (`blocks/spans.cuh`) where neighbouring rows differ
 * in length. Layout: `src/formats/csr/csr.ts`. Also CSR-k, whose first arrays are CSR.
 * Complex matrices use these kernels for blocks.
 */
#include "blocks/spans.cuh"
#include "complex/complex.cuh"
#include "csr/csr.cuh"

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
      if (count > LONGEST<X>) list.cut(row, count, PIECE<X>, 1, [&](uint32_t) { return row; });
    }
    this->cut(request, list);
  }

  void runBlocks(cudaStream_t stream, const void* x, void* y, uint32_t stride, double alpha, double beta) override {
    const CsrRows<V, X> a{rows_, rowPtr_.data(), colIdx_.data(), values_.view()};
    this->runRows(stream, a, static_cast<const X*>(x), static_cast<X*>(y), stride, static_cast<Scalar<X>>(alpha),
                  static_cast<Scalar<X>>(beta));
  }

 private:
  uint32_t rows_;
  DeviceArray<uint32_t> rowPtr_, colIdx_;
  StoredValues<V, X> values_;
};

template <class V, class X>
class CsrSpansPlan final : public BlockPlan<X> {
 public:
  CsrSpansPlan(const Request& request, const CsrHeader& header, Places colIdx, uint32_t shift)
      : colIdx_(request.share(*this, colIdx)),
        values_(request, *this, header.values, header.table, header.nnz + READ_PAST),
        spans_(request, *this, header.nnz, spansOf(request.heap.at<uint32_t>(header.rowPtr, header.rows + size_t{1}), shift)) {
    this->method = nameOfSpans(shift);
  }

  void runBlocks(cudaStream_t stream, const void* x, void* y, uint32_t stride, double alpha, double beta) override {
    spans_.run(stream, colIdx_.data(), values_.view(), static_cast<const X*>(x), static_cast<X*>(y), stride,
               static_cast<Scalar<X>>(alpha), static_cast<Scalar<X>>(beta));
  }

 private:
  static SpanList spansOf(std::span<const uint32_t> rowPtr, uint32_t shift) {
    SpanList list(shift, rowPtr.back());
    for (uint32_t row = 0; row + 1 < rowPtr.size(); row++) list.add(row, rowPtr[row], rowPtr[row + 1]);
    return list;
  }

  DeviceArray<uint32_t> colIdx_;
  StoredValues<V, X> values_;
  BlockSpans<V, X> spans_;
};

/** Rows whose teams end together, as they begin: those of a block of threads. */
constexpr uint32_t NEIGHBOURS = 8;

/**
 * Share of the time of their teams in which neighbouring rows are computed, below which entries are divided instead. R-MAT 18 (0.4), f64, µs by
 * rows and by entries: k = 4 98, 75; 16 186, 87; 64 419, 253. Of rows of one length (1): 5-point k = 8 72, 91, but k = 32 266, 215;
 * 27-point with three unknowns 58, 64 and 142, 153. Not measured between. (H200, November 2026.)
 */
constexpr double MIN_SHARE = 0.7;

/** Whether entries are divided instead of rows. */
template <class X>
bool areUneven(std::span<const uint32_t> rowPtr) {
  const size_t rows = rowPtr.size() - 1;
  uint64_t time = 0;
  for (size_t first = 0; first < rows; first += NEIGHBOURS) {
    uint32_t longest = 0;
    for (size_t row = first; row < std::min(first + NEIGHBOURS, rows); row++) {
      longest = std::max(longest, rowPtr[row + 1] - rowPtr[row]);
    }
    time += uint64_t{NEIGHBOURS} * std::min(longest, LONGEST<X>);
  }
  return static_cast<double>(rowPtr.back()) < MIN_SHARE * static_cast<double>(time);
}

template <class V, class X>
std::unique_ptr<Plan> makeOfTypes(const Request& request, const CsrHeader& header, Places colIdx) {
  const Method asked(request.method, IS_COMPLEX<X> ? std::span<const MethodEntry>(COMPLEX_CSR_BLOCKS) : CSR_BLOCKS);
  const auto rowPtr = request.heap.at<uint32_t>(header.rowPtr, header.rows + size_t{1});
  const bool byRows = request.method.empty() ? !areUneven<X>(rowPtr) : asked.name() == "strips";
  if (byRows) return std::make_unique<CsrBlocksPlan<V, X>>(request, header, colIdx);
  return std::make_unique<CsrSpansPlan<V, X>>(request, header, colIdx, spanShiftOf(asked));
}

std::unique_ptr<Plan> make(const Request& request) {
  const auto& header = request.heap.header<CsrHeader>(request.header);
  return makeCsrBlocks(request, header, columnsOf(request, header));
}

std::unique_ptr<Plan> makeComplex(const Request& request) {
  const auto& header = headerOfPairs<CsrHeader>(request);
  return makeComplexCsrBlocks(request, columnsOf(request, header));
}

}  // namespace

std::unique_ptr<Plan> makeCsrBlocks(const Request& request, const CsrHeader& header, Places colIdx) {
  return withValues(request.dtype, header.values, header.table,
                    [&]<class V, class X>(Types<V, X>) { return makeOfTypes<V, X>(request, header, colIdx); });
}

std::unique_ptr<Plan> makeComplexCsrBlocks(const Request& request, Places colIdx) {
  return withPairs<Part, CsrHeader>(request, [&]<class V, class X>(Types<V, X>, const CsrHeader& header) {
    return makeOfTypes<V, X>(request, header, colIdx);
  });
}

extern const KernelEntry csrBlocksKernel, complexCsrBlocksKernel;
const KernelEntry csrBlocksKernel{"csr", "spmm", make, CSR_BLOCKS};
const KernelEntry complexCsrBlocksKernel{"complex_csr", "spmm", makeComplex, COMPLEX_CSR_BLOCKS};

}  // namespace sparlane
