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
#include "coo/methods.cuh"

namespace sparlane {

namespace {

using namespace coo;

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
