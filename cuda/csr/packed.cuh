/**
 * CSR by tiles at known places: y ← α A x + β y; a block computes the rows of one tile.
 *
 * Source: Greathouse & Daga 2014 (CSR-Adaptive), as in `stream.cuh`, with its tiles and its pieces of long rows.
 * Differs: when the plan is made, the entries are copied so that tile i begins at i · size, and so do the begins of its rows, 16 bits
 *   each, counted from the tile's begin. A block therefore reads columns and values at once: nothing says first where they are. From
 *   launch to y there are two waits for memory, for columns and for x, one less than in `stream`.
 *   Columns of tiles that are in few windows have 16 bits.
 * For: any matrix; most for few tiles per multiprocessor, where waiting takes longest. It takes 0.9 of the time of `stream` below 0.1
 *   million entries, 0.85 below 1 million, 0.86 below ten, 0.89 beyond. Not for rows of hundreds of entries in the same columns, 1.1: a run of
 *   `stream` finds their x in L1. (H200, 23 November 2026, 150 matrices of `bench/matrices/kinds`, f64 and f32.)
 * Layout: [10 0 20; 0 0 0; 0 0 30; 40 50 60] in tiles of 4 places:
 *
 *     tiles    rows 0 … 2     row 3
 *     colIdx   0 2 2 ·        0 1 2 ·       (·: the last entry again, not used)
 *     starts   0 2 2 3        0 3 · ·
 *
 * Cost: the bytes of CSR with 2 instead of 4 per row, 2 instead of 4 per column of a narrow tile, and the unused places of tiles.
 */
#pragma once
#include "csr/clusters.cuh"
#include "csr/packing.cuh"
#include "csr/stream.cuh"
#include "launch.cuh"

namespace sparlane {

/** Returns how many places a tile has at most. Half as many numbers of 16 bytes fit in shared memory and in registers. */
constexpr uint32_t tilePlaces(size_t bytesOfNumber) { return bytesOfNumber == 16 ? TILE_ROOM / 2 : TILE_ROOM; }

/**
 * A lane has two entries so many places apart: neighbours, but of numbers of 16 bytes each is read and stored at once, and the lanes of a warp are
 * neighbours.
 */
template <class X>
constexpr uint32_t APART = sizeof(X) == 16 ? WARP : 1;

/** Rows are packed into tiles, in order or in that of clusters. */
struct PackedRows {
  std::optional<Clusters> clusters;
  Packing packing;
};

/** The layout, as passed to a kernel. */
struct PackedView {
  const Tile* tiles;
  /** `stride` words of two 16-bit begins for each tile. */
  const uint32_t* starts;
  uint32_t stride;
  /** A tile has so many places: whole groups, at most 512 · PAIRS. */
  uint32_t size;
  /** Tiles with columns of 16 bits; they come first. */
  uint32_t narrow;
  const uint16_t* codes;
  /** The first columns of the windows of each of them. */
  const uint32_t* bases;
  /** Of the other tiles. */
  const uint32_t* colIdx;
  uint32_t turns;
  /** The rows of the places of tiles; null if in order. */
  const uint32_t* rowOf;
};

/**
 * The columns of a thread's pairs: the pairs of a warp are a group of places, those of a thread 2 · TILE_THREADS places apart. In the arrays of columns the
 * two of a pair are neighbours.
 */
template <int PAIRS>
struct PackedColumns {
  uint2 pairs[PAIRS];
  /** Of a narrow tile: the first column of the lane's window. */
  uint32_t base;

  /** The places of the warp's pairs. A warp without any reads the tile's last group, so that loads need no condition. */
  __device__ __forceinline__ static uint32_t group(const PackedView& a, int i) {
    return min(ENTRY_GROUP * (i * TILE_WARPS + threadIdx.x / WARP), a.size - ENTRY_GROUP);
  }

  __device__ __forceinline__ static uint32_t place(const PackedView& a, int i) { return group(a, i) + 2 * (threadIdx.x % WARP); }

