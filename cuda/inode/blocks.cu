/**
 * Blocks of vectors with inodes: Y ← α A X + β Y by rows (`blocks/rows.cuh`). Layout: `src/formats/inode/inode.ts`. The rows of a group
 * have the same columns, so a row of X that one of them has read is in L1 for the others.
 */
#include "blocks/rows.cuh"
#include "plan.cuh"

namespace sparlane {

namespace {

/** A row of a group: its values are as many places apart as the group has rows. */
template <class V, class X>
struct InodeEntries {
  using Stored = typename Values<V, X>::Stored;
  const uint32_t* colIdx;
  Values<V, X> values;
  uint32_t firstColumn, columnStep, firstValue, valueStep, count;

  __device__ __forceinline__ uint32_t column(uint32_t j) const { return __ldg(colIdx + (firstColumn + j * columnStep)); }
  __device__ __forceinline__ bool isInside(uint32_t) const { return true; }
  __device__ __forceinline__ Stored read(uint32_t j) const { return values.readShared(firstValue + j * valueStep); }
  __device__ __forceinline__ X decode(Stored stored) const { return values.decode(stored); }
  __device__ __forceinline__ InodeEntries every(uint32_t slot, uint32_t shift) const {
    const uint32_t left = countOfEvery(count, slot, shift);
    return {
        colIdx, values, firstColumn + slot * columnStep, columnStep << shift, firstValue + slot * valueStep, valueStep << shift,
        left};
  }
  __device__ __forceinline__ InodeEntries part(uint32_t begin, uint32_t end) const {
    return {colIdx, values, firstColumn + begin * columnStep, columnStep, firstValue + begin * valueStep, valueStep, end - begin};
  }
};

template <class V, class X>
struct InodeRows {
  static constexpr bool CUTS = true;
  static constexpr uint32_t heightShift = 0;
  uint32_t rows;
  const uint32_t *groupOf, *groupPtr, *colPtr, *valuePtr, *colIdx;
  Values<V, X> values;

  __device__ __forceinline__ InodeEntries<V, X> entries(uint32_t row) const {
    const uint32_t group = __ldg(groupOf + row);
    const uint32_t first = __ldg(groupPtr + group);
    const uint32_t height = __ldg(groupPtr + group + 1) - first;
    const uint32_t column = __ldg(colPtr + group);
    return {colIdx, values, column, 1, __ldg(valuePtr + group) + (row - first), height, __ldg(colPtr + group + 1) - column};
  }
  __device__ __forceinline__ uint32_t rowAt(uint32_t row) const { return row; }
};

/** Starts of groups, in the heap. */
std::span<const uint32_t> startsOf(const Request& request, const InodeHeader& header, uint32_t starts) {
  return request.heap.at<uint32_t>(starts, header.groups + size_t{1});
}

template <class V, class X>
class InodeBlocksPlan final : public BlockRowsPlan<X> {
 public:
  InodeBlocksPlan(const Request& request, const InodeHeader& header)
      : BlockRowsPlan<X>(request, startsOf(request, header, header.groupPtr).back(),
                         startsOf(request, header, header.valuePtr).back()),
        groupPtr_(request.share(*this, startsOf(request, header, header.groupPtr))),
        colPtr_(request.share(*this, startsOf(request, header, header.colPtr))),
        valuePtr_(request.share(*this, startsOf(request, header, header.valuePtr))),
        colIdx_(request.share<uint32_t>(*this, header.colIdx, startsOf(request, header, header.colPtr).back())),
        values_(request.share<V>(*this, header.values, startsOf(request, header, header.valuePtr).back())) {
    const auto groupPtr = startsOf(request, header, header.groupPtr);
    const auto colPtr = startsOf(request, header, header.colPtr);
    std::vector<uint32_t> groupOf(groupPtr.back());
    PieceList list;
    for (uint32_t group = 0; group < header.groups; group++) {
      const uint32_t columns = colPtr[group + 1] - colPtr[group];
      for (uint32_t row = groupPtr[group]; row < groupPtr[group + 1]; row++) {
        groupOf[row] = group;
        if (columns > LONGEST<X>) list.cut(row, columns, PIECE<X>, 1, [&](uint32_t) { return row; });
      }
    }
    groupOf_ = request.upload(*this, std::span(groupOf));
    this->cut(request, list);
  }

  void runBlocks(cudaStream_t stream, const void* x, void* y, uint32_t stride, double alpha, double beta) override {
    const InodeRows<V, X> a{static_cast<uint32_t>(groupOf_.length()),
                            groupOf_.data(),
                            groupPtr_.data(),
                            colPtr_.data(),
                            valuePtr_.data(),
                            colIdx_.data(),
                            {values_.data()}};
    this->runRows(stream, a, static_cast<const X*>(x), static_cast<X*>(y), stride, static_cast<X>(alpha), static_cast<X>(beta));
  }

 private:
  DeviceArray<uint32_t> groupOf_, groupPtr_, colPtr_, valuePtr_, colIdx_;
  DeviceArray<V> values_;
};

std::unique_ptr<Plan> make(const Request& request) {
  const auto& header = request.heap.header<InodeHeader>(request.header);
  return withTypes(request.dtype, [&](auto types) -> std::unique_ptr<Plan> {
    return std::make_unique<InodeBlocksPlan<typename decltype(types)::Stored, typename decltype(types)::Sum>>(request, header);
  });
}

}  // namespace

extern const KernelEntry inodeBlocksKernel;
const KernelEntry inodeBlocksKernel{"inode", "spmm", make, STRIPS};

}  // namespace sparlane
