/**
 * Triangular solves: y ← α M⁻¹ x + β y, M = (I + L) D (I + U), in stages of units that do not depend on each other: level sets, whose units
 * are rows, or packs of super-rows (STS-k). w ← (I + L)⁻¹ x, stage after stage, then z ← (I + U)⁻¹ D⁻¹ w backwards. Layout:
 * `src/preconditioners/triangular/triangles.ts`; on the CPU: `assembly/triangular/ordered.ts`.
 *
 * Source: Naumov 2011 (level sets on a GPU); Kabir et al. 2015 (packs).
 * Differs: no kernel waits for another block, so none can hang, and a solve can be recorded: a wide stage is a launch, and narrow ones in a row
 *   are one launch of one block, which waits for itself between them.
 * Methods: `stages?width&narrow`: `width` lanes to a unit, a power of two, which compute its rows one after the other; 0: by the mean
 *   length of a row and the rows of a unit. A stage of at most `narrow` turns of one block is narrow.
 * Bound: the latency of the stages, some µs each, and of the rows of a unit: the next row's entries are read while one is computed; then
 *   bytes.
 */
#include <bit>

#include "device.cuh"

namespace sparlane {

namespace {

constexpr int THREADS = 128;
/** Of the block that computes narrow stages. */
constexpr int BLOCK = 1024;
constexpr int NARROW = 1;
/** From so many rows on, a unit is a chain, and lanes shorten it. */
constexpr uint32_t CHAIN = 8;

template <class V, class X>
struct Triangle {
  const uint32_t* ptr;
  const uint32_t* idx;
  const V* values;
};

/** A pass: x and w, forward; w and y, backward. */
template <class V, class X>
struct Pass {
  Triangle<V, X> triangle;
  const uint32_t* unitPtr;
  const uint32_t* order;
  const X* inverse;
  const X* x;
  X* y;
  X* w;
  X alpha, beta;
};

/** The first entry of a lane in a row, and the number from which the sum is subtracted, in lane 0. */
template <class V, class X>
struct RowBegin {
  uint32_t k, end, col;
  V value;
  X own;
};

template <int WIDTH>
__device__ __forceinline__ uint32_t groupMask() {
  if constexpr (WIDTH == WARP) return 0xffffffffu;
  else return ((1u << WIDTH) - 1) << (threadIdx.x % WARP / WIDTH * WIDTH);
}

template <bool FORWARD, int WIDTH, class V, class X>
__device__ __forceinline__ RowBegin<V, X> beginRow(const Pass<V, X>& a, uint32_t row) {
  RowBegin<V, X> begin{};
  const uint32_t lane = threadIdx.x % WIDTH;
  begin.k = __ldg(a.triangle.ptr + row) + lane;
  begin.end = __ldg(a.triangle.ptr + row + 1);
  if (begin.k < begin.end) {
    begin.col = __ldg(a.triangle.idx + begin.k);
    begin.value = __ldg(a.triangle.values + begin.k);
  }
  if (lane == 0) {
    if constexpr (FORWARD) begin.own = a.x[a.order == nullptr ? row : __ldg(a.order + row)];
    else begin.own = a.w[row] * __ldg(a.inverse + row);
  }
  return begin;
}

/** The rows of a unit, by a group of lanes. The lanes of other groups need not be here. */
template <bool FORWARD, int WIDTH, class V, class X>
__device__ __forceinline__ void solveUnit(const Pass<V, X>& a, uint32_t unit) {
  const uint32_t mask = groupMask<WIDTH>();
  const uint32_t first = __ldg(a.unitPtr + unit);
  const uint32_t count = __ldg(a.unitPtr + unit + 1) - first;
  const auto rowAt = [&](uint32_t i) { return FORWARD ? first + i : first + count - 1 - i; };
  if (count == 0) return;
  auto next = beginRow<FORWARD, WIDTH>(a, rowAt(0));
  for (uint32_t i = 0; i < count; i++) {
    const auto now = next;
    if (i + 1 < count) next = beginRow<FORWARD, WIDTH>(a, rowAt(i + 1));
    X sum = 0;
    if (now.k < now.end) sum = static_cast<X>(now.value) * a.w[now.col];
    for (uint32_t k = now.k + WIDTH; k < now.end; k += WIDTH) {
      sum += static_cast<X>(__ldg(a.triangle.values + k)) * a.w[__ldg(a.triangle.idx + k)];
    }
#pragma unroll
    for (int step = WIDTH / 2; step > 0; step /= 2) sum += __shfl_down_sync(mask, sum, step, WIDTH);
    if (threadIdx.x % WIDTH == 0) {
      const uint32_t row = rowAt(i);
      const X value = now.own - sum;
      a.w[row] = value;
      if constexpr (!FORWARD) put(a.y + (a.order == nullptr ? row : __ldg(a.order + row)), value, a.alpha, a.beta);
    }
    // The next row may read this element.
    __syncwarp(mask);
  }
}

/** One stage: the units [first, end). */
template <bool FORWARD, int WIDTH, class V, class X>
__global__ void __launch_bounds__(THREADS) wideStage(const Pass<V, X> a, uint32_t first, uint32_t end) {
  const uint32_t unit = first + (blockIdx.x * THREADS + threadIdx.x) / WIDTH;
  if (unit < end) solveUnit<FORWARD, WIDTH>(a, unit);
}

/** The stages [first, end), one after the other, by one block. */
template <bool FORWARD, int WIDTH, class V, class X>
__global__ void __launch_bounds__(BLOCK)
    narrowStages(const Pass<V, X> a, const uint32_t* stagePtr, uint32_t first, uint32_t end) {
  for (uint32_t i = first; i < end; i++) {
    const uint32_t stage = FORWARD ? i : end - 1 - (i - first);
    const uint32_t last = __ldg(stagePtr + stage + 1);
    for (uint32_t unit = __ldg(stagePtr + stage) + threadIdx.x / WIDTH; unit < last; unit += BLOCK / WIDTH) {
      solveUnit<FORWARD, WIDTH>(a, unit);
    }
    __syncthreads();
  }
}

/** Stages of one launch. */
struct Launch {
  uint32_t first, end;
  bool narrow;
};

template <class V, class X>
class TrianglesPlan final : public Plan {
 public:
  TrianglesPlan(const Request& request, const TrianglesHeader& header, const Method& given)
      : order_(request.upload<uint32_t>(*this, header.order, header.rows)),
        inverse_(request.upload<X>(*this, header.inverse, header.rows)),
        lower_(request, *this, header.rows, header.lowerPtr, header.lowerIdx, header.lower),
        upper_(request, *this, header.rows, header.upperPtr, header.upperIdx, header.upper),
        work_(request.room<X>(*this, header.rows)) {
    const auto stagePtr = request.heap.at<uint32_t>(header.stagePtr, header.stages + size_t{1});
    hostStagePtr_.assign(stagePtr.begin(), stagePtr.end());
    stagePtr_ = request.upload(*this, stagePtr);
    unitPtr_ = request.upload<uint32_t>(*this, header.unitPtr, stagePtr.back() + size_t{1});
    width_ = defaultWidth(header.rows, stagePtr.back());
    const int width = given.get("width", 0, 0, WARP);
    if (std::popcount(static_cast<unsigned>(width)) > 1) {
      throw Failure{"argument", "width: expected 0 or a power of two up to 32, got " + std::to_string(width)};
    }
    if (width != 0) width_ = width;
    const int narrow = given.get("narrow", NARROW, 0, 1 << 20);
    const uint64_t most = uint64_t(narrow) * (BLOCK / width_);
    for (uint32_t stage = 0; stage < header.stages; stage++) {
      const bool isNarrow = hostStagePtr_[stage + 1] - hostStagePtr_[stage] <= most;
      if (isNarrow && !launches_.empty() && launches_.back().narrow) launches_.back().end++;
      else launches_.push_back({stage, stage + 1, isNarrow});
    }
    method = "stages?width=" + std::to_string(width_) + "&narrow=" + std::to_string(narrow);
  }

