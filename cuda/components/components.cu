/**
 * Components: rows in pieces of 32, 16, 8, 4, 2 and 1 entries. The pieces of a slice of rows are sorted by width; a block
 *   computes a slice.
 *
 * Source: Jindal, "Sparse Matrix-Vector Multiplication on GPU", §3. Layout: `src/formats/components/components.ts`.
 * Differs: the widest pieces come first, so the offset of each piece in the slice is a multiple of its width, and no piece
 *   straddles two groups of 32 entries. So a warp sums the pieces of a group by shuffles, halving from the widest piece in it,
 *   without a scan. The piece and the row of a lane follow from six numbers per slice; no row index is read per entry.
 *   No atomic add: a row has at most one piece of each width except the widest, so it has a place in shared memory for each
 *   width, and at the end adds them in order. The sums of pieces of 32 are stored side by side until the first piece of each
 *   row adds the others. If a slice has more of them than there is room for, a previous kernel sums them; a warp of it has up
 *   to 64 pieces of one row.
 * Methods: `slices?blocks&threads`: a stride over the slices in a grid of that many blocks; blocks=0 (the default): one for each
 *   slice. By default the number of threads in a block depends on the entries of a slice.
 * Bound: bytes, 4 + V per entry, 2 per piece; some 50 instructions for 32 entries. Small slices make small blocks: 256 to 1024
 *   rows of a few entries (`sliceRows`) fill a block; the CPU's 128 fill it less.
 */
#include <algorithm>

#include "pieces-of-rows.cuh"
#include "plan.cuh"

