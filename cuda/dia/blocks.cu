/**
 * Blocks of vectors with DIA: Y ← α A X + β Y by rows (`blocks/rows.cuh`). Layout: `src/formats/dia/dia.ts`. No row is much longer than the
 * others, so none is cut.
 */
#include "blocks/rows.cuh"
#include "dia/dia.cuh"

namespace sparlane {

namespace {

/** The diagonals of a row, `step` apart; some may lie outside the matrix there. */
template <class V, class X>
struct DiagonalsOfRow {
  static constexpr uint32_t HEIGHT = CHUNK_BYTES / sizeof(X);
  using Stored = V;
  const int32_t* offsets;
  const V* values;
  uint32_t row, cols, step, count;

  __device__ __forceinline__ uint32_t column(uint32_t j) const { return row + __ldg(offsets + j * step); }
  /** A column left of the matrix is a large number. */
  __device__ __forceinline__ bool isInside(uint32_t column) const { return column < cols; }
  __device__ __forceinline__ V read(uint32_t j) const { return __ldg(values + size_t{j * step} * HEIGHT); }
  __device__ __forceinline__ X decode(V stored) const { return static_cast<X>(stored); }
  __device__ __forceinline__ DiagonalsOfRow every(uint32_t slot, uint32_t shift) const {
    const uint32_t left = countOfEvery(count, slot, shift);
    return {offsets + slot * step, values + size_t{slot * step} * HEIGHT, row, cols, step << shift, left};
  }
};

template <class V, class X>
struct DiaRows {
  static constexpr bool CUTS = false;
  static constexpr uint32_t HEIGHT = DiagonalsOfRow<V, X>::HEIGHT;
  uint32_t rows;
  Diagonals diagonals;
  const V* data;

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
    return {offsets, data + (size_t{begin} * HEIGHT + row % HEIGHT), row, a.cols, 1, count};
  }
  __device__ __forceinline__ uint32_t rowAt(uint32_t row) const { return row; }
};

template <class V, class X>
class DiaBlocksPlan final : public BlockRowsPlan<X> {
 public:
  DiaBlocksPlan(const Request& request, const DiaHeader& header)
      : BlockRowsPlan<X>(request, header.rows, uint64_t{header.rows} * header.diagonals) {
    constexpr uint32_t HEIGHT = CHUNK_BYTES / sizeof(X);
    const auto chunkPtr = request.heap.at<uint32_t>(header.chunkPtr, divideUp(header.rows, HEIGHT) + size_t{1});
    offsets_ = request.share<int32_t>(*this, header.offsets, header.diagonals);
    chunkPtr_ = request.share(*this, chunkPtr);
    data_ = request.share<V>(*this, header.data, size_t{chunkPtr.back()} * HEIGHT);
    rows_ = {header.rows, diagonalsOf(header, chunkPtr, offsets_.data(), chunkPtr_.data()), data_.data()};
  }

  void runBlocks(cudaStream_t stream, const void* x, void* y, uint32_t stride, double alpha, double beta) override {
    this->runRows(stream, rows_, static_cast<const X*>(x), static_cast<X*>(y), stride, static_cast<X>(alpha),
                  static_cast<X>(beta));
  }

 private:
  DeviceArray<int32_t> offsets_;
  DeviceArray<uint32_t> chunkPtr_;
  DeviceArray<V> data_;
  DiaRows<V, X> rows_;
};

std::unique_ptr<Plan> make(const Request& request) {
  const auto& header = request.heap.header<DiaHeader>(request.header);
  return withTypes(request.dtype, [&]<class V, class X>(Types<V, X>) -> std::unique_ptr<Plan> {
    return std::make_unique<DiaBlocksPlan<V, X>>(request, header);
  });
}

}  // namespace

extern const KernelEntry diaBlocksKernel;
const KernelEntry diaBlocksKernel{"dia", "spmm", make, STRIPS};

}  // namespace sparlane