  void run(cudaStream_t stream, const void* x, void* y, double alpha, double beta) override {
    const auto from = static_cast<const X*>(x);
    const auto to = static_cast<X*>(y);
    const auto pass = [&](const Stored& triangle) {
      return Pass<V, X>{triangle.view(), unitPtr_.data(),       order_.data(),       inverse_.data(), from, to,
                        work_.data(),    static_cast<X>(alpha), static_cast<X>(beta)};
    };
    withWidth([&]<int WIDTH>(std::integral_constant<int, WIDTH>) {
      const auto forward = pass(lower_);
      for (const Launch& launch : launches_) queue<true, WIDTH>(stream, forward, launch);
      const auto backward = pass(upper_);
      for (auto launch = launches_.rbegin(); launch != launches_.rend(); ++launch) queue<false, WIDTH>(stream, backward, *launch);
    });
  }

 private:
  struct Stored {
    Stored(const Request& request, Plan& plan, uint32_t rows, uint32_t ptr, uint32_t idx, uint32_t values)
        : entries(rows == 0 ? 0 : request.heap.at<uint32_t>(ptr, rows + size_t{1}).back()),
          ptr(request.upload<uint32_t>(plan, ptr, rows + size_t{1})),
          idx(request.upload<uint32_t>(plan, idx, entries)),
          values(request.upload<V>(plan, values, entries)) {}
    Triangle<V, X> view() const { return {ptr.data(), idx.data(), values.data()}; }
    uint32_t entries;
    DeviceArray<uint32_t> ptr, idx;
    DeviceArray<V> values;
  };