namespace sparlane {

namespace {

/** Number of pieces of 32 that a slice has room for. */
constexpr uint32_t MAX_WIDE = 512;

/** Shared memory for the sums of a slice. Larger slices have their sums in global memory. */
constexpr size_t SUMS_BYTES = 40 << 10;

/** Groups of 32 entries that a warp reads ahead. */
constexpr uint32_t GROUPS = 4;

/** Pieces that a warp of the previous kernel sums. */
constexpr uint32_t CHUNK_PIECES = 64;

constexpr int CHUNK_THREADS = 128;
constexpr int MAX_THREADS = 512;

/**
 * Entries per thread by which the size of a block is chosen: 2 and 8 are within 2 % on average, 16 takes 1.08 times as long.
 * (H200, f64, November 2026.)
 */
constexpr uint32_t THREAD_ENTRIES = 4;

/** Pieces of 32 of one row. */
struct Chunk {
  uint32_t entry, pieces;
};

/** A row whose pieces of 32 are in chunks, from `chunk` up to the next one's. */
struct WideRow {
  uint32_t row, chunk;
};

template <class V, class X>
struct Pieces {
  uint32_t rows, sliceRows;
  const uint32_t *entryPtr, *piecePtr;
  const uint16_t* rowIdx;
  const uint32_t* colIdx;
  Values<V, X> values;
  /** If there are chunks: each slice's part of wideRows, and the sum that the previous kernel left for each chunk. */
  const uint32_t* widePtr;
  const WideRow* wideRows;
  const X* chunkSums;
};

template <class V, class X>
__global__ void __launch_bounds__(CHUNK_THREADS)
    chunkSums(const Pieces<V, X> a, const Chunk* chunks, uint32_t count, const X* __restrict__ x, X* sums) {
  const uint32_t place = (blockIdx.x * CHUNK_THREADS + threadIdx.x) / WARP;
  if (place >= count) return;
  const uint32_t lane = threadIdx.x % WARP;
  const Chunk chunk = chunks[place];
  const uint32_t end = chunk.entry + chunk.pieces * WIDEST;
  X sum = 0;
#pragma unroll 4
  for (uint32_t k = chunk.entry + lane; k < end; k += WARP) sum += a.values.at(k) * __ldg(x + stream(a.colIdx + k));
  sum = sumOfGroup<WARP>(sum);
  if (lane == 0) sums[place] = sum;
}

/** One slice by a block. `sums`: room for COMPONENTS sums of each row, by width, then by row; `wide`: room for MAX_WIDE. */
template <class V, class X>
__device__ __forceinline__ void multiplySlice(const Pieces<V, X>& a, uint32_t slice, X* sums, X* wide, const X* __restrict__ x,
                                              X* y, X alpha, X beta) {
  const uint32_t firstRow = slice * a.sliceRows;
  const uint32_t rows = min(a.sliceRows, a.rows - firstRow);
  for (uint32_t i = threadIdx.x; i < COMPONENTS * rows; i += blockDim.x) sums[i] = 0;
  __syncthreads();

  const uint32_t lane = threadIdx.x % WARP;
  const uint32_t* ptr = a.piecePtr + size_t{COMPONENTS} * slice;
  const Component own = componentOf(ptr);
  const uint32_t entry = a.entryPtr[slice];
  const uint32_t entries = a.entryPtr[slice + 1] - entry;
  const bool inChunks = a.widePtr != nullptr && a.widePtr[slice] < a.widePtr[slice + 1];
  const uint32_t begin = inChunks ? __shfl_sync(0xffffffffu, own.begin, 1) : 0;

  for (uint32_t first = begin + threadIdx.x - lane; first < entries; first += GROUPS * blockDim.x) {
    // Past the last entry, the slice's first entry is read and not used: a conditional load would be a branch.
    uint32_t col[GROUPS];
    typename Values<V, X>::Stored value[GROUPS];
    X term[GROUPS];
    Place place[GROUPS];
#pragma unroll
    for (uint32_t g = 0; g < GROUPS; g++) {
      const uint32_t k = first + g * blockDim.x + lane;
      col[g] = stream(a.colIdx + entry + (k < entries ? k : 0));
      value[g] = a.values.read(entry + (k < entries ? k : 0));
    }
#pragma unroll
    for (uint32_t g = 0; g < GROUPS; g++) place[g] = placeOf(a.rowIdx, own, first + g * blockDim.x, entries, rows);
#pragma unroll
    for (uint32_t g = 0; g < GROUPS; g++) term[g] = __ldg(x + col[g]);
#pragma unroll
    for (uint32_t g = 0; g < GROUPS; g++) {
      const X sum = sumOfPiece(a.values.decode(value[g]) * term[g], place[g].component, place[g].widest);
      if (place[g].at == NOWHERE) continue;
      if (place[g].component == 0) wide[place[g].at] = sum;
      else sums[place[g].at] = sum;
    }
  }
  __syncthreads();

  if (inChunks) {
    for (uint32_t i = a.widePtr[slice] + threadIdx.x / WARP; i < a.widePtr[slice + 1]; i += blockDim.x / WARP) {
      X sum = 0;
      for (uint32_t k = a.wideRows[i].chunk + lane; k < a.wideRows[i + 1].chunk; k += WARP) sum += a.chunkSums[k];
      sum = sumOfGroup<WARP>(sum);
      if (lane == 0) sums[a.wideRows[i].row] = sum;
    }
    __syncthreads();
  } else if (const uint32_t count = ptr[1] - ptr[0]; count > 0) {
    const uint16_t* row = a.rowIdx + ptr[0];
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
      if (i > 0 && row[i - 1] == row[i]) continue;
      X sum = wide[i];
      for (uint32_t next = i + 1; next < count && row[next] == row[i]; next++) sum += wide[next];
      sums[row[i]] = sum;
    }
    __syncthreads();
  }
  for (uint32_t row = threadIdx.x; row < rows; row += blockDim.x) {
    X sum = sums[row];
#pragma unroll
    for (uint32_t c = 1; c < COMPONENTS; c++) sum += sums[c * rows + row];
    put(y + firstRow + row, sum, alpha, beta);
  }
}

/** SHARED: the sums of a slice are in shared memory, and `globalSums` is null. */
template <bool SHARED, class V, class X>
__global__ void __launch_bounds__(MAX_THREADS)
    slices(const Pieces<V, X> a, uint32_t count, const X* __restrict__ x, X* y, X* globalSums, X alpha, X beta) {
  extern __shared__ __align__(16) unsigned char sharedBytes[];
  __shared__ X wide[MAX_WIDE];
  for (uint32_t slice = blockIdx.x;;) {
    X* sums = SHARED ? reinterpret_cast<X*>(sharedBytes) : globalSums + size_t{COMPONENTS} * slice * a.sliceRows;
    multiplySlice(a, slice, sums, wide, x, y, alpha, beta);
    slice += gridDim.x;
    if (slice >= count) return;
    __syncthreads();
  }
}

/** Chunks of the slices that have more pieces of 32 than there is room for. */
struct WidePieces {
  std::vector<Chunk> chunks;
  /** Length: number of rows + 1. */
  std::vector<WideRow> rows;
  /** Length: number of slices + 1, or 0 without chunks. */
  std::vector<uint32_t> ptr;
};

WidePieces widePieces(std::span<const uint32_t> entryPtr, std::span<const uint32_t> piecePtr, std::span<const uint16_t> rowIdx) {
  WidePieces found;
  const size_t slices = entryPtr.size() - 1;
  for (size_t slice = 0; slice < slices; slice++) {
    found.ptr.push_back(static_cast<uint32_t>(found.rows.size()));
    const uint32_t first = piecePtr[COMPONENTS * slice];
    const uint32_t end = piecePtr[COMPONENTS * slice + 1];
    if (end - first <= MAX_WIDE) continue;
    for (uint32_t piece = first; piece < end;) {
      const uint32_t row = rowIdx[piece];
      found.rows.push_back({row, static_cast<uint32_t>(found.chunks.size())});
      while (piece < end && rowIdx[piece] == row) {
        Chunk chunk{entryPtr[slice] + (piece - first) * WIDEST, 0};
        for (; chunk.pieces < CHUNK_PIECES && piece < end && rowIdx[piece] == row; piece++) chunk.pieces++;
        found.chunks.push_back(chunk);
      }
    }
  }
  if (found.rows.empty()) return {};
  found.ptr.push_back(static_cast<uint32_t>(found.rows.size()));
  found.rows.push_back({0, static_cast<uint32_t>(found.chunks.size())});
  return found;
}

template <class V, class X>
class ComponentsPlan : public Plan {
 public:
  ComponentsPlan(const Request& request, const ComponentsHeader& header, const Method& given)
      : rows_(header.rows),
        sliceRows_(header.sliceRows),
        slices_(divideUp(header.rows, header.sliceRows)),
        entryPtr_(request.upload<uint32_t>(*this, header.entryPtr, slices_ + size_t{1})),
        piecePtr_(request.upload<uint32_t>(*this, header.piecePtr, COMPONENTS * size_t{slices_} + 1)),
        colIdx_(request.share<uint32_t>(*this, header.colIdx, header.nnz)),
        values_(request, *this, header.values, header.table, header.nnz) {
    const auto piecePtr = request.heap.at<uint32_t>(header.piecePtr, COMPONENTS * size_t{slices_} + 1);
    const auto rowIdx = request.heap.at<uint16_t>(header.rowIdx, piecePtr.back());
    rowIdx_ = request.upload(*this, rowIdx);
    const auto wide = widePieces(request.heap.at<uint32_t>(header.entryPtr, slices_ + size_t{1}), piecePtr, rowIdx);
    chunks_ = request.upload(*this, std::span(wide.chunks));
    wideRows_ = request.upload(*this, std::span(wide.rows));
    widePtr_ = request.upload(*this, std::span(wide.ptr));
    chunkSums_ = request.room<X>(*this, wide.chunks.size());
    sharedBytes_ = COMPONENTS * sizeof(X) * std::min(rows_, sliceRows_);
    if (sharedBytes_ > SUMS_BYTES) {
      globalSums_ = request.room<X>(*this, size_t{COMPONENTS} * rows_);
      sharedBytes_ = 0;
    }
    const uint32_t mean = slices_ == 0 ? 0 : header.nnz / slices_;
    const uint32_t fitting = std::clamp<uint32_t>(divideUp(mean, THREAD_ENTRIES * WARP) * WARP, 64, MAX_THREADS);
    threads_ = divideUp(given.get("threads", static_cast<int>(fitting), 1, MAX_THREADS), WARP) * WARP;
    const auto blocks = static_cast<uint32_t>(given.get("blocks", 0, 0, 1 << 20));
    blocks_ = blocks == 0 ? slices_ : std::min(blocks, slices_);
    method = "slices?blocks=" + std::to_string(blocks) + "&threads=" + std::to_string(threads_);
  }

