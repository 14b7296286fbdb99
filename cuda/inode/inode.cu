/**
 * Inodes: consecutive rows with the same columns form groups of up to 8 rows; a group's columns are stored once.
 * Layout: `src/formats/inode/inode.ts`.
 *
 * Source: PETSc's `MatInode` (Balay et al., PETSc/TAO Users Manual); on GPUs as in BSR's kernels, block values over lanes.
 * Methods:
 *   group   `lanes` threads per group, 8, 16 or 32. They hold as many whole columns of the group as fit, a thread per value, and so
 *           read values contiguously. x is read once per column, for all rows of it. A team has `each` groups and reads the bounds of
 *           the next one ahead. Groups too large for a team are cut into pieces, a block of threads for each (`pieces.cuh`).
 * Bound: bytes, V nnz + 4 columns + 12 (groups + 1) + X (rows + cols); for small groups: lanes without a value.
 */
#include <algorithm>
#include <bit>

#include "columns.cuh"
#include "pieces.cuh"
#include "plan.cuh"

namespace sparlane {
namespace {

constexpr MethodEntry METHODS[] = {{"group", {"lanes", "each"}}};

// Defaults: within 1.6 % of the best of 8, 16 and 32 lanes and 1, 4 and 16 groups, on five matrices at a quarter of their size.
// (H200, f64, November 2026, `bench/cuda/shapes.mjs`.)
/** Maximum groups of a team: 5-point takes 103 µs with 4, 106 with 16, 130 with 1; 27-point 78, 77, 85. */
constexpr uint32_t EACH = 4;
/**
 * Minimum values per lane in teams of more than MIN_LANES: 7×7 blocks, 245 values to a group, take 85 µs with 8 lanes, 97 with 16, 117
 * with 32; smaller groups with 16 lanes 1.6 to 1.9 times as long as with 8. Larger groups have not been measured.
 */
constexpr uint32_t LANE_VALUES = 32;
/** Groups of more values are cut: groups of 8 rows and some 400 columns take 58 µs, 64 with 4,096, 89 with 16,384. */
constexpr uint32_t LONG_VALUES = 1024;
/** Columns of a piece, per part of a block: 8 take 1.11 times as long, 32 1.02. */
constexpr uint32_t PIECE_COLUMNS = 16;

constexpr int BLOCK = 256;
constexpr int UNROLL = 9;
constexpr uint32_t MIN_LANES = 8;
constexpr uint32_t MAX_EACH = 64;

struct Groups {
  uint32_t count;
  const uint32_t* groupPtr;
  const uint32_t* colPtr;
  const uint32_t* valuePtr;
  const uint32_t* colIdx;
};

/** The parts of a team: each has a lane for each row of the group, and every `parts`-th column. */
struct Parts {
  uint32_t count, part, row;