  __device__ __forceinline__ void load(const PackedView& a) {
    if (blockIdx.x < a.narrow) {
      const uint16_t* codes = a.codes + size_t{blockIdx.x} * a.size;
#pragma unroll
      for (int i = 0; i < PAIRS; i++) pairs[i].x = stream(reinterpret_cast<const uint32_t*>(codes + place(a, i)));
      base = __ldg(a.bases + blockIdx.x * WINDOWS + threadIdx.x % WARP);
    } else {
      const uint32_t* colIdx = a.colIdx + size_t{blockIdx.x - a.narrow} * a.size;
#pragma unroll
      for (int i = 0; i < PAIRS; i++) pairs[i] = stream(reinterpret_cast<const uint2*>(colIdx + place(a, i)));
    }
  }

  __device__ __forceinline__ void decode(const PackedView& a) {
    if (blockIdx.x >= a.narrow) return;
#pragma unroll
    for (int i = 0; i < PAIRS; i++) {
      const uint32_t codes = pairs[i].x;
      pairs[i].x = __shfl_sync(0xffffffffu, base, codes >> WINDOW_SHIFT) + codes % WINDOW;
      pairs[i].y = __shfl_sync(0xffffffffu, base, codes >> (16 + WINDOW_SHIFT)) + (codes >> 16) % WINDOW;
    }
  }
};

/** The place of the lane's first entry in the group of its warp. */
template <class X>
__device__ __forceinline__ uint32_t firstOfLane() {
  return (threadIdx.x % WARP) * (APART<X> == 1 ? 2 : 1);
}

/**
 * EARLY: it is launched before the kernels in front of it have ended. The kernel without a wait for them takes 0.905 of the time (112 products of blocks and
 * linear programs, geometric mean, H200, 27 November 2026).
 */
template <bool EARLY, int PAIRS, class V, class X>
__global__ void __launch_bounds__(TILE_THREADS, TILE_BLOCKS<uint32_t, X>)
    packedRows(const PackedView a, Values<V, X> values, const X* x, X* y, const Cut* cuts, X* pieces, Scalar<X> alpha,
               Scalar<X> beta) {
  __shared__ alignas(Two<X>) X products[2 * TILE_THREADS * PAIRS];
  __shared__ uint32_t starts[TILE_ROWS / 2 + 1];
  __shared__ X sums[TILE_WARPS];
  PackedColumns<PAIRS> columns;
  typename ValuePairs<V, X>::Pair stored[PAIRS];
  columns.load(a);
#pragma unroll
  for (int i = 0; i < PAIRS; i++) {
    stored[i] = ValuePairs<V, X>::template load<APART<X>>(values, blockIdx.x * a.size + columns.group(a, i) + firstOfLane<X>());
  }
  const uint4 words = __ldg(reinterpret_cast<const uint4*>(a.tiles) + blockIdx.x);
  beginCopy(starts, a.starts + blockIdx.x * a.stride, a.stride);
  columns.decode(a);
  if constexpr (EARLY) x = afterOthers(x);
  Two<X> elements[PAIRS];
#pragma unroll
  for (int i = 0; i < PAIRS; i++) elements[i] = {__ldg(x + columns.pairs[i].x), __ldg(x + columns.pairs[i].y)};
#pragma unroll
  for (int i = 0; i < PAIRS; i++) {
    const Two<X> value = ValuePairs<V, X>::at(values, stored[i]);
    const Two<X> product{value.x * elements[i].x, value.y * elements[i].y};
    X* const place = products + ENTRY_GROUP * (i * TILE_WARPS + threadIdx.x / WARP) + firstOfLane<X>();
    if constexpr (APART<X> == 1) {
      *reinterpret_cast<Two<X>*>(place) = product;
    } else {
      place[0] = product.x;
      place[APART<X>] = product.y;
    }
  }
  const Tile tile{words.x, words.y, words.z, words.w};
  __pipeline_wait_prior(0);
  __syncthreads();
  if (!tile.is(Tile::PIECE)) {
    sumRows(tile, products, a.turns, reinterpret_cast<const uint16_t*>(starts), 0, y, alpha, beta, a.rowOf);
    return;
  }
  const X sum = sumOfBlock(sumOf(products, threadIdx.x, tile.end - tile.begin, TILE_THREADS, 0), sums);
  if (tile.is(Tile::ENDING)) {
    const Cut cut = cuts[tile.row];
    const X share = takeShare<TILE_THREADS>(pieces + cut.first, cut.end - cut.first, threadIdx.x);
    __syncthreads();
    const X taken = sumOfBlock(share, sums);
    if (threadIdx.x == 0) put(y + cut.row, sum + taken, alpha, beta);
  } else if (threadIdx.x == 0) {
    if (tile.is(Tile::SHARED)) publish(pieces + tile.row, sum);
    else put(y + tile.row, sum, alpha, beta);
  }
}

/** Values as stated in the header. */
template <class V, class X>
class PackedPlan : public Plan {
 public:
  /** `mayBeNarrow`: whether columns are stored in 16 bits where they fit. `shared`: percent of L1 for products; 0: as the driver chooses. */
  PackedPlan(const Request& request, const CsrHeader& header, Places colIdx, const PackedRows& rows, bool mayBeNarrow,
             uint32_t shared)
      : shared_(shared), values_(request, *this, header.values, header.table, header.nnz + READ_PAST) {
    const auto& [clusters, unsorted] = rows;
    Packing packing = unsorted;
    std::span<const uint32_t> rowPtr = request.heap.at<uint32_t>(header.rowPtr, header.rows + size_t{1});
    auto columns = request.share(*this, colIdx);
    if (clusters) {
      rowOf_ = request.upload(*this, std::span{clusters->rowOf});
      permute(request, rowPtr, clusters->rowPtr, columns);
      packing.nameRows(clusters->rowOf);
      rowPtr = clusters->rowPtr;
    }
    if (mayBeNarrow) sortTiles(request, columns, packing);
    tiles_ = request.upload(*this, std::span{packing.tiles});
    const auto [starts, stride] = packing.starts(rowPtr);
    starts_ = request.upload(*this, std::span{starts});
    packColumns(request, columns, packing);
    if constexpr (!std::is_same_v<V, Ones>) packValues(request, packing);
    if (!packing.cuts.empty()) {
      cuts_ = request.upload(*this, std::span{packing.cuts});
      pieces_ = emptyPlaces<X>(request, *this, packing.cuts.back().end);
    }
    view_ = {tiles_.data(), starts_.data(), stride,         packing.size,  packing.narrow,
             codes_.data(), bases_.data(),  colIdx_.data(), packing.turns, rowOf_.data()};
    method =
        "packed?entries=" + std::to_string(packing.size) + "&bits=" + (2 * packing.narrow >= packing.tiles.size() ? "16" : "32");
    if (clusters) method += "&clustered=1";
    if (shared_ > 0) method += "&shared=" + std::to_string(shared_);
  }

