/**
 * Blocks of vectors with BSR: Y ← α A X + β Y, for blocks of any size. Layout: `src/formats/bsr/bsr.ts`. A team of lanes (`blocks/strips.cuh`)
 * has a panel, up to 8 rows of a block row: each strip of X is read once for all of them.
 *
 * Block rows too long for a team are cut, as those of `bsr.cu`: `maxRowBlocks=0` is the kernel without that. Of cut ones alone sums are stored, and
 *   added by `blocks/rows.cuh` in an order that depends only on the matrix and the number of columns.
 * Methods: `strips`, with the parameter `slots` of `blocks/rows.cuh`: teams share the columns of a panel.
 * Bound: bytes of the blocks, X and Y.
 *
 * Complex matrices use this kernel for blocks and for single vectors.
 */
#include <array>
#include <bit>

#include "blocks/rows.cuh"
#include "bsr/panels.cuh"
#include "complex/complex.cuh"

namespace sparlane {
namespace bsr {

/**
 * Least columns of a panel for each of several slots. 3 × 3 blocks with 4 columns in f64: 30 µs with 8, 36 with 4, 37 with 2; with 8 columns in
 * f32 26, 33 and 34; level elsewhere. (H200, November 2026, `bench/cuda/blocks.mjs`.)
 */
constexpr uint32_t SLOT_COLUMNS = 8;

/** log2 of the most slots that panels of this many columns are worth. */
constexpr uint32_t slotShiftOf(uint32_t columns) {
  uint32_t shift = 0;
  while (shift < 5 && columns >> (shift + 1) >= SLOT_COLUMNS) shift++;
  return shift;
}

constexpr MethodEntry OF_BLOCKS[] = {{"strips", {"slots", "maxRowBlocks"}}};

/** Columns whose strips of X a lane reads before the first is used. More of them beside the sums of high panels do not fit into registers. */
__host__ __device__ constexpr int unrollOf(uint32_t height) { return height > 4 ? 2 : 4; }

/** The pieces of cut block rows, from block to block. Their teams come first, those of whole block rows after them. */
template <class X>
struct CutRows {
  const Piece* pieces;
  uint32_t count;
  /** Block rows of more blocks are cut. */
  uint32_t limit;
  X* slots;
};

/** A panel, as seen by a team: column q is the element q % b of block q / b. */
template <class V, class X>
struct PanelOfTeam {
  Values<V, X> values;
  const uint32_t* blockColIdx;
  uint32_t blockSize, columns, height;
  BlockOf blockOf;

