/**
 * CSR5: tiles of ω × σ entries, for any distribution of row lengths, summed lane by lane; bit flags mark row ends.
 *
 * Source: Liu & Vinter 2015, §3 and §4. Layout: `src/formats/csr5/csr5.ts`, made for a device with `omega=32`.
 * Differs: a warp has a tile of 32 lanes, or eight neighbouring tiles of four lanes (`omega=4`, the CPU's). Both give the same
 *   sums, since lanes follow the order of the entries either way; but tiles of four read half sectors. Flags mark ends, not
 *   begins: one ballot replaces the paper's `seg_offset`, and a scan of five steps for up to 512 entries its `y_offset`.
 *   Finished sums go to shared memory first and from there to y, so that neighbouring rows are written together. Unfinished
 *   sums of tiles are combined within a block through shared memory, between blocks by looking back (`look-back.cuh`; the
 *   paper's calibrator): no atomic add. Separate blocks write rows without entries (`empty-rows.cuh`). The tail is a tile
 *   whose lanes have σ consecutive entries as well.
 * Methods: `tiles`, as above.
 * Bound: bytes, 4 + V per entry, 4 (1 + 1/ω) / σ more for descriptions, 2 X per row; some 13 instructions for 32 entries, and
 *   200 for each tile.
 */
#include <algorithm>
#include <bit>

#include "csr5/csr5.cuh"

namespace sparlane {

namespace {

using namespace csr5;

/** The result of the inspection, on the host. */
struct Inspected {
  /** Maximum number of rows that end in the tiles of a warp. */
  uint32_t room = 0;
  /** Length of emptyOffset. */
  uint32_t emptyOffsets = 0;
  bool marked = false;
  /** For each block, the row that is unfinished at its end, or NO_ROW. */
  std::vector<uint32_t> openRows;
  /** A bit for each row: it has entries. */
  std::vector<uint32_t> occupied;
};

Inspected inspect(const Request& request, const Csr5Header& header) {
  const uint32_t slots = header.tiles + 1;
  const auto tilePtr = request.heap.at<uint32_t>(header.tilePtr, slots);
  const auto tileDesc = request.heap.at<uint32_t>(header.tileDesc, size_t{slots} * header.omega);
  const uint32_t perWarp = WARP / header.omega;
  Inspected found;
  found.occupied.resize(divideUp(header.rows, 32));
  uint32_t inWarp = 0;
  for (uint32_t tile = 0; tile < slots; tile++) {
    if (tile == header.tiles && header.tail == 0) break;
    uint32_t ends = 0;
    for (uint32_t lane = 0; lane < header.omega; lane++)
      ends += static_cast<uint32_t>(std::popcount(tileDesc[size_t{tile} * header.omega + lane] & FLAGS));
    inWarp = tile % perWarp == 0 ? ends : inWarp + ends;
    found.room = std::max(found.room, inWarp);
    const uint32_t row = tilePtr[tile] & ~EMPTY_ROWS;
    if (tilePtr[tile] < EMPTY_ROWS) {
      for (uint32_t i = 0; i < ends; i++) setOccupied(found.occupied, row + i);
    } else {
      found.marked = true;
      const uint32_t first = request.heap.at<uint32_t>(header.emptyOffsetPtr, slots)[tile];
      for (const uint32_t offset : request.heap.at<uint32_t>(header.emptyOffset, first + size_t{ends}).subspan(first))
        setOccupied(found.occupied, row + offset);
      found.emptyOffsets = first + ends;
    }
  }
  const uint32_t used = header.tiles + (header.tail > 0);
  for (uint32_t next = WARPS * perWarp; next - WARPS * perWarp < used; next += WARPS * perWarp) {
    const bool open = next < used && (tileDesc[size_t{next} * header.omega - 1] >> (header.sigma - 1) & 1) == 0;
    found.openRows.push_back(open ? tilePtr[next] & ~EMPTY_ROWS : NO_ROW);
  }
  return found;
}

template <class V, class X>
class Csr5Plan : public Plan {
 public:
  Csr5Plan(const Request& request, const Csr5Header& header) : Csr5Plan(request, header, inspect(request, header)) {}

