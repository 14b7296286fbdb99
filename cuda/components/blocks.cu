/**
 * Blocks of vectors with components: Y ← α A X + β Y by rows (`blocks/rows.cuh`), each the sum over its pieces, widest first. Layout:
 * `src/formats/components/components.ts`.
 *
 * The pieces of 32 entries of a row are neighbours, so they are one run. The others have the widths of the bits of n mod 32, for n
 * entries: where entry j is follows from n and from where the row's run and pieces begin.
 */
#include "blocks/rows.cuh"
#include "pieces-of-rows.cuh"
#include "plan.cuh"

namespace sparlane {

namespace {

/** Entries first, first + step … of a row of `length` entries. */
template <class V, class X>
struct ComponentEntries {
  using Stored = typename Values<V, X>::Stored;
  const uint32_t* colIdx;
  Values<V, X> values;
  /** The first entries of the row's run, if there is one, and of its narrower pieces. */
  const uint32_t* begins;
  uint32_t length, first, step, count;

  __device__ __forceinline__ uint32_t place(uint32_t i) const {
    const uint32_t j = first + i * step;
    const uint32_t inRun = length / WIDEST * WIDEST;
    if (j < inRun) return __ldg(begins) + j;
    // Of the widths that the entry is not beyond, the widest is that of its piece.
    const uint32_t widths = length % WIDEST;
    const uint32_t rest = j - inRun;
    const uint32_t bit = 31 - __clz(static_cast<int>(widths & ~rest));
    const uint32_t piece = (inRun > 0) + __popc(widths >> (bit + 1));
    return __ldg(begins + piece) + (rest & ((1u << bit) - 1));
  }
  __device__ __forceinline__ uint32_t column(uint32_t i) const { return __ldg(colIdx + place(i)); }
  __device__ __forceinline__ bool isInside(uint32_t) const { return true; }
  __device__ __forceinline__ Stored read(uint32_t i) const { return values.readShared(place(i)); }
  __device__ __forceinline__ X decode(Stored stored) const { return values.decode(stored); }
  __device__ __forceinline__ ComponentEntries every(uint32_t slot, uint32_t shift) const {
    const uint32_t left = countOfEvery(count, slot, shift);
    return {colIdx, values, begins, length, first + slot * step, step << shift, left};
  }
  __device__ __forceinline__ ComponentEntries part(uint32_t begin, uint32_t end) const {
    return {colIdx, values, begins, length, first + begin * step, step, end - begin};
  }
};

template <class V, class X>
struct ComponentRows {
  static constexpr bool CUTS = true;
  static constexpr uint32_t heightShift = 0;
  uint32_t rows;
  const uint32_t *lengths, *ptr, *begins, *colIdx;
  Values<V, X> values;

  __device__ __forceinline__ ComponentEntries<V, X> entries(uint32_t row) const {
    const uint32_t length = __ldg(lengths + row);
    return {colIdx, values, begins + __ldg(ptr + row), length, 0, 1, length};
  }
  __device__ __forceinline__ uint32_t rowAt(uint32_t row) const { return row; }
};

/** The rows of a matrix, as found by the inspector: their entries, and where their runs and narrower pieces begin. */
struct RowPieces {
  std::vector<uint32_t> lengths, ptr, begins;

  RowPieces(const Request& request, const ComponentsHeader& header) : lengths(header.rows), ptr(header.rows + size_t{1}) {
    const uint32_t slices = divideUp(header.rows, header.sliceRows);
    const auto entryPtr = request.heap.at<uint32_t>(header.entryPtr, slices + size_t{1});
    const auto piecePtr = request.heap.at<uint32_t>(header.piecePtr, COMPONENTS * size_t{slices} + 1);
    const auto rowIdx = request.heap.at<uint16_t>(header.rowIdx, piecePtr.back());
    const auto forEachPiece = [&](auto&& use) {
      for (uint32_t slice = 0; slice < slices; slice++) {
        uint32_t entry = entryPtr[slice];
        for (uint32_t c = 0; c < COMPONENTS; c++) {
          const uint32_t first = piecePtr[size_t{COMPONENTS} * slice + c];
          for (uint32_t piece = first; piece < piecePtr[size_t{COMPONENTS} * slice + c + 1]; piece++, entry += WIDEST >> c) {
            use(slice * header.sliceRows + rowIdx[piece], c, entry,
                c == 0 && piece > first && rowIdx[piece - 1] == rowIdx[piece]);
          }
        }
      }
    };
    forEachPiece([&](uint32_t row, uint32_t c, uint32_t, bool inRun) {
      lengths[row] += WIDEST >> c;
      if (!inRun) ptr[row + 1]++;
    });
    for (size_t row = 0; row < header.rows; row++) ptr[row + 1] += ptr[row];
    begins.resize(ptr.back());
    std::vector<uint32_t> next(ptr.begin(), ptr.end() - 1);
    forEachPiece([&](uint32_t row, uint32_t, uint32_t entry, bool inRun) {
      if (!inRun) begins[next[row]++] = entry;
    });
  }
};

template <class V, class X>
class ComponentsBlocksPlan final : public BlockRowsPlan<X> {
 public:
  ComponentsBlocksPlan(const Request& request, const ComponentsHeader& header)
      : BlockRowsPlan<X>(request, header.rows, header.nnz),
        colIdx_(request.share<uint32_t>(*this, header.colIdx, header.nnz)),
        values_(request, *this, header.values, header.table, header.nnz) {
    const RowPieces pieces(request, header);
    lengths_ = request.upload(*this, std::span(pieces.lengths));
    ptr_ = request.upload(*this, std::span(pieces.ptr));
    begins_ = request.upload(*this, std::span(pieces.begins));
    PieceList list;
    for (uint32_t row = 0; row < header.rows; row++) {
      const uint32_t length = pieces.lengths[row];
      if (length > LONGEST<X>) list.cut(row, length, PIECE<X>, 1, [&](uint32_t) { return row; });
    }
    this->cut(request, list);
  }

  void runBlocks(cudaStream_t stream, const void* x, void* y, uint32_t stride, double alpha, double beta) override {
    const auto rows = static_cast<uint32_t>(lengths_.length());
    const ComponentRows<V, X> a{rows, lengths_.data(), ptr_.data(), begins_.data(), colIdx_.data(), values_.view()};
    this->runRows(stream, a, static_cast<const X*>(x), static_cast<X*>(y), stride, static_cast<X>(alpha), static_cast<X>(beta));
  }

 private:
  DeviceArray<uint32_t> lengths_, ptr_, begins_, colIdx_;
  StoredValues<V, X> values_;
};

std::unique_ptr<Plan> make(const Request& request) {
  const auto& header = request.heap.header<ComponentsHeader>(request.header);
  return withValues(request.dtype, header.values, header.table, [&]<class V, class X>(Types<V, X>) -> std::unique_ptr<Plan> {
    return std::make_unique<ComponentsBlocksPlan<V, X>>(request, header);
  });
}

}  // namespace

extern const KernelEntry componentsBlocksKernel;
const KernelEntry componentsBlocksKernel{"components", "spmm", make, STRIPS};

}  // namespace sparlane
