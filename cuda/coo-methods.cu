/**
 * COO by the papers' own kernels, for comparison with `coo.cu`. All except `segmented` add atomically: their bits may differ
 * from run to run.
 *
 * Source: Flegar & Anzt 2017, §3.2; Bell & Garland 2008, §4.4; Jindal, "Sparse Matrix-Vector Multiplication on GPU", §1 and §2.
 * Differs: y ← β y is a separate kernel before these, unless it is a stage. Entries missing in the last line of 32 form an
 *   extra row that is never added, so the kernels have no tail loop. ω follows a different rule (`omegaFor`).
 * Methods: `flegar?omega`: a chunk of whole cache lines for each warp, ω threads for each core of the device. Lane i reads
 *   entries 32 j + i, four lines ahead, and sums until a warp vote finds that some lane reaches another row; then a segmented
 *   scan by shuffles, and an atomic add for each row.
 *   `segmented`: an interval for each resident warp; segmented reduction line by line, by shuffles, which the paper's GPU did
 *     not have. Finished rows are added to y without atomics; the rest of the last row is a carry that a second kernel adds.
 *   `atomic?blocks&threads`: every entry is an atomic add. `coo_atomic` uses it too, in row order or in column order (§1.1,
 *     §1.2).
 *   `shared?blocks&threads`: a segmented scan of each line in shared memory, and an atomic add for each row (§2).
 *   The last two stride over a grid of that many blocks (Jindal's: 512 of 32, 64 and 128 threads, 256 of 256). blocks=0: a
 *     thread for each entry.
 * Bound: bytes, as `coo.cu`, and reading y twice; `flegar` and `segmented` by some 45 instructions for 32 entries of short
 *   rows, `shared` by ten turns of shared memory, `atomic` by atomic adds in L2.
 */
#include "carries.cuh"
#include "coo.cuh"

