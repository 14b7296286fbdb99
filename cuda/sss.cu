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
#include <cstring>

#include "pieces.cuh"

namespace sparlane {
namespace {

/** `SssHeader` in `assembly/sss.ts`. */
struct SssHeader {
  uint32_t rows, blocks;
  /** Factor of a mirror image: 1 or −1. */
  int32_t sign;
  /** Begins of the rows of entries below the diagonal, as in colIdx and values. */
  uint32_t rowPtr;
  /** u32: columns; u16: column − row + 2^16. */
  uint32_t colIdx;
  uint32_t values, diagonal;
  uint32_t blockPtr, haloBegin, haloPtr, halos;
};
static_assert(sizeof(SssHeader) == 44);

/** `CsrkHeader` in `assembly/csrk.ts`, which begins with `CsrHeader`. */
struct CsrkHeader {
  uint32_t rows, cols, nnz, steady;
  uint32_t rowPtr, colIdx, values, table;
  uint32_t units, superRowPtr, superSuperRowPtr, superRowBase;
};
static_assert(sizeof(CsrkHeader) == 48);

constexpr MethodEntry METHODS[] = {{"whole"}, {"atomic", {"lanes"}, true}};

constexpr int BLOCK = 256;
/**
 * Rows of more entries are cut; also the size of a piece: dense 4000² takes 111 µs, 122 with 256, 217 with 1,024. (H200, f64,
 * November 2026.)
 */
constexpr uint32_t LONG_ROW = 128;

/** Number of columns that 16 bits can distinguish. */
constexpr uint32_t SPAN = 1 << 16;

/** Rows of a super-row of `whole`. */
constexpr uint32_t SUPER_ROW = 128;

/** Entries and columns that CSR's kernels may read past the last one (`READ_PAST` in `src/formats/csr.ts`). */
constexpr size_t READ_PAST = 4;

template <class I>
__host__ __device__ __forceinline__ uint32_t columnOf(I stored, uint32_t row) {
  if constexpr (sizeof(I) == sizeof(uint16_t)) return row + stored - SPAN;
  return stored;
}

/** The triangle in the heap. */
template <class V, class I>
struct Triangle {
  uint32_t rows;
  int32_t sign;
  std::span<const uint32_t> rowPtr;
  std::span<const I> colIdx;
  std::span<const V> values, diagonal;

  Triangle(const Heap& heap, const SssHeader& header)
      : rows(header.rows),
        sign(header.sign),
        rowPtr(heap.at<uint32_t>(header.rowPtr, rows + size_t{1})),
        colIdx(heap.at<I>(header.colIdx, rowPtr.back())),
        values(heap.at<V>(header.values, rowPtr.back())),
        diagonal(heap.at<V>(header.diagonal, rows)) {}
};

/** A private heap for the arrays of a plan of another format. */
class Arrays {
 public:
  /** Reserves room for that many elements; returns its offset. */
  template <class T>
  uint32_t add(size_t length) {
    const size_t offset = bytes_;
    bytes_ += (length * sizeof(T) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (bytes_ <= UINT32_MAX) return static_cast<uint32_t>(offset);
    throw Failure{"heap", "whole: expected both triangles in less than 4 GiB, got " + std::to_string(bytes_) + " bytes"};
  }
  /** Zeroes all rooms, after the last one is reserved. */
  void allocate() { memory_.resize(bytes_); }
  template <class T>
  T* at(uint32_t offset) {
    return reinterpret_cast<T*>(memory_.data() + offset);
  }
  Heap heap() const { return {memory_.data(), memory_.size()}; }

 private:
  static constexpr size_t ALIGNMENT = 64;
  size_t bytes_ = 0;
  std::vector<uint8_t> memory_;
};

/** For each row: the number of its entries above the diagonal, and the last column; without any, its own column. */
struct Above {
  std::vector<uint32_t> count, last;

