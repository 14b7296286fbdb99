/**
 * BSR: y ← α A x + β y over dense blocks of b × b, with one kernel for small blocks and one for any size. Also the second
 *   stage of balanced BSR.
 *
 * Source: Abdelfattah, Ltaief, Keyes & Dongarra 2016, §4 and §5; the brute-force tuner §5.7.
 * Differs: K1 handles blocks up to 8 × 8. In the paper a warp reads several blocks of one block row; here a team of lanes
 *   reads one block, and the warp's other teams read blocks of the next block rows, since block rows are short.
 *   Blocks above 8 × 8 are stored in panels of 8 rows (`src/formats/bsr/bsr.ts`). This layout suits a GPU without conversion: a
 *   load reads four columns of 64 bytes. A thread block has all panels of a block row (K2) or some (K3), and a thread group is a
 *   column of its rows; in K3 a thread has up to four rows, so that x is read once for them. A working set consists of adjacent columns,
 *   across blocks, so groups × ept need not be below nb (Table I).
 *   Block rows too long for a warp are cut on the device as in balanced BSR (§5.5): `maxRowBlocks=0` is the paper's kernel without that.
 * Methods: `k1` (§5.2), `k2` (§5.3), `k3` (§5.4): by default the one that is expected to take least (`costs.cuh`), with the default parameters
 *   (`parameters.cuh`); in the paper K3 from 45 × 45 on. `tune`: the fastest of all their combinations, measured on the matrix.
 * Bound: bytes of the blocks. x is read once for each block and panel, mostly from L1 and L2.
 */
#include <cmath>
#include <optional>

#include "bsr/costs.cuh"
#include "bsr/reduce.cuh"
#include "candidate.cuh"

namespace sparlane {
namespace bsr {

constexpr std::string_view TUNE = "tune";
constexpr MethodEntry OF_2_TO_4[] = {{"k1", {"arrays", "rows", "buffers", "maxRowBlocks"}}, {TUNE.data(), {"maxRowBlocks"}}};
constexpr MethodEntry OF_5_TO_8[] = {{"k1", {"arrays", "rows", "buffers", "maxRowBlocks"}},
                                     {"k2", {"arrays", "groups", "rows", "maxRowBlocks"}},
                                     {TUNE.data(), {"maxRowBlocks"}}};
constexpr MethodEntry OF_ANY[] = {{"k2", {"arrays", "groups", "rows", "maxRowBlocks"}},
                                  {"k3", {"nb", "groups", "ept", "maxRowBlocks"}},
                                  {TUNE.data(), {"maxRowBlocks"}}};

std::span<const MethodEntry> methodsOf(uint32_t blockSize) {
  if (blockSize == 1 || blockSize > LARGEST_SMALL) return OF_ANY;
  if (blockSize > 4) return OF_5_TO_8;
  return OF_2_TO_4;
}

/** Columns of a block row that a warp reads at a time, of blocks below LARGE_BLOCKS. */
constexpr uint32_t columnsOfStep(uint32_t b) { return b > 1 && b <= LARGEST_SMALL ? BLOCKS[b][0] * b : USUAL_STEP; }

std::span<const uint32_t> blockRowPtrOf(const Request& request, const BsrHeader& header) {
  return request.heap.at<uint32_t>(header.blockRowPtr, divideUp(header.rows, header.blockSize) + size_t{1});
}

/** λ by default; a balanced layout is cut already. */
uint32_t limitOf(const BsrHeader& header, std::span<const uint32_t> blockRowPtr) {
  return header.partials != 0 ? 0 : fittingLimit(blockRowPtr, header.blockSize, columnsOfStep(header.blockSize));
}

Parameters::Kernel kernelNamed(std::string_view name) {
  return name == "k1" ? Parameters::K1 : name == "k2" ? Parameters::K2 : Parameters::K3;
}

/** Block rows in segments of up to `limit` blocks. Segments of one block row are equally long. An empty one has one segment. */
struct Cut {
  std::vector<uint32_t> blockRowPtr, segPtr;
  /** Of each segment: first block and blocks of its block row. */
  std::vector<uint2> wholes;