  /** Quotients of small integers, in a few instructions: half a unit is added so that rounding cannot cross an integer. */
  __device__ __forceinline__ Parts(uint32_t lanes, uint32_t lane, uint32_t height) {
    count = __float2uint_rz(__fdividef(lanes + 0.5f, height));
    part = __float2uint_rz(__fdividef(lane + 0.5f, height));
    row = lane - part * height;
  }
  /** Number of columns of this part, for a group of that many columns. */
  __device__ __forceinline__ uint32_t share(uint32_t columns) const {
    if (part >= count || part >= columns) return 0;
    return __float2uint_rz(__fdividef(columns - part + count - 0.5f, count));
  }
};

/** Sums over the parts of each row, in the lanes of the first part. All lanes of the warp must call this. */
template <class X>
__device__ __forceinline__ X sumOfParts(X sum, const Parts& parts, uint32_t lanes, uint32_t height) {
  uint32_t live = parts.count;
  for (uint32_t step = lanes / 2; step > 0; step /= 2) {
    // If this reaches beyond the warp, the result is not used.
    const X other = __shfl_down_sync(0xffffffffu, sum, step * height, lanes);
    if (parts.part + step < live) sum += other;
    live = min(live, step);
  }
  return sum;
}

template <class V, class X, int UNROLL>
__global__ void __launch_bounds__(BLOCK) groupKernel(Groups a, Values<V, X> values, uint32_t laneShift, uint32_t each,
                                                     const X* __restrict__ x, X* __restrict__ y, X alpha, X beta) {
  const uint32_t lanes = 1u << laneShift;
  const uint32_t lane = threadIdx.x & (lanes - 1);
  const auto rowAt = [&](uint32_t group) { return __ldg(a.groupPtr + min(group, a.count)); };
  const auto columnAt = [&](uint32_t group) { return __ldg(a.colPtr + min(group, a.count)); };
  uint32_t group = (blockIdx.x * (BLOCK >> laneShift) + (threadIdx.x >> laneShift)) * each;
  uint32_t row = rowAt(group);
  uint32_t column = columnAt(group);
  uint32_t value = __ldg(a.valuePtr + min(group, a.count));
  uint32_t rowEnd = rowAt(group + 1);
  uint32_t columnEnd = columnAt(group + 1);
  for (const uint32_t last = group + each; group < last; group++) {
    const uint32_t nextRowEnd = rowAt(group + 2);
    const uint32_t nextColumnEnd = columnAt(group + 2);
    // Past the last group: a group without columns.
    const uint32_t height = max(rowEnd - row, 1u);
    const uint32_t columns = columnEnd - column;
    const Parts parts(lanes, lane, height);
    const bool isLong = columns * height > LONG_VALUES;
    const Steps steps{parts.count, parts.count * height};
    X sum = sumColumns<UNROLL>(a.colIdx + (column + parts.part), values.from(value + lane), steps, x,
                               isLong ? 0 : parts.share(columns));
    sum = sumOfParts(sum, parts, lanes, height);
    if (lane < rowEnd - row && !isLong) put(y + (row + lane), sum, alpha, beta);
    value += columns * height;
    row = rowEnd;
    column = columnEnd;
    rowEnd = nextRowEnd;
    columnEnd = nextColumnEnd;
  }
}

/** A block of threads for each piece of a group: thread h p + i sums every `parts`-th column of row i from p on. */
template <class V, class X>
__global__ void __launch_bounds__(BLOCK) pieceKernel(Groups a, Values<V, X> values, const Piece* pieces, X* slots,
                                                     const X* __restrict__ x, X* __restrict__ y, X alpha, X beta) {
  __shared__ X sums[BLOCK];
  const Piece piece = pieces[blockIdx.x];
  const uint32_t row = a.groupPtr[piece.unit];
  const uint32_t height = a.groupPtr[piece.unit + 1] - row;
  const uint32_t parts = BLOCK / height;
  const uint32_t part = threadIdx.x / height;
  const uint32_t first = piece.begin + part;
  X sum = 0;
  if (part < parts && first < piece.end) {
    const uint32_t k = a.valuePtr[piece.unit] + piece.begin * height + threadIdx.x;
    const uint32_t* colIdx = a.colIdx + (a.colPtr[piece.unit] + first);
    sum = sumColumns<4>(colIdx, values.from(k), {parts, parts * height}, x, (piece.end - first + parts - 1) / parts);
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x >= height) return;
  for (uint32_t other = threadIdx.x + height; other < parts * height; other += height) sum += sums[other];
  if (piece.slot == WHOLE) put(y + (row + threadIdx.x), sum, alpha, beta);
  else slots[piece.slot + threadIdx.x] = sum;
}

template <class V, class X>
class InodePlan final : public Plan {
 public:
  InodePlan(const Request& request, const InodeHeader& header) : groups_(header.groups) {
    const auto groupPtr = request.heap.at<uint32_t>(header.groupPtr, groups_ + size_t{1});
    const auto colPtr = request.heap.at<uint32_t>(header.colPtr, groups_ + size_t{1});
    const auto valuePtr = request.heap.at<uint32_t>(header.valuePtr, groups_ + size_t{1});
    groupPtr_ = request.share(*this, groupPtr);
    colPtr_ = request.share(*this, colPtr);
    valuePtr_ = request.share(*this, valuePtr);
    colIdx_ = request.share<uint32_t>(*this, header.colIdx, colPtr.back());
    values_ = request.share<V>(*this, header.values, valuePtr.back());
    const Method asked(request.method, METHODS);
    const uint32_t mean = groups_ == 0 ? 0 : divideUp(valuePtr.back(), groups_);
    const uint32_t fitting = std::clamp(std::bit_floor(mean / LANE_VALUES), MIN_LANES, uint32_t{WARP});
    laneShift_ = std::bit_width(static_cast<uint32_t>(asked.get("lanes", fitting, MIN_LANES, WARP))) - 1;
    each_ = asked.get("each", fittingEach(request.context->properties), 1, MAX_EACH);
    method = "group?lanes=" + std::to_string(1 << laneShift_) + "&each=" + std::to_string(each_);
    cutPieces(request, groupPtr, colPtr);
  }