  void run(cudaStream_t stream, const void* x, void* y, double alpha, double beta) override {
    if (slices_ == 0) return;
    const bool inChunks = chunks_.length() > 0;
    const Pieces<V, X> a{rows_,
                         sliceRows_,
                         entryPtr_.data(),
                         piecePtr_.data(),
                         rowIdx_.data(),
                         colIdx_.data(),
                         values_.view(),
                         inChunks ? widePtr_.data() : nullptr,
                         wideRows_.data(),
                         chunkSums_.data()};
    if (inChunks) {
      const auto count = static_cast<uint32_t>(chunks_.length());
      chunkSums<<<divideUp(uint64_t{count} * WARP, CHUNK_THREADS), CHUNK_THREADS, 0, stream>>>(
          a, chunks_.data(), count, static_cast<const X*>(x), chunkSums_.data());
      CHECK_LAUNCH("components chunkSums");
    }
    const auto kernel = globalSums_.length() == 0 ? slices<true, V, X> : slices<false, V, X>;
    kernel<<<blocks_, threads_, sharedBytes_, stream>>>(a, slices_, static_cast<const X*>(x), static_cast<X*>(y),
                                                        globalSums_.data(), static_cast<X>(alpha), static_cast<X>(beta));
    CHECK_LAUNCH("components slices");
  }

 private:
  uint32_t rows_, sliceRows_, slices_;
  DeviceArray<uint32_t> entryPtr_, piecePtr_, colIdx_;
  StoredValues<V, X> values_;
  DeviceArray<uint16_t> rowIdx_;
  DeviceArray<Chunk> chunks_;
  DeviceArray<WideRow> wideRows_;
  DeviceArray<uint32_t> widePtr_;
  DeviceArray<X> chunkSums_, globalSums_;
  size_t sharedBytes_;
  uint32_t threads_, blocks_;
};

constexpr MethodEntry METHODS[] = {{"slices", {"blocks", "threads"}}};

std::unique_ptr<Plan> makeComponents(const Request& request) {
  const auto& header = request.heap.header<ComponentsHeader>(request.header);
  const Method method(request.method, METHODS);
  return withValues(request.dtype, header.values, header.table, [&]<class V, class X>(Types<V, X>) -> std::unique_ptr<Plan> {
    return std::make_unique<ComponentsPlan<V, X>>(request, header, method);
  });
}

}  // namespace

extern const KernelEntry componentsKernel;
const KernelEntry componentsKernel{"components", "spmv", makeComponents, METHODS};

}  // namespace sparlane