namespace sparlane {

namespace {

constexpr int THREADS = 256;

/** Lines of 32 entries that a warp reads ahead. */
constexpr uint32_t LINES = 4;

/**
 * ω by the number of entries: the best rule of two steps. Compared with the best ω it loses 5.2 % on average and 17.7 % at worst, on five
 * matrices in seven sizes from 10⁴ to 10⁷ entries. The paper's rule for a P100 (§4.3), 8 below 10⁵, 32 below 10⁶, 128 beyond, loses 11.2
 * and 57.3 %.
 * (H200, f64, November 2026, `bench/cuda/omega.mjs`.)
 */
constexpr int omegaFor(uint32_t nnz) { return nnz < 5'000'000 ? 8 : 64; }

/** Cores of a multiprocessor: 128 on most, 64 on sm_75 and sm_80. */
constexpr int CORES = 128;

/** Intervals of `segmented` per multiprocessor, one for each warp. */
constexpr uint32_t RESIDENT_WARPS = 40;

template <class X>
__global__ void __launch_bounds__(THREADS) scaleY(uint32_t rows, X* y, X beta) {
  const uint32_t row = blockIdx.x * THREADS + threadIdx.x;
  if (row < rows) put(y + row, X{0}, X{0}, beta);
}

/** Partition of the lines of entries into chunks of whole lines; the numbers of lines differ by at most one. */
struct Chunks {
  uint32_t lines, count;
  __host__ __device__ uint32_t begin(uint32_t chunk) const {
    return WARP * (lines / count * chunk + (chunk < lines % count ? chunk : lines % count));
  }
};

/** A lane's entries in that many lines; k is the first. NO_ROW where an entry is missing. */
template <class V, class X>
struct Lines {
  uint32_t row[LINES];
  X product[LINES];
  __device__ __forceinline__ void read(const Entries<V, X>& a, const X* x, uint32_t k, uint32_t end) {
    const uint32_t lane = threadIdx.x % WARP;
    uint32_t col[LINES];
    typename Values<V, X>::Stored value[LINES];
    if (k - lane + LINES * WARP <= end) {
      // No entry is missing: the distances are constants, and ptxas keeps the loads together.
      const auto values = a.values.from(k);
#pragma unroll
      for (uint32_t i = 0; i < LINES; i++) col[i] = stream(a.colIdx + k + i * WARP);
#pragma unroll
      for (uint32_t i = 0; i < LINES; i++) row[i] = stream(a.rowIdx + k + i * WARP);
#pragma unroll
      for (uint32_t i = 0; i < LINES; i++) value[i] = values.read(i * WARP);
    } else {
      // For a missing entry the matrix's first one is read and not used.
#pragma unroll
      for (uint32_t i = 0; i < LINES; i++) {
        const uint32_t place = k + i * WARP < end ? k + i * WARP : 0;
        col[i] = stream(a.colIdx + place);
        value[i] = a.values.read(place);
        row[i] = place == k + i * WARP ? stream(a.rowIdx + place) : NO_ROW;
      }
    }
#pragma unroll
    for (uint32_t i = 0; i < LINES; i++) product[i] = __ldg(x + col[i]);
#pragma unroll
    for (uint32_t i = 0; i < LINES; i++) product[i] = row[i] == NO_ROW ? X{0} : a.values.decode(value[i]) * product[i];
  }
};

/** Bit i is set if lane i begins a run of lanes with equal rows. */
__device__ __forceinline__ uint32_t startsOf(uint32_t row) {
  const uint32_t before = __shfl_up_sync(0xffffffffu, row, 1);
  return __ballot_sync(0xffffffffu, before != row) | 1;
}

/** Whether a lane is the last of its run. */
__device__ __forceinline__ bool endsRun(uint32_t starts) {
  const uint32_t lane = threadIdx.x % WARP;
  return lane == WARP - 1 || (starts >> (lane + 1) & 1) != 0;
}

template <class V, class X>
__global__ void __launch_bounds__(THREADS)
    flegar(const Entries<V, X> a, const Chunks chunks, const X* __restrict__ x, X* y, X alpha) {
  const uint32_t chunk = (blockIdx.x * THREADS + threadIdx.x) / WARP;
  if (chunk >= chunks.count) return;
  const uint32_t lane = threadIdx.x % WARP;
  const uint32_t end = min(chunks.begin(chunk + 1), a.nnz);
  X sum = 0;
  for (uint32_t first = chunks.begin(chunk); first < end; first += LINES * WARP) {
    Lines<V, X> lines;
    lines.read(a, x, first + lane, end);
    const uint32_t behind = first + LINES * WARP + lane;
    const uint32_t after = behind < end ? a.rowIdx[behind] : NO_ROW;
#pragma unroll
    for (uint32_t i = 0; i < LINES; i++) {
      sum += lines.product[i];
      const uint32_t row = lines.row[i];
      if (!__any_sync(0xffffffffu, row != (i + 1 < LINES ? lines.row[i + 1] : after))) continue;
      const uint32_t starts = startsOf(row);
      sum = sumOfRun(sum, starts);
      if (endsRun(starts) && row != NO_ROW) atomicAdd(y + row, alpha * sum);
      sum = 0;
    }
  }
}

template <class V, class X>
__global__ void __launch_bounds__(THREADS)
    segmented(const Entries<V, X> a, const Chunks chunks, const X* __restrict__ x, X* y, X* carries, X alpha) {
  const uint32_t chunk = (blockIdx.x * THREADS + threadIdx.x) / WARP;
  if (chunk >= chunks.count) return;
  const uint32_t lane = threadIdx.x % WARP;
  const uint32_t end = min(chunks.begin(chunk + 1), a.nnz);
  uint32_t openRow = NO_ROW;
  X open = 0;
  for (uint32_t first = chunks.begin(chunk); first < end; first += LINES * WARP) {
    Lines<V, X> lines;
    lines.read(a, x, first + lane, end);
#pragma unroll
    for (uint32_t i = 0; i < LINES; i++) {
      const uint32_t row = lines.row[i];
      if (first + i * WARP >= end) break;
      X sum = lines.product[i];
      if (lane == 0) {
        if (row == openRow) sum += open;
        else if (openRow != NO_ROW) y[openRow] += alpha * open;
      }
      const uint32_t starts = startsOf(row);
      sum = sumOfRun(sum, starts);
      if (lane < WARP - 1 && endsRun(starts) && row != NO_ROW) y[row] += alpha * sum;
      openRow = __shfl_sync(0xffffffffu, row, WARP - 1);
      open = __shfl_sync(0xffffffffu, sum, WARP - 1);
    }
  }
  if (lane == 0 && openRow != NO_ROW) carries[chunk] = open;
}

template <class V, class X>
__global__ void __launch_bounds__(THREADS) atomic(const Entries<V, X> a, const X* __restrict__ x, X* y, X alpha) {
  const uint32_t stride = gridDim.x * blockDim.x;
  for (uint32_t k = blockIdx.x * blockDim.x + threadIdx.x; k < a.nnz; k += stride) {
    const X xj = __ldg(x + stream(a.colIdx + k));
    atomicAdd(y + stream(a.rowIdx + k), alpha * (a.values.at(k) * xj));
  }
}

template <class V, class X>
__global__ void __launch_bounds__(THREADS) shared(const Entries<V, X> a, const X* __restrict__ x, X* y, X alpha) {
  __shared__ uint32_t rows[THREADS];
  __shared__ X sums[THREADS];
  const uint32_t at = threadIdx.x;
  const uint32_t lane = at % WARP;
  const uint32_t stride = gridDim.x * blockDim.x;
  for (uint32_t first = blockIdx.x * blockDim.x + at - lane; first < a.nnz; first += stride) {
    const uint32_t k = first + lane;
    const uint32_t row = k < a.nnz ? stream(a.rowIdx + k) : NO_ROW;
    X sum = k < a.nnz ? a.values.at(k) * __ldg(x + stream(a.colIdx + k)) : X{0};
    rows[at] = row;
    sums[at] = sum;
    __syncwarp();
#pragma unroll
    for (uint32_t step = 1; step < WARP; step *= 2) {
      const X left = lane >= step && rows[at - step] == row ? sums[at - step] : X{0};
      __syncwarp();
      sums[at] = sum += left;
      __syncwarp();
    }
    if (row != NO_ROW && (lane == WARP - 1 || rows[at + 1] != row)) atomicAdd(y + row, alpha * sum);
    __syncwarp();
  }
}

/** Common to all methods: the entries, and y ← β y first, unless a previous stage has computed it. */
template <class V, class X>
class CooPlan : public Plan {
 public:
  CooPlan(const Request& request, const CooAtomicHeader& coo)
      : rows_(coo.rows), scales_(!coo.adds), entries_(request, *this, coo), a_(entries_.view()) {}

