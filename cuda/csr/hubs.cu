/**
 * CSR by entries, with hubs in shared memory: y ← α A x + β y where few columns have many of the entries, as in graphs whose
 * degrees follow a power law.
 *
 * A gather that misses L1 costs a sector of L2, and no row format reduces the number of gathers. But the elements of x of the
 * few thousand most frequent columns, the hubs, fit into shared memory. The plan finds and numbers the hubs. A product first
 * packs their elements of x. Then every multiprocessor runs one block, which holds them for the whole product; each of its
 * warps has a run of tiles of 128 entries, four neighbours to a lane.
 *
 *     column       31 hub | 30 … 0 its number, or the column
 *     ends[tile]   four words: bit i of word j: entry 4 i + j of the tile is the last one of its row
 *     rows[tile]   number of rows with entries that end before the tile
 *
 * Source: own. Sums of rows as in `coo/coo.cu`: over lanes by a segmented scan, over runs by carries. Every element of y is written once,
 *   and has the same bits every time.
 * Bound: gathers of the other columns, and bytes, 4.2 + V an entry.
 */
#include <algorithm>

#include "candidate.cuh"
#include "carries.cuh"
#include "csr/costs.cuh"
#include "csr/hub-columns.cuh"
#include "csr/hubs.cuh"

namespace sparlane {

namespace {

/**
 * Warps of a block, and the share of a multiprocessor's memory for hubs. The rest stays with L1 for the other gathers:
 * R-MAT in f64 takes 199 µs with 32 and 24,576 hubs of 228 KiB, 205 with 24 warps, 216 with 16,384 hubs, 270 with 26,624.
 * (H200, November 2026.)
 */
constexpr int WARPS = 32;
constexpr double ROOM_SHARE = 27.0 / 32;

using namespace hubs;

/** Row ends, on the host. */
struct RowEnds {
  std::vector<uint4> ends;
  std::vector<uint32_t> rows;
  /** Row numbers of the rows with entries. */
  std::vector<uint32_t> rowOf;

  explicit RowEnds(std::span<const uint32_t> rowPtr) : ends(divideUp(rowPtr.back(), TILE)) {
    for (uint32_t row = 0; row + 1 < rowPtr.size(); row++) {
      if (rowPtr[row] == rowPtr[row + 1]) continue;
      const uint32_t last = rowPtr[row + 1] - 1;
      uint4& words = ends[last / TILE];
      uint32_t* const word[] = {&words.x, &words.y, &words.z, &words.w};
      *word[last % QUAD] |= 1u << last % TILE / QUAD;
      while (rows.size() <= last / TILE) rows.push_back(static_cast<uint32_t>(rowOf.size()));
      rowOf.push_back(row);
    }
  }
};

/** The row that is unfinished at the end of each run. */
std::vector<uint32_t> openRows(std::span<const uint32_t> rowPtr, const Runs& runs) {
  const uint32_t nnz = rowPtr.back();
  std::vector<uint32_t> rows;
  for (uint32_t run = 0; run < runs.count; run++) {
    const auto end = static_cast<uint32_t>(std::min<uint64_t>(uint64_t{runs.begin(run + 1)} * TILE, nnz));
    const auto next = std::ranges::lower_bound(rowPtr, end);
    rows.push_back(*next == end ? NO_ROW : static_cast<uint32_t>(next - rowPtr.begin() - 1));
  }
  return rows;
}

template <class V, class X>
class HubsPlan : public Plan {
 public:
  HubsPlan(const Request& request, const CsrHeader& header, Places colIdx, std::span<const uint32_t> hubs, uint32_t warps)
      : HubsPlan(request, header, request.heap.at<uint32_t>(header.rowPtr, header.rows + size_t{1}), colIdx, hubs, warps) {
    method = "hubs?count=" + std::to_string(hubs.size()) + "&warps=" + std::to_string(warps);
  }

  void run(cudaStream_t stream, const void* x, void* y, double alpha, double beta) override {
    const X a = static_cast<X>(alpha), b = static_cast<X>(beta);
    const auto* from = static_cast<const X*>(x);
    auto* to = static_cast<X*>(y);
    const auto hubs = static_cast<uint32_t>(hubColumns_.length());
    const uint32_t packing = divideUp(hubs, PACK_THREADS);
    if (const uint32_t all = packing + empty_.blocks(); all > 0) {
      packHubs<<<all, PACK_THREADS, 0, stream>>>(hubColumns_.data(), hubs, packing, from, packed_.data(), empty_.view(), to, b);
      CHECK_LAUNCH("csr hubs");
    }
    if (runs_.count == 0) return;
    const Tiles<V, X> tiles{nnz_, columns_.data(), values_.view(), ends_.data(), rows_.data(), rowOf_.data()};
    const auto room = static_cast<uint32_t>(packed_.bytes());
    hubRuns<<<divideUp(runs_.count, warps_), warps_ * WARP, room, stream>>>(tiles, runs_, packed_.data(), room, from, to,
                                                                            carries_.data(), a, b);
    CHECK_LAUNCH("csr hub runs");
    carries_.add(stream, to, a);
  }