  void run(cudaStream_t stream, const void* x, void* y, double alpha, double beta) override {
    const auto blocks = static_cast<uint32_t>(tiles_.length());
    if (blocks == 0) return;
    Launch launch(blocks, TILE_THREADS, stream);
    if (shared_ > 0) launch.add(cudaLaunchAttributePreferredSharedMemoryCarveout).sharedMemCarveout = shared_;
    const bool isEarly = isRecorded(stream);
    if (isEarly) launch.early();
    launch(isEarly ? kernelOf<true>() : kernelOf<false>(), view_, values_.view(), static_cast<const X*>(x), static_cast<X*>(y),
           static_cast<const Cut*>(cuts_.data()), pieces_.data(), static_cast<Scalar<X>>(alpha), static_cast<Scalar<X>>(beta));
  }

 private:
  template <bool EARLY>
  auto kernelOf() const {
    if (view_.size <= 2 * TILE_THREADS) return packedRows<EARLY, 1, V, X>;
    if constexpr (tilePlaces(sizeof(X)) == 4 * TILE_THREADS) return packedRows<EARLY, 2, V, X>;
    else return view_.size <= 4 * TILE_THREADS ? packedRows<EARLY, 2, V, X> : packedRows<EARLY, 4, V, X>;
  }

  /** Columns and values in the order of the places. */
  void permute(const Request& request, std::span<const uint32_t> rowPtr, const std::vector<uint32_t>& placePtr,
               DeviceArray<uint32_t>& columns) {
    const cudaStream_t stream = request.context->stream;
    const auto places = static_cast<uint32_t>(rowOf_.length());
    if (places == 0) return;
    DeviceArray<uint32_t> from(request.context, rowPtr.size()), to(request.context, placePtr.size());
    queueCopy(from.data(), rowPtr.data(), from.bytes(), cudaMemcpyHostToDevice, stream);
    queueCopy(to.data(), placePtr.data(), to.bytes(), cudaMemcpyHostToDevice, stream);
    const auto apply = [&]<class T>(DeviceArray<T>& array) {
      DeviceArray<T> permuted(request.context, array.length());
      permuteRows<<<divideUp(places, TILE_WARPS), TILE_THREADS, 0, stream>>>(places, rowOf_.data(), from.data(), to.data(),
                                                                             array.data(), permuted.data());
      CHECK_LAUNCH("csr permute");
      array = std::move(permuted);
    };
    apply(columns);
    if constexpr (!std::is_same_v<V, Ones>) apply(values_.values);
  }