  void run(cudaStream_t stream, const void* x, void* y, double alpha, double beta) override {
    if (scales_ && rows_ > 0 && beta != 1) {
      scaleY<<<divideUp(rows_, THREADS), THREADS, 0, stream>>>(rows_, static_cast<X*>(y), static_cast<X>(beta));
      CHECK_LAUNCH("coo scale");
    }
    if (a_.nnz > 0) add(stream, static_cast<const X*>(x), static_cast<X*>(y), static_cast<X>(alpha));
  }

 protected:
  /** y ← y + α A x. Requires at least one entry. */
  virtual void add(cudaStream_t stream, const X* x, X* y, X alpha) = 0;

 private:
  uint32_t rows_;
  bool scales_;
  StoredEntries<V, X> entries_;

 protected:
  Entries<V, X> a_;
};

Chunks chunksOf(uint32_t nnz, uint64_t most) {
  const uint32_t lines = divideUp(nnz, WARP);
  return {lines, static_cast<uint32_t>(std::max<uint64_t>(1, std::min<uint64_t>(lines, most)))};
}

template <class V, class X>
class FlegarPlan : public CooPlan<V, X> {
 public:
  FlegarPlan(const Request& request, const CooAtomicHeader& coo, int omega)
      : CooPlan<V, X>(request, coo),
        chunks_(chunksOf(coo.nnz, uint64_t{CORES / WARP} * omega * request.context->properties.multiProcessorCount)) {
    this->method = "flegar?omega=" + std::to_string(omega);
  }

 protected:
  void add(cudaStream_t stream, const X* x, X* y, X alpha) override {
    flegar<<<divideUp(uint64_t{chunks_.count} * WARP, THREADS), THREADS, 0, stream>>>(this->a_, chunks_, x, y, alpha);
    CHECK_LAUNCH("coo flegar");
  }

