/**
 * SSS: symmetric and skew-symmetric matrices, one triangle stored. Layout: `src/formats/sss/sss.ts`.
 *
 * Source: Saad, SPARSKIT 2, 1994 (`csrsss`).
 * Differs: the CPU's blocks and halos are not used. Threads of a GPU that each own a row would need blocks of few rows, whose halos are
 *   larger than the other triangle.
 * Methods:
 *   whole    both triangles are built here and multiplied by the kernels of CSR-k with 16-bit columns if the column spans are small
 *            enough, else by those of CSR. The same bits every time. This saves no bandwidth, but space in the heap and transfer.
 *   atomic   the triangle as stored: `lanes` threads per row; the mirror image of an entry is added to y atomically. Half the bytes.
 *   Halos (`add_halos`) are a stage of the CPU's; on the device `sss` has added everything.
 * Bound: `whole` as CSR; `atomic` by atomic adds in L2, one per entry and one per row, or by bytes,
 *   (nnz − rows) / 2 · (I + V) + rows (4 + V) + X (rows + cols), and y twice more.
 */
#include <algorithm>
#include <bit>

#include "pieces.cuh"
#include "sss/whole.cuh"

namespace sparlane {
namespace {

constexpr MethodEntry METHODS[] = {{"whole"}, {"atomic", {"lanes"}, true}};

constexpr int BLOCK = 256;
/**
 * Rows of more entries are cut; also the size of a piece: dense 4000² takes 111 µs, 122 with 256, 217 with 1,024. (H200, f64,
 * November 2026.)
 */
constexpr uint32_t LONG_ROW = 128;

template <class V, class X>
__global__ void __launch_bounds__(BLOCK)
    diagonalKernel(uint32_t rows, const V* diagonal, const X* __restrict__ x, X* __restrict__ y, X alpha, X beta) {
  const uint32_t row = blockIdx.x * BLOCK + threadIdx.x;
  if (row < rows) put(y + row, static_cast<X>(stream(diagonal + row)) * x[row], alpha, beta);
}

/** 2^shift neighbouring lanes for each row that is short enough, or for each piece of the others. */
template <class V, class I, class X>
__global__ void __launch_bounds__(BLOCK)
    triangleKernel(uint32_t count, const uint32_t* rowPtr, const Piece* pieces, uint32_t shift, const I* colIdx, const V* values,
                   const X* __restrict__ x, X* y, X alpha, X mirrorAlpha) {
  const uint32_t lanes = 1u << shift;
  const uint32_t lane = threadIdx.x & (lanes - 1);
  const uint32_t at = blockIdx.x * (BLOCK >> shift) + (threadIdx.x >> shift);
  Piece piece{};
  if (at < count) piece = pieces != nullptr ? pieces[at] : Piece{at, rowPtr[at], rowPtr[at + 1], WHOLE};
  if (piece.end - piece.begin > LONG_ROW) piece.end = piece.begin;
  X sum = 0;
  if (piece.begin < piece.end) {
    const X scaled = mirrorAlpha * x[piece.unit];
    for (uint32_t k = piece.begin + lane; k < piece.end; k += lanes) {
      const uint32_t column = columnOf(stream(colIdx + k), piece.unit);
      const X value = static_cast<X>(stream(values + k));
      sum += value * __ldg(x + column);
      atomicAdd(y + column, value * scaled);
    }
  }
  sum = sumOfGroup(sum, lanes);
  if (lane == 0 && piece.begin < piece.end) atomicAdd(y + piece.unit, alpha * sum);
}

template <class V, class I, class X>
class AtomicPlan final : public Plan {
 public:
  AtomicPlan(const Request& request, const Triangle<V, I>& below, const Method& asked)
      : rows_(below.rows),
        sign_(below.sign),
        rowPtr_(request.upload(*this, below.rowPtr)),
        colIdx_(request.upload(*this, below.colIdx)),
        values_(request.upload(*this, below.values)),
        diagonal_(request.upload(*this, below.diagonal)) {
    const uint32_t mean = rows_ == 0 ? 0 : divideUp(below.values.size(), rows_);
    const int lanes = asked.get("lanes", static_cast<int>(std::bit_ceil(std::clamp(mean, 2u, uint32_t{WARP}))), 1, WARP);
    shift_ = std::bit_width(static_cast<uint32_t>(lanes)) - 1;
    method = "atomic?lanes=" + std::to_string(1 << shift_);
    std::vector<Piece> pieces;
    for (uint32_t row = 0; row < rows_; row++) {
      const uint32_t end = below.rowPtr[row + 1];
      if (end - below.rowPtr[row] <= LONG_ROW) continue;
      for (uint32_t k = below.rowPtr[row]; k < end; k += std::min(LONG_ROW, end - k)) {
        pieces.push_back({row, k, std::min(k + LONG_ROW, end), WHOLE});
      }
    }
    pieces_ = request.upload(*this, std::span(pieces));
  }