  /**
   * Half the mean length of a row; of a chain, twice that. With single rows and widths of 1, 2, 4, 8, 16: 5-point 1000² 60, 79, 95, 136, 247 µs,
   * 27-point 64³ 107, 98, 86, 80, 117, a mesh of 198 k 80, 76, 56, 58, 71; in super-rows of 16 rows 199, 199, 155, 142, 173 µs, and 32 is
   * the best for the other two. (H200, f64, November 2026, `bench/cuda/triangular.mjs`.)
   */
  int defaultWidth(uint32_t rows, uint32_t units) const {
    if (rows == 0) return 1;
    const uint32_t mean = std::bit_ceil(std::max<uint32_t>(divideUp(lower_.entries, rows), 1));
    return static_cast<int>(std::clamp<uint32_t>(rows / units < CHAIN ? mean / 2 : mean * 2, 1, WARP));
  }

  template <bool FORWARD, int WIDTH>
  void queue(cudaStream_t stream, const Pass<V, X>& pass, const Launch& launch) const {
    if (launch.narrow) {
      narrowStages<FORWARD, WIDTH, V, X><<<1, BLOCK, 0, stream>>>(pass, stagePtr_.data(), launch.first, launch.end);
    } else {
      const uint32_t first = hostStagePtr_[launch.first];
      const uint32_t end = hostStagePtr_[launch.end];
      const uint32_t blocks = divideUp(uint64_t{end - first} * WIDTH, THREADS);
      wideStage<FORWARD, WIDTH, V, X><<<blocks, THREADS, 0, stream>>>(pass, first, end);
    }
    CHECK_LAUNCH("triangles stages");
  }

  template <class Use>
  void withWidth(Use&& use) const {
    switch (width_) {
      case 1: return use(std::integral_constant<int, 1>{});
      case 2: return use(std::integral_constant<int, 2>{});
      case 4: return use(std::integral_constant<int, 4>{});
      case 8: return use(std::integral_constant<int, 8>{});
      case 16: return use(std::integral_constant<int, 16>{});
      default: return use(std::integral_constant<int, 32>{});
    }
  }

  DeviceArray<uint32_t> order_;
  DeviceArray<X> inverse_;
  Stored lower_, upper_;
  DeviceArray<X> work_;
  DeviceArray<uint32_t> stagePtr_, unitPtr_;
  std::vector<uint32_t> hostStagePtr_;
  std::vector<Launch> launches_;
  int width_;
};

constexpr MethodEntry METHODS[] = {{"stages", {"width", "narrow"}}};

std::unique_ptr<Plan> makeTriangles(const Request& request) {
  const auto& header = request.heap.header<TrianglesHeader>(request.header);
  const Method method(request.method, METHODS);
  return withTypes(request.dtype, [&]<class V, class X>(Types<V, X>) -> std::unique_ptr<Plan> {
    return std::make_unique<TrianglesPlan<V, X>>(request, header, method);
  });
}

}  // namespace

extern const KernelEntry trianglesKernel;
const KernelEntry trianglesKernel{"triangles", "trsv", makeTriangles, METHODS};

}  // namespace sparlane