  __device__ __forceinline__ uint32_t column(uint32_t q) const {
    const uint32_t block = blockOf(q);
    return __ldg(blockColIdx + block) + (q - block * blockSize);
  }
};

/** sums + values · X over columns q, q + slots, …: UNROLL of them if ALL, else those that are left. */
template <int UNROLL, bool ALL, int HEIGHT, class V, class X>
__device__ __forceinline__ void addColumns(Strip<X> (&sums)[HEIGHT], const PanelOfTeam<V, X>& panel, uint32_t q, uint32_t slots,
                                           const X* x, uint32_t stride) {
  Strip<X> factor[UNROLL];
#pragma unroll
  for (uint32_t u = 0; u < UNROLL; u++) {
    if (ALL || q + u * slots < panel.columns) factor[u] = stripAt(x + size_t{panel.column(q + u * slots)} * stride, stride);
  }
#pragma unroll
  for (uint32_t u = 0; u < UNROLL; u++) {
    if (!ALL && q + u * slots >= panel.columns) continue;
    const Values<V, X> values = panel.values.from(size_t{q + u * slots} * panel.height);
#pragma unroll
    for (uint32_t r = 0; r < HEIGHT; r++) {
      if (r < panel.height) addTo(sums[r], values.decode(values.readShared(r)), factor[u]);
    }
  }
}

/**
 * A team per panel of a block row, or with CUT of a piece. HEIGHT: the rows of the highest panel. What pieces need costs registers: 3 × 3 blocks with 16
 * columns take 65 µs without CUT and 68 with it in f64, 37 and 46 in f32 (H200, November 2026).
 */
template <bool CUT, int HEIGHT, class V, class X>
__global__ void __launch_bounds__(BLOCK_THREADS)
    blockPanels(BlockRows<V> a, CutRows<X> cut, Values<V, X> values, BlockOf blockOf, Division by, const X* __restrict__ x,
                X* __restrict__ y, Scalar<X> alpha, Scalar<X> beta) {
  constexpr int UNROLL = unrollOf(HEIGHT);
  const uint32_t unit = blockIdx.x * (BLOCK_THREADS >> by.teamShift()) + (threadIdx.x >> by.teamShift());
  const uint32_t at = unit / a.panels;
  const bool isPiece = CUT && at < cut.count;
  Piece piece{CUT ? at - cut.count : at, 0, 0, WHOLE};
  if (isPiece) piece = cut.pieces[at];
  const uint32_t panelOfRow = unit % a.panels;
  const uint32_t top = panelOfRow * a.blockSize / a.panels;
  const uint32_t height = (panelOfRow + 1) * a.blockSize / a.panels - top;
  const uint32_t offset = by.strip() * Strip<X>::WIDTH;
  const uint32_t slots = 1u << by.slotShift;
  bool isHere = piece.unit < a.blockRows && by.hasStrip();
  Strip<X> sums[HEIGHT]{};
  if (isHere) {
    const uint32_t first = __ldg(a.blockRowPtr + piece.unit);
    const uint32_t blocks = __ldg(a.blockRowPtr + piece.unit + 1) - first;
    if (!isPiece) {
      isHere = !CUT || blocks <= cut.limit;
      piece.end = isHere ? blocks : 0;
    }
    const size_t place = size_t{a.blockSize} * (a.blockSize * first + top * blocks + height * piece.begin);
    const uint32_t columns = a.blockSize * (piece.end - piece.begin);
    const PanelOfTeam<V, X> panel{values.from(place), a.blockColIdx + first + piece.begin, a.blockSize, columns, height, blockOf};
    uint32_t q = by.slot();
#pragma unroll 1
    for (; q + (UNROLL - 1) * slots < panel.columns; q += UNROLL * slots) {
      addColumns<UNROLL, true>(sums, panel, q, slots, x + offset, by.stride);
    }
    if (q < panel.columns) addColumns<UNROLL - 1, false>(sums, panel, q, slots, x + offset, by.stride);
  }
#pragma unroll
  for (uint32_t r = 0; r < HEIGHT; r++) {
    addSlots(sums[r], by);
    const uint32_t row = piece.unit * a.blockSize + top + r;
    if (!isHere || by.slot() > 0 || r >= height || row >= a.rows) continue;
    if (!CUT || piece.slot == WHOLE) {
      putStrip(y + (size_t{row} * by.stride + offset), by.stride, sums[r], alpha, beta);
    } else {
      store(cut.slots + (size_t{piece.slot + top + r} * KEPT<X> + offset), sums[r], KEPT<X>);
    }
  }
}

template <class V, class X>
class BlocksPlan final : public BlockPlan<X> {
 public:
  BlocksPlan(const Request& request, const BsrHeader& header)
      : BlocksPlan(request, header,
                   request.heap.at<uint32_t>(header.blockRowPtr, divideUp(header.rows, header.blockSize) + size_t{1})) {}

  void runBlocks(cudaStream_t stream, const void* x, void* y, uint32_t stride, double alpha, double beta) override {
    if (a_.blockRows == 0) return;
    const auto kernel = limit_ > 0 ? KERNELS<true>[highest() - 1] : KERNELS<false>[highest() - 1];
    const auto pieces = static_cast<uint32_t>(pieces_.pieces.length());
    const CutRows<X> cut{pieces_.pieces.data(), pieces, limit_, pieces_.slots.data()};
    forEachPass<X>(
        stride, [&](uint32_t) { return slotShift_; },
        [&](const Division& by, uint32_t first) {
          const X* const from = static_cast<const X*>(x) + first;
          X* const to = static_cast<X*>(y) + first;
          const auto [a, b] = std::pair(static_cast<Scalar<X>>(alpha), static_cast<Scalar<X>>(beta));
          const uint32_t blocks = divideUp((uint64_t{pieces} + a_.blockRows) * a_.panels, BLOCK_THREADS >> by.teamShift());
          kernel<<<blocks, BLOCK_THREADS, 0, stream>>>(a_, cut, values_.view(), BlockOf(a_.blockSize), by, from, to, a, b);
          CHECK_LAUNCH("bsr blocks of vectors");
          addFolds(stream, pieces_.folds, by, pieces_.slots.data(), to, a, b);
        });
  }