  void run(cudaStream_t stream, const void* x, void* y, double alpha, double beta) override {
    if (rows_ == 0) return;
    const auto* from = static_cast<const X*>(x);
    auto* to = static_cast<X*>(y);
    const auto a = static_cast<X>(alpha);
    diagonalKernel<<<divideUp(rows_, BLOCK), BLOCK, 0, stream>>>(rows_, diagonal_.data(), from, to, a, static_cast<X>(beta));
    CHECK_LAUNCH("sss diagonal");
    const auto launch = [&](size_t count, const Piece* pieces, uint32_t shift) {
      if (count == 0) return;
      triangleKernel<<<divideUp(count, BLOCK >> shift), BLOCK, 0, stream>>>(
          static_cast<uint32_t>(count), rowPtr_.data(), pieces, shift, colIdx_.data(), values_.data(), from, to, a, sign_ * a);
      CHECK_LAUNCH("sss triangle");
    };
    launch(rows_, nullptr, shift_);
    launch(pieces_.length(), pieces_.data(), std::bit_width(uint32_t{WARP}) - 1);
  }

 private:
  uint32_t rows_;
  int32_t sign_;
  uint32_t shift_;
  DeviceArray<uint32_t> rowPtr_;
  DeviceArray<I> colIdx_;
  DeviceArray<V> values_, diagonal_;
  DeviceArray<Piece> pieces_;
};

/** For columns of type I. */
template <class I>
std::unique_ptr<Plan> make(const Request& request) {
  const Method asked(request.method, METHODS);
  const auto& header = request.heap.header<SssHeader>(request.header);
  return withTypes(request.dtype, [&](auto types) -> std::unique_ptr<Plan> {
    using V = typename decltype(types)::Stored;
    using X = typename decltype(types)::Sum;
    const Triangle<V, I> below(request.heap, header);
    if (asked.name() == "atomic") return std::make_unique<AtomicPlan<V, I, X>>(request, below, asked);
    const Above above(below);
    const auto bases = basesOf(below, above);
    if (bases.empty()) return makeWhole<uint32_t>(request, below, above, bases);
    return makeWhole<uint16_t>(request, below, above, bases);
  });
}

/** The header does not say how many bits a column has; the kernel does. */
std::unique_ptr<Plan> makeSss(const Request& request) {
  return request.columnBits == 16 ? make<uint16_t>(request) : make<uint32_t>(request);
}

/** The plan of `add_halos`. */
class NothingPlan final : public Plan {
  void run(cudaStream_t, const void*, void*, double, double) override {}
};

std::unique_ptr<Plan> makeHalos(const Request&) { return std::make_unique<NothingPlan>(); }

}  // namespace

extern const KernelEntry sssKernel;
const KernelEntry sssKernel{"sss", "spmv", makeSss, METHODS};

extern const KernelEntry sssHalosKernel;
const KernelEntry sssHalosKernel{"sss", "add_halos", makeHalos, {}};

}  // namespace sparlane