  Cut(std::span<const uint32_t> whole, uint32_t limit) : segPtr{0} {
    for (size_t i = 0; i + 1 < whole.size(); i++) {
      const uint64_t blocks = whole[i + 1] - whole[i];
      const uint64_t segments = std::max<uint64_t>(1, divideUp(blocks, limit));
      for (uint64_t s = 0; s < segments; s++) {
        blockRowPtr.push_back(whole[i] + static_cast<uint32_t>(blocks * s / segments));
        wholes.push_back({whole[i], whole[i + 1] - whole[i]});
      }
      segPtr.push_back(static_cast<uint32_t>(blockRowPtr.size()));
    }
    blockRowPtr.push_back(whole.back());
  }
};

/** The minimum time of a few runs, in milliseconds. */
class Stopwatch {
 public:
  Stopwatch() {
    CUDA_CHECK(cudaEventCreate(&begin_));
    CUDA_CHECK(cudaEventCreate(&end_));
  }
  ~Stopwatch() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  template <class Run>
  float time(cudaStream_t stream, Run&& run) {
    float least = INFINITY;
    for (int i = 0; i < RUNS; i++) {
      CUDA_CHECK(cudaEventRecord(begin_, stream));
      run();
      CUDA_CHECK(cudaEventRecord(end_, stream));
      CUDA_CHECK(cudaEventSynchronize(end_));
      float ms = 0;
      CUDA_CHECK(cudaEventElapsedTime(&ms, begin_, end_));
      least = std::min(least, ms);
    }
    return least;
  }

 private:
  static constexpr int RUNS = 5;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

template <class V, class X>
class BsrPlan final : public Plan {
 public:
  BsrPlan(const Request& request, const BsrHeader& header, const Method& method) {
    const uint32_t b = header.blockSize;
    const auto blockRowPtr = blockRowPtrOf(request, header);
    const auto blockColIdx = request.heap.at<uint32_t>(header.blockColIdx, blockRowPtr.back());
    a_.blockSize = b;
    a_.panels = header.panels;
    const uint32_t limit = layRows(request, header, method, blockRowPtr);
    blockColIdx_ = request.share(*this, blockColIdx);
    values_ = request.share<V>(*this, header.values, blockColIdx.size() * b * b);
    a_.blockColIdx = blockColIdx_.data();
    a_.values = values_.data();
    choose(request, method, blockColIdx);
    this->method = parameters_.text();
    if (limit > 0) this->method += "&maxRowBlocks=" + std::to_string(limit);
  }

  void run(cudaStream_t stream, const void* xs, void* ys, double alpha, double beta) override {
    const X* const x = static_cast<const X*>(xs);
    X* const y = static_cast<X*>(ys);
    X* const partials = reduction_ ? cutPartials_.data() : partials_.get();
    if (partials == nullptr) return parameters_.launch(stream, a_, x, y, static_cast<X>(alpha), static_cast<X>(beta));
    parameters_.launch(stream, a_, x, partials, X{1}, X{0});
    if (reduction_) reduction_->run(stream, partials, y, static_cast<X>(alpha), static_cast<X>(beta));
  }

 private:
  /** Uploads the block rows, whole or cut; returns λ. */
  uint32_t layRows(const Request& request, const BsrHeader& header, const Method& method, std::span<const uint32_t> blockRowPtr) {
    a_.rows = header.rows;
    a_.blockRows = static_cast<uint32_t>(blockRowPtr.size() - 1);
    const bool balanced = header.partials != 0;
    if (balanced) partials_ = request.sharedRoom<X>(*this, header.partials, header.rows);
    const auto fitting = static_cast<int>(limitOf(header, blockRowPtr));
    const uint32_t limit = method.get("maxRowBlocks", fitting, 0, balanced ? 0 : MOST_ROW_BLOCKS);
    if (limit == 0) {
      blockRowPtr_ = request.upload(*this, blockRowPtr);
    } else {
      const Cut cut(blockRowPtr, limit);
      reduction_.emplace(request, *this, a_.rows, a_.blockSize, cut.segPtr);
      blockRowPtr_ = request.upload(*this, std::span(cut.blockRowPtr));
      a_.blockRows = cut.segPtr.back();
      a_.rows = a_.blockRows * a_.blockSize;
      cutPartials_ = request.room<X>(*this, a_.rows);
      if (a_.panels > 1) wholes_ = request.upload(*this, std::span(cut.wholes));
      a_.wholes = wholes_.data();
    }
    a_.blockRowPtr = blockRowPtr_.data();
    return limit;
  }