  void run(cudaStream_t stream, const void* x, void* y, double alpha, double beta) override {
    const uint32_t all = blocks_ + empty_.blocks();
    if (all == 0) return;
    const Tiles<V, X> a{tiles_,           sigma_,           tail_,           room_,          tilePtr_.data(),
                        tileDesc_.data(), emptyPtr_.data(), empties_.data(), colIdx_.data(), values_.view()};
    kernel_<<<all, THREADS, sizeof(X) * room_ * WARPS, stream>>>(a, blocks_, lookBack_.view(), empty_.view(),
                                                                 static_cast<const X*>(x), static_cast<X*>(y),
                                                                 static_cast<X>(alpha), static_cast<X>(beta));
    CHECK_LAUNCH("csr5 tiles");
    lookBack_.add(stream, static_cast<X*>(y), static_cast<X>(alpha));
  }

 private:
  Csr5Plan(const Request& request, const Csr5Header& header, const Inspected& found)
      : tiles_(header.tiles),
        sigma_(header.sigma),
        tail_(header.tail),
        room_(found.room),
        blocks_(static_cast<uint32_t>(found.openRows.size())),
        tilePtr_(request.upload<uint32_t>(*this, header.tilePtr, tiles_ + size_t{1})),
        tileDesc_(request.upload<uint32_t>(*this, header.tileDesc, (tiles_ + size_t{1}) * header.omega)),
        emptyPtr_(request.upload<uint32_t>(*this, header.emptyOffsetPtr, found.marked ? tiles_ + size_t{1} : 0)),
        empties_(request.upload<uint32_t>(*this, header.emptyOffset, found.emptyOffsets)),
        colIdx_(request.upload<uint32_t>(*this, header.colIdx, size_t{tiles_} * header.omega * sigma_ + tail_)),
        values_(request, *this, header.values, 0, size_t{tiles_} * header.omega * sigma_ + tail_),
        lookBack_(request, *this, found.openRows),
        empty_(request, *this, header.rows, found.occupied) {
    kernel_ = header.omega == WARP ? kernelOf<WARP>() : kernelOf<4>();
    method = "tiles";
  }

  /** The batch size with the fewest unused steps; of equals, the largest. */
  template <int OMEGA>
  auto kernelOf() const {
    const auto read = [&](uint32_t batch) { return divideUp(sigma_, batch) * batch; };
    const uint32_t fewest = std::min({read(8), read(7), read(5), read(4)});
    if (read(8) == fewest) return tiles<OMEGA, 8, V, X>;
    if (read(7) == fewest) return tiles<OMEGA, 7, V, X>;
    if (read(5) == fewest) return tiles<OMEGA, 5, V, X>;
    return tiles<OMEGA, 4, V, X>;
  }

  uint32_t tiles_, sigma_, tail_, room_, blocks_;
  DeviceArray<uint32_t> tilePtr_, tileDesc_, emptyPtr_, empties_, colIdx_;
  StoredValues<V, X> values_;
  LookBack<X> lookBack_;
  EmptyRows empty_;
  void (*kernel_)(Tiles<V, X>, uint32_t, LookBackView<X>, EmptyRowsView, const X*, X*, X, X);
};

constexpr MethodEntry METHODS[] = {{"tiles"}};

std::unique_ptr<Plan> makeCsr5(const Request& request) {
  const auto& header = request.heap.header<Csr5Header>(request.header);
  const Method method(request.method, METHODS);
  return withTypes(request.dtype, [&]<class V, class X>(Types<V, X>) -> std::unique_ptr<Plan> {
    return std::make_unique<Csr5Plan<V, X>>(request, header);
  });
}

}  // namespace

extern const KernelEntry csr5Kernel;
const KernelEntry csr5Kernel{"csr5", "spmv", makeCsr5, METHODS};

}  // namespace sparlane