 private:
  HubsPlan(const Request& request, const CsrHeader& header, std::span<const uint32_t> rowPtr, Places colIdx,
           std::span<const uint32_t> hubs, uint32_t warps)
      : nnz_(header.nnz),
        warps_(warps),
        runs_(divideUp(header.nnz, TILE), warps * request.context->properties.multiProcessorCount),
        columns_(request.upload(*this, colIdx)),
        values_(request, *this, header.values, header.table, header.nnz + READ_PAST),
        hubColumns_(uploadHubs(request, hubs)),
        packed_(request.room<X>(*this, hubColumns_.length())),
        carries_(request, *this, openRows(rowPtr, runs_)) {
    const RowEnds rowEnds(rowPtr);
    ends_ = request.upload(*this, std::span{rowEnds.ends});
    rows_ = request.upload(*this, std::span{rowEnds.rows});
    if (rowEnds.rowOf.size() < header.rows) leaveOutEmpty(request, header.rows, rowEnds.rowOf);
    labelColumns(request, header.cols, hubs);
    const auto most = static_cast<int>(request.context->properties.sharedMemPerBlockOptin);
    CUDA_CHECK(cudaFuncSetAttribute(hubRuns<V, X>, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
  }

  /** Pads the list to whole words of 16 bytes. */
  DeviceArray<uint32_t> uploadHubs(const Request& request, std::span<const uint32_t> hubs) {
    std::vector<uint32_t> columns(hubs.begin(), hubs.end());
    while (columns.size() * sizeof(X) % sizeof(uint4) != 0) columns.push_back(columns.back());
    return request.upload(*this, std::span{columns});
  }

  void leaveOutEmpty(const Request& request, uint32_t rows, std::span<const uint32_t> rowOf) {
    std::vector<uint32_t> padded(rowOf.begin(), rowOf.end());
    padded.resize(rowOf.size() + WARP);
    rowOf_ = request.upload(*this, std::span{padded});
    std::vector<uint32_t> occupied(divideUp(rows, 32));
    for (const uint32_t row : rowOf) setOccupied(occupied, row);
    empty_ = EmptyRows(request, *this, rows, occupied);
  }

  void labelColumns(const Request& request, uint32_t cols, std::span<const uint32_t> hubs) {
    if (hubs.empty()) return;
    std::vector<uint32_t> labels(cols);
    for (uint32_t i = 0; i < hubs.size(); i++) labels[hubs[i]] = HUB | i;
    const auto onDevice = request.upload(*this, std::span{labels});
    label<<<divideUp(nnz_, PACK_THREADS), PACK_THREADS, 0, request.context->stream>>>(columns_.data(), nnz_, onDevice.data());
    CHECK_LAUNCH("csr label");
    bytes -= onDevice.bytes();
  }

  uint32_t nnz_, warps_;
  Runs runs_;
  DeviceArray<uint32_t> columns_;
  StoredValues<V, X> values_;
  DeviceArray<uint32_t> hubColumns_;
  DeviceArray<X> packed_;
  Carries<X> carries_;
  DeviceArray<uint4> ends_;
  DeviceArray<uint32_t> rows_, rowOf_;
  EmptyRows empty_;
};

/** Number of elements of x that fit, and number used by default: the rest is L1. */
template <class X>
struct Room {
  int most, usual;
  explicit Room(const cudaDeviceProp& device)
      : most(static_cast<int>(device.sharedMemPerBlockOptin / sizeof(X))),
        usual(std::min(most, static_cast<int>(ROOM_SHARE * static_cast<double>(device.sharedMemPerMultiprocessor) / sizeof(X)))) {
  }
};

}  // namespace

std::optional<Candidate> hubsOf(const Request& request, const CsrHeader& header, Places colIdx, const Method& method,
                                double othersNs) {
  if (header.nnz == 0 && request.method.empty()) return {};
  return withValues(request.dtype, header.values, header.table, [&]<class V, class X>(Types<V, X>) -> std::optional<Candidate> {
    const Room<X> room(request.context->properties);
    const auto nsWith = [&](double sectors, size_t hubs) {
      return hubsNs(request.context->rates, workOf(Sizes::of(request.dtype, header), header, header.nnz, sectors),
                    hubs * sizeof(X));
    };
    const auto count = static_cast<size_t>(method.get("count", room.usual, 0, room.most));
    // As a lower bound, hubs have all entries, so that no element is gathered from x.
    Candidate candidate{{"hubs", nsWith(0, std::min<size_t>(count, header.cols))}, {}};
    if (candidate.ns >= othersNs) return candidate;
    auto hubs = std::make_shared<const Hubs>(colIdx.first(header.nnz), header.cols, count);
    candidate.ns = nsWith(hubs->sectorsOfOthers(colIdx.first(header.nnz), TILE, SECTOR_BYTES / sizeof(X)), hubs->columns.size());
    candidate.make = [=, warps = static_cast<uint32_t>(method.get("warps", WARPS, 1, MAX_WARPS))] {
      return std::make_unique<HubsPlan<V, X>>(request, header, colIdx, hubs->columns, warps);
    };
    return candidate;
  });
}

}  // namespace sparlane