 private:
  Chunks chunks_;
};

/** The row of each chunk's last entry if its last line is full. Otherwise the last row ends within the line. */
std::vector<uint32_t> openRows(std::span<const uint32_t> rowIdx, const Chunks& chunks) {
  std::vector<uint32_t> rows;
  for (uint32_t chunk = 0; chunk < chunks.count; chunk++) {
    const uint32_t end = chunks.begin(chunk + 1);
    rows.push_back(0 < end && end <= rowIdx.size() ? rowIdx[end - 1] : NO_ROW);
  }
  return rows;
}

template <class V, class X>
class SegmentedPlan : public CooPlan<V, X> {
 public:
  SegmentedPlan(const Request& request, const CooAtomicHeader& coo)
      : CooPlan<V, X>(request, coo),
        chunks_(chunksOf(coo.nnz, uint64_t{RESIDENT_WARPS} * request.context->properties.multiProcessorCount)),
        carries_(request, *this, openRows(request.heap.at<uint32_t>(coo.rowIdx, coo.nnz), chunks_)) {
    this->method = "segmented";
  }

 protected:
  void add(cudaStream_t stream, const X* x, X* y, X alpha) override {
    const uint32_t blocks = divideUp(uint64_t{chunks_.count} * WARP, THREADS);
    segmented<<<blocks, THREADS, 0, stream>>>(this->a_, chunks_, x, y, carries_.data(), alpha);
    CHECK_LAUNCH("coo segmented");
    carries_.add(stream, y, alpha);
  }

 private:
  Chunks chunks_;
  Carries<X> carries_;
};

/** `atomic` and `shared`: a thread for each entry, or a stride over a grid of a given size. */
template <class V, class X>
class StridePlan : public CooPlan<V, X> {
 public:
  StridePlan(const Request& request, const CooAtomicHeader& coo, const Method& method)
      : CooPlan<V, X>(request, coo),
        isShared_(method.name() == "shared"),
        threads_(divideUp(method.get("threads", THREADS, 1, THREADS), WARP) * WARP) {
    const uint32_t needed = divideUp(coo.nnz, threads_);
    const auto given = static_cast<uint32_t>(method.get("blocks", 0, 0, 1 << 20));
    blocks_ = given == 0 ? needed : std::min(given, needed);
    this->method = method.name() + "?blocks=" + std::to_string(given) + "&threads=" + std::to_string(threads_);
  }

 protected:
  void add(cudaStream_t stream, const X* x, X* y, X alpha) override {
    if (isShared_) shared<<<blocks_, threads_, 0, stream>>>(this->a_, x, y, alpha);
    else atomic<<<blocks_, threads_, 0, stream>>>(this->a_, x, y, alpha);
    CHECK_LAUNCH(isShared_ ? "coo shared" : "coo atomic");
  }

 private:
  bool isShared_;
  uint32_t threads_, blocks_;
};

constexpr MethodEntry ATOMIC_METHODS[] = {{"atomic", {"blocks", "threads"}, true}};

std::unique_ptr<Plan> makeCooAtomic(const Request& request) {
  return makeCooMethod(request, Method(request.method, ATOMIC_METHODS));
}

}  // namespace

std::unique_ptr<Plan> makeCooMethod(const Request& request, const Method& method) {
  const auto& coo = request.heap.header<CooAtomicHeader>(request.header);
  return withValues(request.dtype, coo.values, coo.table, [&]<class V, class X>(Types<V, X>) -> std::unique_ptr<Plan> {
    if (method.name() == "flegar")
      return std::make_unique<FlegarPlan<V, X>>(request, coo, method.get("omega", omegaFor(coo.nnz), 1, 1024));
    if (method.name() == "segmented") return std::make_unique<SegmentedPlan<V, X>>(request, coo);
    return std::make_unique<StridePlan<V, X>>(request, coo, method);
  });
}

extern const KernelEntry cooAtomicKernel;
const KernelEntry cooAtomicKernel{"coo_atomic", "spmv", makeCooAtomic, ATOMIC_METHODS};

}  // namespace sparlane