  void choose(const Request& request, const Method& method, std::span<const uint32_t> blockColIdx) {
    if (method.name() == TUNE) return tune(request, blockColIdx);
    const auto kernel = kernelNamed(method.name());
    const int multiprocessors = request.context->properties.multiProcessorCount;
    const auto blocks = static_cast<uint32_t>(blockColIdx.size());
    parameters_ = byDefault(kernel, a_.blockSize, a_.panels, a_.blockRows, blocks, request.dtype, multiprocessors);
    parameters_ = asAsked(method, parameters_, a_.panels);
  }

  /** Measures all combinations on vectors of zeros. The first combination runs an extra time, to exclude one-time costs. */
  void tune(const Request& request, std::span<const uint32_t> blockColIdx) {
    uint32_t cols = 0;
    for (const uint32_t column : blockColIdx) cols = std::max(cols, column + a_.blockSize);
    const cudaStream_t stream = request.context->stream;
    const DeviceArray<X> x(request.context, cols);
    const DeviceArray<X> y(request.context, a_.rows);
    CUDA_CHECK(cudaMemsetAsync(x.data(), 0, x.bytes(), stream));
    const auto all = combinations(a_.blockSize, a_.panels);
    const auto launch = [&](const Parameters& some) { some.launch(stream, a_, x.data(), y.data(), X{1}, X{0}); };
    Stopwatch stopwatch;
    launch(all.front());
    float least = INFINITY;
    for (const auto& some : all) {
      const float ms = stopwatch.time(stream, [&] { launch(some); });
      if (ms >= least) continue;
      least = ms;
      parameters_ = some;
    }
  }

  BlockRows<V> a_;
  Parameters parameters_{};
  DeviceArray<uint32_t> blockRowPtr_, blockColIdx_;
  DeviceArray<uint2> wholes_;
  DeviceArray<V> values_;
  /** Partial sums of a balanced layout: the next stage reads them. */
  std::shared_ptr<X> partials_;
  /** Partial sums of block rows that were cut for the device. */
  DeviceArray<X> cutPartials_;
  std::optional<Reduction> reduction_;
};

template <class X>
class ReductionPlan final : public Plan {
 public:
  ReductionPlan(const Request& request, const ReductionHeader& header)
      : ReductionPlan(request, header,
                      request.heap.at<uint32_t>(header.segPtr, divideUp(header.rows, header.blockSize) + size_t{1})) {}

  void run(cudaStream_t stream, const void*, void* y, double alpha, double beta) override {
    reduction_.run(stream, partials_.get(), static_cast<X*>(y), static_cast<X>(alpha), static_cast<X>(beta));
  }

 private:
  ReductionPlan(const Request& request, const ReductionHeader& header, std::span<const uint32_t> segPtr)
      : partials_(request.sharedRoom<X>(*this, header.partials, size_t{segPtr.back()} * header.blockSize)),
        reduction_(request, *this, header.rows, header.blockSize, segPtr) {
    method = "ordered";
  }