  void run(cudaStream_t stream, const void* x, void* y, double alpha, double beta) override {
    if (groups_ == 0) return;
    const Groups groups{groups_, groupPtr_.data(), colPtr_.data(), valuePtr_.data(), colIdx_.data()};
    const Values<V, X> values{values_.data()};
    const auto* from = static_cast<const X*>(x);
    auto* to = static_cast<X*>(y);
    const uint32_t blocks = divideUp(groups_, uint64_t{each_} * (BLOCK >> laneShift_));
    groupKernel<V, X, UNROLL>
        <<<blocks, BLOCK, 0, stream>>>(groups, values, laneShift_, each_, from, to, static_cast<X>(alpha), static_cast<X>(beta));
    CHECK_LAUNCH("inode");
    const auto pieces = static_cast<uint32_t>(pieces_.pieces.length());
    if (pieces == 0) return;
    pieceKernel<V, X><<<pieces, BLOCK, 0, stream>>>(groups, values, pieces_.pieces.data(), pieces_.slots.data(), from, to,
                                                    static_cast<X>(alpha), static_cast<X>(beta));
    CHECK_LAUNCH("inode pieces");
    pieces_.fold(stream, to, static_cast<X>(alpha), static_cast<X>(beta));
  }

 private:
  /** Groups of a team, small enough that teams fill the device twice. */
  uint32_t fittingEach(const cudaDeviceProp& device) const {
    const uint64_t threads = uint64_t(device.multiProcessorCount) * device.maxThreadsPerMultiProcessor;
    return static_cast<uint32_t>(std::clamp((uint64_t{groups_} << laneShift_) / (2 * threads), uint64_t{1}, uint64_t{EACH}));
  }

  void cutPieces(const Request& request, std::span<const uint32_t> groupPtr, std::span<const uint32_t> colPtr) {
    PieceList list;
    for (uint32_t group = 0; group < groups_; group++) {
      const uint32_t row = groupPtr[group];
      const uint32_t height = groupPtr[group + 1] - row;
      const uint32_t columns = colPtr[group + 1] - colPtr[group];
      if (columns * height <= LONG_VALUES) continue;
      list.cut(group, columns, PIECE_COLUMNS * (BLOCK / height), height, [&](uint32_t i) { return row + i; });
    }
    pieces_ = Pieces<X>(request, *this, list);
  }

  uint32_t groups_, laneShift_, each_;
  DeviceArray<uint32_t> groupPtr_, colPtr_, valuePtr_, colIdx_;
  DeviceArray<V> values_;
  Pieces<X> pieces_;
};

std::unique_ptr<Plan> makeInode(const Request& request) {
  const auto& header = request.heap.header<InodeHeader>(request.header);
  return withTypes(request.dtype, [&](auto types) -> std::unique_ptr<Plan> {
    return std::make_unique<InodePlan<typename decltype(types)::Stored, typename decltype(types)::Sum>>(request, header);
  });
}

}  // namespace

extern const KernelEntry inodeKernel;
const KernelEntry inodeKernel{"inode", "spmv", makeInode, METHODS};

}  // namespace sparlane
