/** The candidates `packed` of real and of complex CSR (`packed.cuh`): sizes of tiles, orders of rows, and what they are expected to take. */
#pragma once
#include "candidate.cuh"
#include "csr/packed.cuh"

namespace sparlane {

/**
 * Entries from which `packed` by default looks for columns that fit in 16 bits: it takes 0.99 of the time with 32 bits for 0.1 to 1 million
 * entries, 0.97 to ten million, 0.94 beyond, and 1.02 below (H200, 23 November 2026, 65 matrices of `bench/matrices/kinds`, f64 and f32).
 */
constexpr uint32_t NARROW_ENTRIES = 100'000;
/**
 * Entries of a tile of `packed`: a small matrix has four tiles for each multiprocessor; from a million entries on tiles are as large as
 * possible, but half of that if rows are short. On average 1.022 of the time of the best of 512, 1024 and 2048; always 512 takes 1.104, 1024 1.027,
 * 2048 1.051 (H200, 23 November 2026, 102 matrices of `bench/matrices/kinds`, f64 and f32).
 */
constexpr uint32_t LARGE_TILES = 1'000'000;
constexpr uint32_t SHORT_ROWS = 4;
inline int usualTile(const Request& request, const CsrHeader& header, uint32_t most) {
  const uint32_t multiprocessors = request.context->properties.multiProcessorCount;
  if (header.nnz >= LARGE_TILES) return header.nnz / header.rows <= SHORT_ROWS ? TILE_ROOM / 2 : most;
  return std::clamp<int>(ENTRY_GROUP * divideUp(header.nnz, uint64_t{4} * multiprocessors * ENTRY_GROUP), SMALLEST_TILE,
                         TILE_ROOM / 2);
}

/**
 * Percent of L1 for products: three blocks are resident instead of five or six, and x finds the room of the others, where its gathers reach all
 * over an x that is larger than what the driver leaves of L1, but not much. It takes 0.79 to 0.98 of the time in f64, 0.5 to 1.0 in f32, but up to
 * 1.2 if tiles read few different sectors of x, or x is in L1 anyway (H200, 23 November 2026, 76 matrices of `bench/matrices/kinds` with x of 28 to 1,500 KB).
 */
constexpr size_t LARGE_X = 144 * 1024;
constexpr uint32_t FAR_LARGER = 196'608;
constexpr double ALL_OVER = 0.4;
inline bool isLittleLargerThanL1(const CsrHeader& header, uint32_t width) {
  return header.nnz >= LARGE_TILES && size_t{header.cols} * width >= LARGE_X && header.cols <= FAR_LARGER;
}
inline int usualShared(uint32_t width, double sectors) { return sectors < ALL_OVER ? 0 : width == 4 ? 14 : 28; }

/**
 * Adds `packed`, and for a patient plan `packed` of clusters. It adds none whose places cannot be counted in 32 bits. `make(packed, mayBeNarrow, shared)`
 * makes the plan, as the constructor of `PackedPlan`.
 */
template <class Make>
void addPacked(std::vector<Candidate>& candidates, const Request& request, const CsrHeader& header, Places colIdx,
               const Method& method, const Sizes& sizes, const Make& make) {
  const auto rowPtr = request.heap.at<uint32_t>(header.rowPtr, header.rows + size_t{1});
  const auto most = static_cast<int>(tilePlaces(sizes.element));
  const auto entries = static_cast<uint32_t>(method.get("entries", usualTile(request, header, most), ENTRY_GROUP, most));
  const auto rows =
      std::clamp<uint32_t>(divideUp(header.rows, 2 * request.context->properties.multiProcessorCount), MIN_ROWS, TILE_ROWS);
  const bool isChosen = request.method.empty(), isAsked = method.get("clustered", 0, 0, 1) == 1;
  const uint32_t width = sizes.element, perSector = SECTOR_BYTES / width;
  Pattern pattern{rowPtr, colIdx.first(header.nnz), {}, {}};
  const bool mayCluster = isChosen && request.patient && header.nnz >= LEAST_ENTRIES;
  const bool mayShare = isChosen && isLittleLargerThanL1(header, width);
  const double sectors = mayCluster || mayShare ? sectorsPerEntry(pattern, {}, {entries, rows}, perSector) : 0;
  const bool isSmall = isChosen && header.nnz < NARROW_ENTRIES;
  const bool mayBeNarrow = method.get("bits", isSmall ? 32 : 16, 16, 32) == 16;

  const auto add = [&](std::optional<Clusters> clusters, double read) {
    const bool moved = clusters.has_value();
    const int byDefault = mayShare && !moved ? usualShared(width, sectors) : 0;
    const auto shared = static_cast<uint32_t>(method.get("shared", byDefault, 0, 100));
    const std::vector<uint32_t> none;
    Packing packing(moved ? std::span<const uint32_t>{clusters->rowPtr} : rowPtr, entries, rows, moved ? clusters->tiles : none);
    const auto places = static_cast<double>(packing.tiles.size()) * packing.size;
    if (places > UINT32_MAX) return;
    const double ns = packedNs(request.context->rates, workOf(sizes, header, places, read), moved);
    const auto packed = std::make_shared<const PackedRows>(std::move(clusters), std::move(packing));
    candidates.push_back({{moved ? "packed?clustered=1" : "packed", ns}, [=] { return make(*packed, mayBeNarrow, shared); }});
  };
  if (mayCluster || isAsked) {
    if (auto clusters = clustersOf(pattern, header.cols, {entries, rows}, width, sectors, isAsked)) {
      const double read = sectorsPerEntry(pattern, *clusters, {entries, rows}, perSector);
      add(std::move(clusters), read);
      if (isAsked) return;
    }
  }
  add({}, isChosen ? sectorsOfRuns(colIdx.first(header.nnz), entries, perSector) : 0);
}

}  // namespace sparlane
