/**
 * CSR on the device: y ← α A x + β y by rows. Layout: `src/formats/csr/csr.ts`.
 *
 * Methods: `packed?entries&bits&shared` (`packed.cuh`): rows packed into tiles, stored at known places.
 *   `stream?run` (`stream.cuh`): tiles of the arrays as they are, for few entries in many rows, where packing takes many places for each.
 *   `packed?clustered=1`: tiles of rows that have columns in common (`clusters.cuh`), for rows that are numbered at random.
 *   `windows?columns&entries&groups` (`windows.cu`): sums in shared memory, for entries that are scattered all over a large x.
 *   `hubs?count&warps` (`hubs.cu`): x of few columns in shared memory, which have many of the entries.
 *   Of these the one is the default that is expected to take least (`costs.cuh`, `windows-costs.cuh`); the others are for comparison.
 *   `scalar` (Bell & Garland 2008, §4.3): a thread per row.
 *   `vector?width` (§4.3 too, with width 32): 2 … 32 lanes per row, by default as many as the mean row has entries.
 *   `balanced`, `merge` (`methods.cu`): equal shares of the work, independent of row ends. `csr_merge` uses `merge`.
 * Bound: `scalar` by sectors of which one entry is used, `vector` by the longest row and by idle lanes.
 */
#include <algorithm>
#include <bit>
#include <cmath>

#include "candidate.cuh"
#include "csr/packed-candidates.cuh"
#include "csr/windows-costs.cuh"

namespace sparlane {

namespace {

constexpr int THREADS = 256;

/** 2^shift neighbouring lanes compute a row. */
template <class V, class X>
__global__ void __launch_bounds__(THREADS)
    rowsByLanes(uint32_t rows, CsrView<V, uint32_t, X> a, const X* __restrict__ x, X* y, X alpha, X beta, int shift) {
  const uint32_t lanes = 1u << shift;
  const uint32_t lane = threadIdx.x & (lanes - 1);
  const uint32_t row = blockIdx.x * (THREADS >> shift) + (threadIdx.x >> shift);
  X sum{0};
  if (row < rows) {
    const uint32_t end = a.rowPtr[row + 1];
    for (uint32_t k = a.rowPtr[row] + lane; k < end; k += lanes) sum += a.product(k, x);
  }
  sum = sumOfGroup(sum, lanes);
  if (row < rows && lane == 0) put(y + row, sum, alpha, beta);
}

template <class V, class X>
class LanesPlan : public Plan {
 public:
  LanesPlan(const Request& request, const CsrHeader& header, int shift)
      : arrays_(request, *this, header), rows_(header.rows), shift_(shift) {}

  void run(cudaStream_t stream, const void* x, void* y, double alpha, double beta) override {
    if (rows_ == 0) return;
    rowsByLanes<V, X><<<divideUp(rows_, THREADS >> shift_), THREADS, 0, stream>>>(
        rows_, arrays_.view(), static_cast<const X*>(x), static_cast<X*>(y), static_cast<X>(alpha), static_cast<X>(beta), shift_);
    CHECK_LAUNCH("csr lanes");
  }