  template <class V, class I>
  explicit Above(const Triangle<V, I>& below) : count(below.rows), last(below.rows) {
    for (uint32_t row = 0; row < below.rows; row++) {
      last[row] = row;
      for (uint32_t k = below.rowPtr[row]; k < below.rowPtr[row + 1]; k++) {
        const uint32_t column = columnOf(below.colIdx[k], row);
        count[column]++;
        last[column] = row;
      }
    }
  }
};

/** The bases of the columns of super-rows, as `basesOf` in `src/formats/layout/column-bases.ts`; empty if 16 bits are too few. */
template <class V, class I>
std::vector<uint32_t> basesOf(const Triangle<V, I>& below, const Above& above) {
  std::vector<uint32_t> bases;
  for (uint32_t begin = 0; begin < below.rows; begin += SUPER_ROW) {
    uint32_t least = begin;
    uint32_t most = begin;
    for (uint32_t row = begin; row < std::min(begin + SUPER_ROW, below.rows); row++) {
      const uint32_t first = below.rowPtr[row];
      if (first < below.rowPtr[row + 1]) least = std::min(least, columnOf(below.colIdx[first], row));
      most = std::max(most, above.last[row]);
    }
    if (most - least >= SPAN) return {};
    bases.push_back(std::min(least, std::max(below.rows, SPAN) - SPAN));
  }
  return bases;
}

/** Both triangles as CSR, or with bases as CSR-k with 16-bit columns. */
template <class J, class V, class I>
std::unique_ptr<Plan> makeWhole(const Request& request, const Triangle<V, I>& below, const Above& above,
                                std::span<const uint32_t> bases) {
  const uint32_t rows = below.rows;
  const size_t nnz = 2 * below.values.size() + rows;
  const auto units = static_cast<uint32_t>(bases.size());
  Arrays arrays;
  const uint32_t headerAt = arrays.add<CsrkHeader>(1);
  const uint32_t rowPtrAt = arrays.add<uint32_t>(rows + size_t{1});
  const uint32_t colIdxAt = arrays.add<J>(nnz + READ_PAST);
  const uint32_t valuesAt = arrays.add<V>(nnz + READ_PAST);
  const uint32_t superRowPtrAt = arrays.add<uint32_t>(units + size_t{1});
  const uint32_t basesAt = arrays.add<uint32_t>(units);
  arrays.allocate();
  CsrkHeader& header = *arrays.at<CsrkHeader>(headerAt);
  header = {};
  header.rows = header.cols = rows;
  header.nnz = static_cast<uint32_t>(nnz);
  header.rowPtr = rowPtrAt;
  header.colIdx = colIdxAt;
  header.values = valuesAt;
  header.units = units;
  header.superRowPtr = superRowPtrAt;
  header.superRowBase = units == 0 ? 0 : basesAt;
  for (uint32_t unit = 0; unit <= units; unit++) arrays.at<uint32_t>(superRowPtrAt)[unit] = std::min(unit * SUPER_ROW, rows);
  std::ranges::copy(bases, arrays.at<uint32_t>(basesAt));

  uint32_t* const rowPtr = arrays.at<uint32_t>(rowPtrAt);
  for (uint32_t row = 0; row < rows; row++) {
    rowPtr[row + 1] = rowPtr[row] + below.rowPtr[row + 1] - below.rowPtr[row] + 1 + above.count[row];
  }
  J* const colIdx = arrays.at<J>(colIdxAt);
  V* const values = arrays.at<V>(valuesAt);
  const auto place = [&](uint32_t k, uint32_t row, uint32_t column, V value) {
    colIdx[k] = static_cast<J>(column - (units == 0 ? 0 : bases[row / SUPER_ROW]));
    values[k] = value;
  };
  // Position of the next entry above the diagonal: rows are visited in order, so the columns of each row ascend.
  std::vector<uint32_t> next(rows);
  for (uint32_t row = 0; row < rows; row++) next[row] = rowPtr[row + 1] - above.count[row];
  for (uint32_t row = 0; row < rows; row++) {
    uint32_t to = rowPtr[row];
    for (uint32_t k = below.rowPtr[row]; k < below.rowPtr[row + 1]; k++) {
      const uint32_t column = columnOf(below.colIdx[k], row);
      place(to++, row, column, below.values[k]);
      place(next[column]++, column, row, below.sign < 0 ? -below.values[k] : below.values[k]);
    }
    place(to, row, row, below.diagonal[row]);
  }
  const bool isNarrow = units > 0;
  const auto make = makerOf(isNarrow ? "csrk" : "csr", "spmv");
  auto plan = make({request.context, arrays.heap(), headerAt, request.dtype, isNarrow ? 16 : 32, {}, Context::ALONE});
  plan->method = "whole";
  return plan;
}

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
  for (uint32_t step = lanes / 2; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step, lanes);
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
