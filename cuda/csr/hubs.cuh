/** The kernels of CSR with hubs (`hubs.cu`): the product, the packing of the hubs' elements of x, and the numbering of hubs. */
#pragma once
#include "blocks/quad.cuh"
#include "csr/csr.cuh"
#include "empty-rows.cuh"

namespace sparlane::hubs {

constexpr int MAX_WARPS = 32;
constexpr int PACK_THREADS = 256;

/** Entries of a tile. */
constexpr uint32_t TILE = QUAD * WARP;

constexpr uint32_t HUB = 1u << 31;

/** Partition of the tiles: each warp has a run of them, and the lengths of runs differ by at most one. */
struct Runs {
  uint32_t tiles, count;
  Runs(uint32_t tiles, uint32_t most) : tiles(tiles), count(std::min(tiles, most)) {}
  /** The first tile of a run. */
  __host__ __device__ uint32_t begin(uint32_t run) const { return static_cast<uint32_t>(uint64_t{tiles} * run / count); }
};

template <class V, class X>
struct Tiles {
  uint32_t nnz;
  const uint32_t* columns;
  Values<V, X> values;
  const uint4* ends;
  const uint32_t* rows;
  /** Row numbers of the rows with entries; null if all rows have entries. */
  const uint32_t* rowOf;
};

/** Row ends in a tile, as seen by a lane. */
struct LaneEnds {
  /** `own`, bit j: a row ends at the lane's entry j. `lanes`, bit i: a row ends in lane i. */
  uint32_t own = 0, lanes = 0;
  /** Number of rows that end in previous lanes. */
  uint32_t before = 0;

  __device__ __forceinline__ explicit LaneEnds(const uint4& ends) {
    const uint32_t lane = threadIdx.x % WARP;
    const uint32_t words[QUAD] = {ends.x, ends.y, ends.z, ends.w};
#pragma unroll
    for (uint32_t j = 0; j < QUAD; j++) {
      own |= (words[j] >> lane & 1) << j;
      lanes |= words[j];
      before += __popc(words[j] & ((1u << lane) - 1));
    }
  }
};

/** Elements of x: those of hubs are read from shared memory. */
template <class X>
struct Elements {
  const X* hubs;
  const X* x;
  __device__ __forceinline__ X at(uint32_t column) const { return column & HUB ? hubs[column ^ HUB] : __ldg(x + column); }
};

template <class V, class X>
__global__ void __launch_bounds__(MAX_WARPS* WARP, 1) hubRuns(const Tiles<V, X> a, Runs runs, const X* packed, uint32_t bytes,
                                                              const X* __restrict__ x, X* y, X* carries, X alpha, X beta) {
  extern __shared__ uint4 room[];
  const uint32_t lane = threadIdx.x % WARP;
  const uint32_t run = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
  uint32_t tile = run < runs.count ? runs.begin(run) : 0;
  const uint32_t end = run < runs.count ? runs.begin(run + 1) : 0;

  // Columns of the next tile. Past the last entry the old ones stay, since no row ends there.
  Quad<uint32_t> column;
  uint32_t nextRows = 0;
  const auto readColumns = [&](uint32_t t) {
    if (t >= end) return;
    nextRows = stream(a.rows + t);
    if (const uint32_t k = t * TILE + lane * QUAD; k < a.nnz) column = quad(a.columns + k);
  };
  // Values and row ends of the current tile.
  ValueQuad<V, X> value;
  uint4 ends;
  uint32_t rows, rowIds = 0;
  const auto readOthers = [&](uint32_t t) {
    if (const uint32_t k = t * TILE + lane * QUAD; k < a.nnz) value.read(a.values, k);
    ends = stream(a.ends + t);
    rows = nextRows;
    if (a.rowOf != nullptr) rowIds = __ldg(a.rowOf + rows + lane);
  };
  readColumns(tile);
  for (uint32_t i = threadIdx.x; i < bytes / sizeof(uint4); i += blockDim.x) {
    room[i] = reinterpret_cast<const uint4*>(packed)[i];
  }
  __syncthreads();
  if (tile == end) return;

  const Elements<X> elements{reinterpret_cast<const X*>(room), x};
  X element[QUAD];
  const auto gather = [&] {
#pragma unroll
    for (uint32_t j = 0; j < QUAD; j++) element[j] = elements.at(column.at[j]);
  };
  gather();
  readOthers(tile);
  readColumns(tile + 1);
  X carry = 0;
  for (;;) {
    X term[QUAD];
#pragma unroll
    for (uint32_t j = 0; j < QUAD; j++) term[j] = element[j] * value.at(a.values, j);
    const LaneEnds at(ends);
    const uint32_t firstRow = rows, ids = rowIds;
    // The next columns are in flight while this tile is summed.
    if (++tile < end) {
      gather();
      readOthers(tile);
      readColumns(tile + 1);
    }

    const auto rowAt = [&](uint32_t i) { return a.rowOf == nullptr ? firstRow + i : __ldg(a.rowOf + firstRow + i); };
    // `head`: sum of the lane's first row, which may have begun earlier; `sum`: of its last row so far.
    X head = 0, sum = 0;
    uint32_t next = at.before;
#pragma unroll
    for (uint32_t j = 0; j < QUAD; j++) {
      sum += term[j];
      if (at.own >> j & 1) {
        if (next == at.before) head = sum;
        else put(y + rowAt(next), sum, alpha, beta);
        next++;
        sum = 0;
      }
    }
    if (lane == 0) (at.own != 0 ? head : sum) += carry;
    sum = sumOfRun(sum, at.lanes);
    const X left = __shfl_up_sync(0xffffffffu, sum, 1);
    if (lane > 0) head += left;
    const uint32_t id = __shfl_sync(0xffffffffu, ids, at.before % WARP);
    if (at.own != 0) put(y + (at.before < WARP && a.rowOf != nullptr ? id : rowAt(at.before)), head, alpha, beta);
    carry = __shfl_sync(0xffffffffu, sum, WARP - 1);
    if (tile == end) break;
  }
  if (lane == 0) carries[run] = carry;
}

/** First kernel of a product: packs the elements of hubs, and writes rows without entries. */
template <class X>
__global__ void __launch_bounds__(PACK_THREADS)
    packHubs(const uint32_t* hubs, uint32_t length, uint32_t blocks, const X* __restrict__ x, X* packed,
             const EmptyRowsView empty, X* y, X beta) {
  if (blockIdx.x >= blocks) {
    scaleEmptyRows(empty, blockIdx.x - blocks, y, beta);
    return;
  }
  const uint32_t i = blockIdx.x * PACK_THREADS + threadIdx.x;
  if (i < length) packed[i] = __ldg(x + hubs[i]);
}

/** Replaces the column of each hub by its number. `labels`: 0, or HUB and the number. */
static __global__ void __launch_bounds__(PACK_THREADS) label(uint32_t* columns, uint32_t nnz, const uint32_t* labels) {
  const uint32_t k = blockIdx.x * PACK_THREADS + threadIdx.x;
  if (k >= nnz) return;
  if (const uint32_t hub = __ldg(labels + columns[k]); hub != 0) columns[k] = hub;
}

}  // namespace sparlane::hubs