 private:
  BlocksPlan(const Request& request, const BsrHeader& header, std::span<const uint32_t> blockRowPtr)
      : blockRowPtr_(request.share(*this, blockRowPtr)),
        blockColIdx_(request.share<uint32_t>(*this, header.blockColIdx, blockRowPtr.back())),
        values_(request, *this, header.values, 0, size_t{blockRowPtr.back()} * header.blockSize * header.blockSize) {
    const uint32_t b = header.blockSize;
    const uint32_t blocks = blockRowPtr.back();
    a_.rows = header.rows;
    a_.blockRows = static_cast<uint32_t>(blockRowPtr.size() - 1);
    a_.blockSize = b;
    a_.panels = header.panels;
    a_.blockRowPtr = blockRowPtr_.data();
    a_.blockColIdx = blockColIdx_.data();
    const Method asked(request.method, OF_BLOCKS);
    const uint32_t mean = a_.blockRows == 0 ? 0 : divideUp(uint64_t{blocks} * b, a_.blockRows);
    const auto slots = static_cast<uint32_t>(asked.get("slots", 1 << slotShiftOf(mean), 1, WARP));
    slotShift_ = std::bit_width(slots) - 1;
    this->method = "strips?slots=" + std::to_string(1 << slotShift_);
    const uint32_t limit =
        asked.get("maxRowBlocks", static_cast<int>(fittingLimit(blockRowPtr, b, columnsOfStep())), 0, MOST_ROW_BLOCKS);
    if (limit > 0) cut(request, blockRowPtr, limit);
  }

  /** Rows of the highest panel. */
  uint32_t highest() const { return divideUp(a_.blockSize, a_.panels); }

  /** Columns that a team reads at a time. Chosen for blocks of vectors: at least as many as a warp reads of a single one, since a piece stores more sums. */
  uint32_t columnsOfStep() const {
    const uint32_t columns = unrollOf(highest()) << slotShift_;
    return IS_PAIR<X> ? columns : std::max(columns, USUAL_STEP);
  }

  void cut(const Request& request, std::span<const uint32_t> blockRowPtr, uint32_t limit) {
    PieceList list;
    for (uint32_t i = 0; i < a_.blockRows; i++) {
      const uint32_t blocks = blockRowPtr[i + 1] - blockRowPtr[i];
      const uint32_t top = i * a_.blockSize;
      if (blocks > limit) list.cut(i, blocks, limit, std::min(a_.blockSize, a_.rows - top), [&](uint32_t r) { return top + r; });
    }
    pieces_ = Pieces<X>(request, *this, list, KEPT<X>);
    limit_ = limit;
    this->method += "&maxRowBlocks=" + std::to_string(limit);
  }

  /** Complex numbers have one kernel for all panels of more than 4 rows: fewer kernels, and that of 7 rows would spill registers. */
  static constexpr int kernelRows(int height) { return IS_COMPLEX<X> && height > 4 ? PANEL_ROWS : height; }
  template <bool CUT>
  static constexpr std::array KERNELS{blockPanels<CUT, 1, V, X>,
                                      blockPanels<CUT, 2, V, X>,
                                      blockPanels<CUT, 3, V, X>,
                                      blockPanels<CUT, 4, V, X>,
                                      blockPanels<CUT, kernelRows(5), V, X>,
                                      blockPanels<CUT, kernelRows(6), V, X>,
                                      blockPanels<CUT, kernelRows(7), V, X>,
                                      blockPanels<CUT, PANEL_ROWS, V, X>};

  BlockRows<V> a_;
  DeviceArray<uint32_t> blockRowPtr_, blockColIdx_;
  StoredValues<V, X> values_;
  Pieces<X> pieces_;
  /** λ: block rows of more blocks are cut; 0: none is. */
  uint32_t limit_ = 0;
  uint32_t slotShift_;
};

std::unique_ptr<Plan> makeBlocks(const Request& request) {
  const auto& header = request.heap.header<BsrHeader>(request.header);
  return withTypes(request.dtype, [&]<class V, class X>(Types<V, X>) -> std::unique_ptr<Plan> {
    return std::make_unique<BlocksPlan<V, X>>(request, header);
  });
}

template <template <class> class ELEMENT>
std::unique_ptr<Plan> makeComplex(const Request& request) {
  return withPairs<ELEMENT, BsrHeader>(request,
                                       [&]<class V, class X>(Types<V, X>, const BsrHeader& header) -> std::unique_ptr<Plan> {
                                         return std::make_unique<BlocksPlan<V, X>>(request, header);
                                       });
}

}  // namespace bsr

extern const KernelEntry bsrBlocksKernel, complexBsrKernel, complexBsrBlocksKernel;
const KernelEntry bsrBlocksKernel{"bsr", "spmm", bsr::makeBlocks, bsr::OF_BLOCKS};
const KernelEntry complexBsrKernel{"complex_bsr", "spmv", bsr::makeComplex<Complex>, bsr::OF_BLOCKS};
const KernelEntry complexBsrBlocksKernel{"complex_bsr", "spmm", bsr::makeComplex<Part>, bsr::OF_BLOCKS};

}  // namespace sparlane
