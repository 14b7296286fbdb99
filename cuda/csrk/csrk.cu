/**
 * CSR-k on the device: y ← α A x + β y. Layout: `src/formats/csrk/csrk.ts`; block dimensions as in `src/formats/csrk/sizes.ts`.
 *
 * Source: Lane & Booth 2022, §3 and §4.1 (listings 3 and 4): a block for a super-super-row, and in it threads for super-rows
 *   (z), rows (y) and the entries of a row (x).
 * Methods: `packed?entries&bits`, `hubs?count&warps`, `windows`, `stream?run`: those of CSR, chosen as there, since the first arrays are CSR.
 *   The paper chooses by the mean density alone, so one thread, or 16, must sum a long row. Here rows are packed by their
 *   entries, for any distribution of row lengths.
 *   `gpuspmv3` (GPUSpMV-3): a thread sums a row. `gpuspmv3_5` (GPUSpMV-3.5): 4, 8 or 16 lanes do. `gpuspmv`: the paper's choice
 *   of the two, the first one up to 8 entries per row.
 * Differs: lanes are summed by shuffles instead of shared memory. If k = 2, a block has as many super-rows as it has threads
 *   for them. 16-bit columns: the base of a super-row is added to x. `stream` has one or two bases for each 64 entries; if that
 *   is not enough, it widens the columns to 32 bits, as the other methods of CSR do first.
 * Bound: `gpuspmv3` by sectors of which one entry is used, both by their longest rows.
 */
#include <algorithm>

#include "blocks/rows.cuh"
#include "candidate.cuh"
#include "complex/complex.cuh"
#include "csr/csr.cuh"
#include "csr/stream.cuh"
#include "scatter.cuh"

namespace sparlane {

namespace {

/** Super-rows on the host: their rows, and with 16-bit columns the bases of these. */
struct SuperRows {
  std::span<const uint32_t> ptr;
  std::span<const uint32_t> base;
};

SuperRows superRowsOf(const Heap& heap, const CsrkHeader& header) {
  const uint32_t count =
      header.superSuperRowPtr == 0 ? header.units : heap.at<uint32_t>(header.superSuperRowPtr, header.units + size_t{1}).back();
  return {heap.at<uint32_t>(header.superRowPtr, count + size_t{1}),
          header.superRowBase == 0 ? std::span<const uint32_t>{} : heap.at<uint32_t>(header.superRowBase, count)};
}

/** Threads of a block, in the order of CUDA's dimensions. */
struct Dimensions {
  uint32_t entries;
  uint32_t rows;
  uint32_t superRows;
};

/** §4.1, cases 1 to 4. */
constexpr Dimensions SERIAL{1, 8, 12};
constexpr double SERIAL_DENSITY = 8;
constexpr uint32_t MAX_THREADS = 512;

Dimensions parallel(double density) {
  if (density <= 16) return {4, 8, 12};
  if (density <= 32) return {8, 8, 8};
  return {16, 8, 4};
}

/** Super-rows on the device. A block has the super-rows of a super-super-row; if there are none, `perBlock` super-rows. */
struct GroupsView {
  const uint32_t* superRowPtr;
  const uint32_t* superSuperRowPtr;
  const uint32_t* superRowBase;
  uint32_t superRows;
  uint32_t perBlock;
};

template <class V, class I, class X>
__global__ void __launch_bounds__(MAX_THREADS)
    gpuSpmv(GroupsView groups, CsrView<V, I, X> a, const X* __restrict__ x, X* y, X alpha, X beta) {
  const bool hasBlocks = groups.superSuperRowPtr != nullptr;
  const uint32_t first = hasBlocks ? groups.superSuperRowPtr[blockIdx.x] : blockIdx.x * groups.perBlock;
  const uint32_t last = hasBlocks ? groups.superSuperRowPtr[blockIdx.x + 1] : min(first + groups.perBlock, groups.superRows);
  // The lanes of a row are neighbours in a warp and take the same branches.
  const uint32_t lanes = blockDim.x;
  const uint32_t lane = (threadIdx.y * lanes + threadIdx.x) % WARP;
  const uint32_t team = ((1u << lanes) - 1) << (lane - threadIdx.x);
  for (uint32_t i = first + threadIdx.z; i < last; i += blockDim.z) {
    const X* const from = groups.superRowBase == nullptr ? x : x + groups.superRowBase[i];
    const uint32_t rowEnd = groups.superRowPtr[i + 1];
    for (uint32_t row = groups.superRowPtr[i] + threadIdx.y; row < rowEnd; row += blockDim.y) {
      const uint32_t end = a.rowPtr[row + 1];
      X sum{0};
      for (uint32_t k = a.rowPtr[row] + threadIdx.x; k < end; k += lanes) sum += a.product(k, from);
      for (uint32_t step = lanes / 2; step > 0; step /= 2) sum += __shfl_down_sync(team, sum, step, lanes);
      if (threadIdx.x == 0) put(y + row, sum, alpha, beta);
    }
  }
}

template <class V, class I, class X>
class GroupsPlan : public Plan {
 public:
  GroupsPlan(const Request& request, const CsrkHeader& header, Dimensions block)
      : arrays_(request, *this, header), block_(block) {
    const SuperRows superRows = superRowsOf(request.heap, header);
    superRows_ = static_cast<uint32_t>(superRows.ptr.size() - 1);
    blocks_ = header.superSuperRowPtr == 0 ? divideUp(superRows_, block.superRows) : header.units;
    if (blocks_ == 0) return;
    superRowPtr_ = request.upload(*this, superRows.ptr);
    superSuperRowPtr_ = request.upload<uint32_t>(*this, header.superSuperRowPtr, header.units + size_t{1});
    superRowBase_ = request.upload<uint32_t>(*this, header.superRowBase, superRows_);
  }