  static void sortTiles(const Request& request, const DeviceArray<uint32_t>& columns, Packing& packing) {
    if (packing.tiles.empty()) return;
    const cudaStream_t stream = request.context->stream;
    DeviceArray<Tile> tiles(request.context, packing.tiles.size());
    DeviceArray<uint32_t> isNarrow(request.context, tiles.length());
    std::vector<uint32_t> found(tiles.length());
    queueCopy(tiles.data(), packing.tiles.data(), tiles.bytes(), cudaMemcpyHostToDevice, stream);
    findNarrow<<<static_cast<uint32_t>(tiles.length()), PACK_BLOCK, 0, stream>>>(tiles.data(), columns.data(), isNarrow.data());
    CHECK_LAUNCH("csr narrow");
    queueCopy(found.data(), isNarrow.data(), isNarrow.bytes(), cudaMemcpyDeviceToHost, stream);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    packing.sort(found);
  }

  /** Other plans of the matrix keep the columns in their order if they use them. */
  void packColumns(const Request& request, const DeviceArray<uint32_t>& columns, const Packing& packing) {
    const cudaStream_t stream = request.context->stream;
    const auto wide = static_cast<uint32_t>(packing.tiles.size()) - packing.narrow;
    bytes -= columns.bytes();
    codes_ = request.room<uint16_t>(*this, size_t{packing.narrow} * packing.size);
    bases_ = request.room<uint32_t>(*this, size_t{packing.narrow} * WINDOWS);
    colIdx_ = request.room<uint32_t>(*this, size_t{wide} * packing.size);
    if (packing.narrow > 0) {
      packNarrow<APART<X>>
          <<<packing.narrow, PACK_BLOCK, 0, stream>>>(tiles_.data(), packing.size, columns.data(), codes_.data(), bases_.data());
      CHECK_LAUNCH("csr pack narrow");
    }
    if (wide > 0) {
      packEntries<APART<X>>
          <<<wide, PACK_BLOCK, 0, stream>>>(tiles_.data() + packing.narrow, packing.size, columns.data(), colIdx_.data());
      CHECK_LAUNCH("csr pack");
    }
  }

  void packValues(const Request& request, const Packing& packing) {
    auto packed = request.room<typename Values<V, X>::Stored>(*this, packing.tiles.size() * packing.size);
    bytes -= values_.values.bytes();
    if (!packing.tiles.empty()) {
      packEntries<1><<<static_cast<uint32_t>(packing.tiles.size()), PACK_BLOCK, 0, request.context->stream>>>(
          tiles_.data(), packing.size, values_.values.data(), packed.data());
      CHECK_LAUNCH("csr pack values");
    }
    values_.values = std::move(packed);
  }

  uint32_t shared_;
  StoredValues<V, X> values_;
  DeviceArray<Tile> tiles_;
  DeviceArray<uint32_t> starts_, bases_, colIdx_, rowOf_;
  DeviceArray<uint16_t> codes_;
  DeviceArray<Cut> cuts_;
  DeviceArray<X> pieces_;
  PackedView view_;
};

}  // namespace sparlane
