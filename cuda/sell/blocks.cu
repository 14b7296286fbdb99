/**
 * Blocks of vectors with SELL and ELL: Y ← α A X + β Y by rows of chunks (`blocks/rows.cuh`). Layout: `src/formats/sell/sell.ts`. The
 * teams of a warp read a column of a chunk from neighbouring places.
 * Complex matrices use these kernels for blocks, and for single vectors with one lane for a row.
 */
#include "blocks/rows.cuh"
#include "complex/complex.cuh"
#include "sell/sell.cuh"

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
  SellBlocksPlan(const Request& request, const SellHeader& header)
      : SellBlocksPlan(request, header, chunkPtrOf(request, header).back()) {}

  void runBlocks(cudaStream_t stream, const void* x, void* y, uint32_t stride, double alpha, double beta) override {
    const SellRows<V, I, X> a{a_.rows,          a_.shift,        a_.chunkPtr.data(), a_.colIdx.data(),
                              a_.values.view(), a_.rowOf.data(), a_.chunkBase.data()};
    this->runRows(stream, a, static_cast<const X*>(x), static_cast<X*>(y), stride, static_cast<Scalar<X>>(alpha),
                  static_cast<Scalar<X>>(beta));
  }

 private:
  SellBlocksPlan(const Request& request, const SellHeader& header, uint32_t entries)
      : BlockRowsPlan<X>(request, header.rows, entries), a_(request, *this, header, entries) {
    PieceList list = cutChunks(request, header, LONGEST<X> + 1, PIECE<X>);
    this->cut(request, list);
  }

  StoredChunks<V, I, X> a_;
};

template <template <class> class ELEMENT>
std::unique_ptr<Plan> makeComplex(const Request& request) {
  return withPairs<ELEMENT, SellHeader>(request, [&]<class V, class X>(Types<V, X>, const SellHeader& header) {
    return makeOfTypes<SellBlocksPlan, V, X>(request, header);
  });
}

}  // namespace

extern const KernelEntry sellBlocksKernel, complexSellKernel, complexSellBlocksKernel;
const KernelEntry sellBlocksKernel{"sell", "spmm", makeOverChunks<SellBlocksPlan>, STRIPS};
const KernelEntry complexSellKernel{"complex_sell", "spmv", makeComplex<Complex>, COMPLEX_STRIPS};
const KernelEntry complexSellBlocksKernel{"complex_sell", "spmm", makeComplex<Part>, COMPLEX_STRIPS};

}  // namespace sparlane