  void run(cudaStream_t stream, const void* x, void* y, double alpha, double beta) override {
    if (blocks_ == 0) return;
    const GroupsView groups{superRowPtr_.data(), superSuperRowPtr_.data(), superRowBase_.data(), superRows_, block_.superRows};
    gpuSpmv<V, I, X><<<blocks_, dim3(block_.entries, block_.rows, block_.superRows), 0, stream>>>(
        groups, arrays_.view(), static_cast<const X*>(x), static_cast<X*>(y), static_cast<X>(alpha), static_cast<X>(beta));
    CHECK_LAUNCH("csrk gpuspmv");
  }

 private:
  CsrArrays<V, I, X> arrays_;
  DeviceArray<uint32_t> superRowPtr_;
  DeviceArray<uint32_t> superSuperRowPtr_;
  DeviceArray<uint32_t> superRowBase_;
  Dimensions block_;
  uint32_t superRows_;
  uint32_t blocks_;
};

std::unique_ptr<Plan> makeGroups(const Request& request, const CsrkHeader& header, bool isSerial) {
  const Dimensions block = isSerial ? SERIAL : parallel(static_cast<double>(header.nnz) / std::max(1u, header.rows));
  auto plan = withValues(request.dtype, header.values, header.table, [&]<class V, class X>(Types<V, X>) -> std::unique_ptr<Plan> {
    if (header.superRowBase == 0) return std::make_unique<GroupsPlan<V, uint32_t, X>>(request, header, block);
    return std::make_unique<GroupsPlan<V, uint16_t, X>>(request, header, block);
  });
  plan->method = isSerial ? "gpuspmv3" : "gpuspmv3_5";
  return plan;
}

/** The bases of all groups of entries; empty if a group has more than two, or two that are too far apart. */
std::vector<Bases> basesOf(const SuperRows& superRows, std::span<const uint32_t> rowPtr) {
  constexpr int64_t FARTHEST = int64_t{1} << (31 - Bases::DELTA_SHIFT);
  std::vector<Bases> bases(std::max(1u, divideUp(rowPtr.back(), ENTRY_GROUP)));
  for (size_t i = 0; i < superRows.base.size(); i++) {
    const uint32_t base = superRows.base[i];
    const uint32_t end = rowPtr[superRows.ptr[i + 1]];
    for (uint32_t k = rowPtr[superRows.ptr[i]]; k < end; k = tileBase(k) + ENTRY_GROUP) {
      Bases& group = bases[k / ENTRY_GROUP];
      const int32_t place = k % ENTRY_GROUP;
      if (place == 0) {
        group = {base, ENTRY_GROUP};
        continue;
      }
      const int64_t delta = int64_t{base} - group.first;
      if (delta == group.step >> Bases::DELTA_SHIFT) continue;
      const bool isSecond = group.step == static_cast<int32_t>(ENTRY_GROUP);
      if (!isSecond || delta < -FARTHEST || delta >= FARTHEST) return {};
      group.step = static_cast<int32_t>(delta * (1 << Bases::DELTA_SHIFT)) + place;
    }
  }
  return bases;
}

/** Converts 16-bit columns to 32-bit ones. */
std::vector<uint32_t> widened(const Request& request, const CsrkHeader& header) {
  const SuperRows superRows = superRowsOf(request.heap, header);
  const auto rowPtr = request.heap.at<uint32_t>(header.rowPtr, header.rows + size_t{1});
  const auto colIdx = request.heap.at<uint16_t>(header.colIdx, header.nnz + READ_PAST);
  std::vector<uint32_t> wide(colIdx.size());
  for (size_t i = 0; i < superRows.base.size(); i++) {
    const uint32_t end = rowPtr[superRows.ptr[i + 1]];
    for (uint32_t k = rowPtr[superRows.ptr[i]]; k < end; k++) wide[k] = superRows.base[i] + colIdx[k];
  }
  return wide;
}

std::unique_ptr<Plan> makeNarrowStream(const Request& request, const CsrkHeader& header, int longestRun) {
  const SuperRows superRows = superRowsOf(request.heap, header);
  const auto rowPtr = request.heap.at<uint32_t>(header.rowPtr, header.rows + size_t{1});
  const std::vector<Bases> bases = basesOf(superRows, rowPtr);
  if (bases.empty()) {
    return makeStream(request, header, widened(request, header), longestRun);
  }
  const auto upload = [&](Plan& plan) {
    return StoredColumns<uint16_t>{request.upload<uint16_t>(plan, header.colIdx, header.nnz + READ_PAST),
                                   request.upload(plan, std::span{bases})};
  };
  return withValues(request.dtype, header.values, header.table, [&]<class V, class X>(Types<V, X>) -> std::unique_ptr<Plan> {
    return std::make_unique<StreamPlan<V, uint16_t, X>>(request, header, upload, longestRun);
  });
}

/** Calls a function with the columns in 32 bits: in a block of vectors X outweighs them, and in a complex matrix the values do. */
template <class Use>
auto withWideColumns(const Request& request, const CsrkHeader& header, Use&& use) {
  if (header.superRowBase != 0) return use(widened(request, header));
  return use(columnsOf(request, header));
}

std::unique_ptr<Plan> makeCsrkBlocks(const Request& request) {
  const auto& header = request.heap.header<CsrkHeader>(request.header);
  return withWideColumns(request, header, [&](Places colIdx) { return makeCsrBlocks(request, header, colIdx); });
}

std::unique_ptr<Plan> makeCsrkScatter(const Request& request) {
  const auto& header = request.heap.header<CsrkHeader>(request.header);
  return withWideColumns(request, header, [&](Places colIdx) { return makeCsrScatter(request, header, colIdx); });
}

template <auto MAKE>
std::unique_ptr<Plan> makeComplexCsrk(const Request& request) {
  const auto& header = headerOfPairs<CsrkHeader>(request);
  return withWideColumns(request, header, [&](Places colIdx) { return MAKE(request, colIdx); });
}

constexpr MethodEntry METHODS[] = {STREAM_METHOD, PACKED_METHOD, HUBS_METHOD,   WINDOWS_METHOD,
                                   {"gpuspmv"},   {"gpuspmv3"},  {"gpuspmv3_5"}};

std::vector<Candidate> candidatesOfCsrk(const Request& request) {
  const auto& header = request.heap.header<CsrkHeader>(request.header);
  return withWideColumns(request, header, [&](Places colIdx) { return candidatesByTiles(request, header, colIdx); });
}

std::unique_ptr<Plan> makeCsrk(const Request& request) {
  const Method method(request.method, METHODS);
  const CsrkHeader& header = request.heap.header<CsrkHeader>(request.header);
  if (method.name() == "gpuspmv") return makeGroups(request, header, header.nnz <= SERIAL_DENSITY * header.rows);
  if (method.name().starts_with("gpuspmv3")) return makeGroups(request, header, method.name() == "gpuspmv3");
  if (header.superRowBase == 0) return makeByTiles(request, header, columnsOf(request, header), method);
  if (method.name() != "stream" || request.method.empty()) return makeByTiles(request, header, widened(request, header), method);
  return makeNarrowStream(request, header, method.get("run", RUN, 1, LONGEST_RUN));
}

}  // namespace

extern const KernelEntry csrkKernel, csrkBlocksKernel, csrkScatterKernel, complexCsrkKernel, complexCsrkBlocksKernel;
const KernelEntry csrkKernel{"csrk", "spmv", makeCsrk, METHODS, candidatesOfCsrk};
const KernelEntry csrkBlocksKernel{"csrk", "spmm", makeCsrkBlocks, CSR_BLOCKS};
const KernelEntry csrkScatterKernel{"csrk", "spmv_t", makeCsrkScatter, SCATTER};
const KernelEntry complexCsrkKernel{"complex_csrk", "spmv", makeComplexCsrk<makeComplexCsr>, COMPLEX_CSR};
const KernelEntry complexCsrkBlocksKernel{"complex_csrk", "spmm", makeComplexCsrk<makeComplexCsrBlocks>, COMPLEX_CSR_BLOCKS};

}  // namespace sparlane