 private:
  CsrArrays<V, uint32_t, X> arrays_;
  uint32_t rows_;
  int shift_;
};

std::unique_ptr<Plan> makeLanes(const Request& request, const CsrHeader& header, uint32_t lanes) {
  if (!std::has_single_bit(lanes)) throw Failure{"argument", "width: expected a power of 2, got " + std::to_string(lanes)};
  return withValues(request.dtype, header.values, header.table, [&]<class V, class X>(Types<V, X>) -> std::unique_ptr<Plan> {
    auto plan = std::make_unique<LanesPlan<V, X>>(request, header, std::countr_zero(lanes));
    plan->method = lanes == 1 ? "scalar" : "vector?width=" + std::to_string(lanes);
    return plan;
  });
}

/** The least power of 2 not below the mean number of entries of a row, within 2 … 32. */
int usualWidth(const CsrHeader& header) {
  const uint32_t mean = header.rows == 0 ? 0 : divideUp(header.nnz, header.rows);
  return static_cast<int>(std::bit_ceil(std::clamp(mean, 2u, 32u)));
}

std::unique_ptr<Plan> make(const Request& request, std::span<const MethodEntry> methods) {
  const Method method(request.method, methods);
  const CsrHeader& header = request.heap.header<CsrHeader>(request.header);
  if (method.name() == "scalar") return makeLanes(request, header, 1);
  if (method.name() == "vector") return makeLanes(request, header, method.get("width", usualWidth(header), 2, 32));
  if (method.name() == "balanced") return makeBalanced(request, header);
  if (method.name() == "merge") return makeMerge(request, header);
  return makeByTiles(request, header, columnsOf(request, header), method);
}

constexpr MethodEntry SCALAR_METHOD{"scalar"}, VECTOR_METHOD{"vector", {"width"}}, BALANCED_METHOD{"balanced", {}, true},
    MERGE_METHOD{"merge"};
constexpr MethodEntry METHODS[] = {STREAM_METHOD, PACKED_METHOD, HUBS_METHOD,     WINDOWS_METHOD,
                                   SCALAR_METHOD, VECTOR_METHOD, BALANCED_METHOD, MERGE_METHOD};
constexpr MethodEntry MERGE_METHODS[] = {MERGE_METHOD,   STREAM_METHOD, PACKED_METHOD, HUBS_METHOD,
                                         WINDOWS_METHOD, SCALAR_METHOD, VECTOR_METHOD, BALANCED_METHOD};

std::vector<Candidate> candidatesOfCsr(const Request& request) {
  const CsrHeader& header = request.heap.header<CsrHeader>(request.header);
  return candidatesByTiles(request, header, columnsOf(request, header));
}

std::unique_ptr<Plan> makeCsr(const Request& request) { return make(request, METHODS); }
std::unique_ptr<Plan> makeCsrMerge(const Request& request) { return make(request, MERGE_METHODS); }

}  // namespace

std::unique_ptr<Plan> makeStream(const Request& request, const CsrHeader& header, Places colIdx, int longestRun) {
  const auto uploadColumns = [&](Plan& plan) { return StoredColumns<uint32_t>{request.share(plan, colIdx)}; };
  return withValues(request.dtype, header.values, header.table, [&]<class V, class X>(Types<V, X>) -> std::unique_ptr<Plan> {
    return std::make_unique<StreamPlan<V, uint32_t, X>>(request, header, uploadColumns, longestRun);
  });
}

namespace {

/** Adds the candidates `packed`; it adds none for a matrix without entries, which `stream` multiplies. */
void addPackedRows(std::vector<Candidate>& candidates, const Request& request, const CsrHeader& header, Places colIdx,
                   const Method& method) {
  if (header.nnz == 0) return;
  addPacked(candidates, request, header, colIdx, method, Sizes::of(request.dtype, header), [=](const auto&... how) {
    return withValues(request.dtype, header.values, header.table, [&]<class V, class X>(Types<V, X>) -> std::unique_ptr<Plan> {
      return std::make_unique<PackedPlan<V, X>>(request, header, colIdx, how...);
    });
  });
}

Candidate streamOf(const Request& request, const CsrHeader& header, Places colIdx, const Method& method) {
  const auto entries = colIdx.first(header.nnz);
  const Sizes sizes = Sizes::of(request.dtype, header);
  const uint32_t perSector = SECTOR_BYTES / sizes.element;
  const uint32_t multiprocessors = request.context->rates.multiprocessors;
  const uint32_t tile = shareOf(header.nnz, multiprocessors, SMALLEST_TILE, TILE_ROOM);
  // The first runs of `runsOf` are about as long as this; later ones are shorter.
  const uint32_t blocks = TILE_BLOCKS<uint32_t, double> * multiprocessors;
  const uint32_t run = tile * std::clamp<uint32_t>(header.nnz / tile / (RUN_SHARE * blocks), 1, RUN);
  const double ofRun = sectorsOfRuns(entries, run, perSector);
  const bool isKept = ofRun * run * SECTOR_BYTES <= KEPT_OF_RUN;
  const double sectors = isKept ? ofRun : sectorsOfRuns(entries, tile, perSector);
  return {{"stream", streamNs(request.context->rates, workOf(sizes, header, header.nnz, sectors))},
          [=] { return makeStream(request, header, colIdx, method.get("run", RUN, 1, LONGEST_RUN)); }};
}

}  // namespace

std::vector<Candidate> candidatesByTiles(const Request& request, const CsrHeader& header, Places colIdx) {
  const Method method({}, METHODS);
  std::vector<Candidate> candidates;
  addPackedRows(candidates, request, header, colIdx, method);
  candidates.push_back(streamOf(request, header, colIdx, method));
  const auto addIf = [&](std::optional<Candidate> candidate) {
    if (candidate) candidates.push_back(std::move(*candidate));
  };
  addIf(hubsOf(request, header, colIdx, method, least(candidates).ns));
  if (request.patient && header.nnz >= LEAST_ENTRIES_OF_WINDOWS)
    addIf(windowsOf(request, header, colIdx, method, least(candidates).ns));
  return candidates;
}

std::unique_ptr<Plan> makeByTiles(const Request& request, const CsrHeader& header, Places colIdx, const Method& method) {
  if (request.method.empty()) return makeLeast(candidatesByTiles(request, header, colIdx));
  std::vector<Candidate> asked;
  if (method.name() == "packed") addPackedRows(asked, request, header, colIdx, method);
  const auto other = method.name() == "hubs"      ? hubsOf(request, header, colIdx, method, INFINITY)
                     : method.name() == "windows" ? windowsOf(request, header, colIdx, method, INFINITY)
                                                  : std::nullopt;
  if (other) asked.push_back(*other);
  if (!asked.empty()) return asked.front().make();
  return makeStream(request, header, colIdx, method.get("run", RUN, 1, LONGEST_RUN));
}

extern const KernelEntry csrKernel;
const KernelEntry csrKernel{"csr", "spmv", makeCsr, METHODS, candidatesOfCsr};

extern const KernelEntry csrMergeKernel;
const KernelEntry csrMergeKernel{"csr_merge", "spmv", makeCsrMerge, MERGE_METHODS};

}  // namespace sparlane
