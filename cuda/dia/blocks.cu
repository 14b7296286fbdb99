/**
 * Blocks of vectors with DIA: Y ← α A X + β Y by rows (`blocks/rows.cuh`). Layout: `src/formats/dia/dia.ts`. No row is much longer than the
 * others, so none is cut. Complex matrices use this kernel for blocks, and for single vectors with one lane for a row.
 */
#include "blocks/rows.cuh"
#include "complex/complex.cuh"
#include "dia/dia.cuh"

namespace sparlane {

namespace {

/** The diagonals of a row, `step` apart; some may lie outside the matrix there. */
template <class V, class X>
struct DiagonalsOfRow {
  static constexpr uint32_t HEIGHT = CHUNK_ROWS<X>;
  using Stored = V;
  const int32_t* offsets;
  Values<V, X> values;
  uint32_t row, cols, step, count;

  __device__ __forceinline__ uint32_t column(uint32_t j) const { return row + __ldg(offsets + j * step); }
  /** A column left of the matrix is a large number. */
  __device__ __forceinline__ bool isInside(uint32_t column) const { return column < cols; }
  __device__ __forceinline__ V read(uint32_t j) const { return values.from(size_t{j * step} * HEIGHT).readShared(0); }
  __device__ __forceinline__ Number<X> decode(V stored) const { return values.decode(stored); }
  __device__ __forceinline__ DiagonalsOfRow every(uint32_t slot, uint32_t shift) const {
    const uint32_t left = countOfEvery(count, slot, shift);
    return {offsets + slot * step, values.from(size_t{slot * step} * HEIGHT), row, cols, step << shift, left};
  }
};

template <class V, class X>
struct DiaRows {
  static constexpr bool CUTS = false;
  static constexpr uint32_t HEIGHT = DiagonalsOfRow<V, X>::HEIGHT;
  uint32_t rows;
  Diagonals diagonals;
  Values<V, X> values;

  __device__ __forceinline__ DiagonalsOfRow<V, X> entries(uint32_t row) const {
    const Diagonals& a = diagonals;
    const uint32_t chunk = row / HEIGHT;
    const uint32_t inside = chunk - a.insideBegin;
    uint32_t begin;
    uint32_t count = a.count;
    const int32_t* offsets = a.offsets;
    if (inside < a.insideChunks) {
      begin = a.insideBeginOf(inside);
    } else {
      begin = __ldg(a.chunkPtr + chunk);
      const uint32_t first = a.below(1 - static_cast<int32_t>((chunk + 1) * HEIGHT));
      count = a.below(static_cast<int32_t>(a.cols - chunk * HEIGHT)) - first;
      offsets += first;
    }
    return {offsets, values.from(size_t{begin} * HEIGHT + row % HEIGHT), row, a.cols, 1, count};
  }
  __device__ __forceinline__ uint32_t rowAt(uint32_t row) const { return row; }
};

template <class V, class X>
class DiaBlocksPlan final : public BlockRowsPlan<X> {
 public:
  DiaBlocksPlan(const Request& request, const DiaHeader& header)
      : DiaBlocksPlan(request, header,
                      request.heap.at<uint32_t>(header.chunkPtr, divideUp(header.rows, CHUNK_ROWS<X>) + size_t{1})) {}

  void runBlocks(cudaStream_t stream, const void* x, void* y, uint32_t stride, double alpha, double beta) override {
    this->runRows(stream, rows_, static_cast<const X*>(x), static_cast<X*>(y), stride, static_cast<Scalar<X>>(alpha),
                  static_cast<Scalar<X>>(beta));
  }

 private:
  DiaBlocksPlan(const Request& request, const DiaHeader& header, std::span<const uint32_t> chunkPtr)
      : BlockRowsPlan<X>(request, header.rows, uint64_t{header.rows} * header.diagonals),
        offsets_(request.share<int32_t>(*this, header.offsets, header.diagonals)),
        chunkPtr_(request.share(*this, chunkPtr)),
        values_(request, *this, header.data, 0, size_t{chunkPtr.back()} * CHUNK_ROWS<X>),
        rows_{header.rows, diagonalsOf(header, chunkPtr, offsets_.data(), chunkPtr_.data()), values_.view()} {}

  DeviceArray<int32_t> offsets_;
  DeviceArray<uint32_t> chunkPtr_;
  StoredValues<V, X> values_;
  DiaRows<V, X> rows_;
};

std::unique_ptr<Plan> make(const Request& request) {
  const auto& header = request.heap.header<DiaHeader>(request.header);
  return withTypes(request.dtype, [&]<class V, class X>(Types<V, X>) -> std::unique_ptr<Plan> {
    return std::make_unique<DiaBlocksPlan<V, X>>(request, header);
  });
}

template <template <class> class ELEMENT>
std::unique_ptr<Plan> makeComplex(const Request& request) {
  return withPairs<ELEMENT, DiaHeader>(request,
                                       [&]<class V, class X>(Types<V, X>, const DiaHeader& header) -> std::unique_ptr<Plan> {
                                         return std::make_unique<DiaBlocksPlan<V, X>>(request, header);
                                       });
}

}  // namespace

extern const KernelEntry diaBlocksKernel, complexDiaKernel, complexDiaBlocksKernel;
const KernelEntry diaBlocksKernel{"dia", "spmm", make, STRIPS};
const KernelEntry complexDiaKernel{"complex_dia", "spmv", makeComplex<Complex>, COMPLEX_STRIPS};
const KernelEntry complexDiaBlocksKernel{"complex_dia", "spmm", makeComplex<Part>, COMPLEX_STRIPS};

}  // namespace sparlane