  std::shared_ptr<X> partials_;
  Reduction reduction_;
};

constexpr MethodEntry REDUCTION_METHODS[] = {{"ordered"}};

std::unique_ptr<Plan> makeAsked(const Request& request, const BsrHeader& header, std::string_view method) {
  const Method asked(method, methodsOf(header.blockSize));
  return withTypes(request.dtype, [&]<class V, class X>(Types<V, X>) -> std::unique_ptr<Plan> {
    return std::make_unique<BsrPlan<V, X>>(request, header, asked);
  });
}

/** Returns the kernels that take blocks of this size, each with its default parameters. */
std::vector<Candidate> candidatesOfBsr(const Request& request) {
  const auto& header = request.heap.header<BsrHeader>(request.header);
  const auto blockRowPtr = blockRowPtrOf(request, header);
  const Rates& rates = request.context->rates;
  const Sizes sizes = Sizes::of(request.dtype);
  const uint32_t b = header.blockSize, limit = limitOf(header, blockRowPtr);
  const auto rows = equalRows(blockRowPtr, limit);
  double count = 0;
  for (const EqualRows& some : rows) count += some.rows;
  // Partial sums are written, and read by another kernel.
  const double reductionNs = limit == 0 ? 0 : LAUNCH_NS + rates.byteNs * 2 * count * b * sizes.element;
  std::vector<Candidate> candidates;
  for (const MethodEntry& method : methodsOf(b)) {
    if (method.name == TUNE) continue;
    const Parameters how = byDefault(kernelNamed(method.name), b, header.panels, static_cast<uint32_t>(count), blockRowPtr.back(),
                                     request.dtype, static_cast<int>(rates.multiprocessors));
    const double ns = kernelNs(rates, how, sizes, b, header.panels, rows) + reductionNs;
    candidates.push_back({{method.name, ns}, [=] { return makeAsked(request, header, method.name); }});
  }
  return candidates;
}

std::unique_ptr<Plan> makeBsr(const Request& request) {
  if (request.method.empty()) return makeLeast(candidatesOfBsr(request));
  return makeAsked(request, request.heap.header<BsrHeader>(request.header), request.method);
}

std::unique_ptr<Plan> makeReduction(const Request& request) {
  const Method method(request.method, REDUCTION_METHODS);
  const auto& header = request.heap.header<ReductionHeader>(request.header);
  return withTypes(request.dtype, [&]<class V, class X>(Types<V, X>) -> std::unique_ptr<Plan> {
    return std::make_unique<ReductionPlan<X>>(request, header);
  });
}

}  // namespace bsr

extern const KernelEntry bsr2Kernel, bsr3Kernel, bsr4Kernel, bsr5Kernel, bsr6Kernel, bsr7Kernel, bsr8Kernel, bsrKernel,
    bsrReduceKernel;
const KernelEntry bsr2Kernel{"bsr2", "spmv", bsr::makeBsr, bsr::OF_2_TO_4, bsr::candidatesOfBsr};
const KernelEntry bsr3Kernel{"bsr3", "spmv", bsr::makeBsr, bsr::OF_2_TO_4, bsr::candidatesOfBsr};
const KernelEntry bsr4Kernel{"bsr4", "spmv", bsr::makeBsr, bsr::OF_2_TO_4, bsr::candidatesOfBsr};
const KernelEntry bsr5Kernel{"bsr5", "spmv", bsr::makeBsr, bsr::OF_5_TO_8, bsr::candidatesOfBsr};
const KernelEntry bsr6Kernel{"bsr6", "spmv", bsr::makeBsr, bsr::OF_5_TO_8, bsr::candidatesOfBsr};
const KernelEntry bsr7Kernel{"bsr7", "spmv", bsr::makeBsr, bsr::OF_5_TO_8, bsr::candidatesOfBsr};
const KernelEntry bsr8Kernel{"bsr8", "spmv", bsr::makeBsr, bsr::OF_5_TO_8, bsr::candidatesOfBsr};
const KernelEntry bsrKernel{"bsr", "spmv", bsr::makeBsr, bsr::OF_ANY, bsr::candidatesOfBsr};
const KernelEntry bsrReduceKernel{"bsr", "reduce", bsr::makeReduction, bsr::REDUCTION_METHODS};

}  // namespace sparlane
