/** What the methods of SELL are expected to take, as `expected.cuh` says. */
#pragma once
#include <bit>
#include <map>

#include "expected.cuh"
#include "sell/kernels.cuh"

namespace sparlane {

/** Columns in a batch of a thread that has a row. */
constexpr uint32_t ROW_BATCHES[] = {7, 5, 14};
/**
 * Chunks of more columns for each thread of a row, in number and as a multiple of the mean, are cut: one thread per row would delay all others. Lognormal
 * rows of mean 64 take 97 µs with 64, 104 with 128, 118 with 256; of mean 200 273, 262 and 244. (H200, f64, November 2026.)
 */
constexpr uint32_t LONG_COLUMNS = 64;
constexpr double LONG_SHARE = 1.25;
/**
 * Columns of a piece per thread of a row: 4, 8 and 32 are within 2 % on average, 64 takes 1.03 times as long. (H200,
 * f64, November 2026.)
 */
constexpr uint32_t PIECE_COLUMNS = 16;
/** Memory is read by so many bytes at a time: in slices, those of a chunk and of its neighbours. Chosen. */
constexpr uint32_t MEMORY_BYTES = 64;
/**
 * From the second batch on, what the threads of a chunk read at a time costs the memory so many bytes more than its own, in each array. Slices have no
 * such gaps: blocks of 7 × 7 take 347 µs in f64 and 224 in f32 with slices, 379 and 315 with a thread to a row of a chunk, 380 and 243 with two. (H200,
 * 26 November 2026, `bench/cuda/run.mjs`.)
 */
constexpr double GAP_BYTES = 8;

/**
 * The sums of the threads of a row are added in log2 of their number of steps, each of which takes so much of the time. With 0.02 choices take 2.4 % more than the
 * fastest method in the mean, with 0 3.1 % (234 choices, `bench/results/2026-11-28-methods-h200.jsonl.gz`).
 */
constexpr double SHUFFLE_SHARE = 0.02;

/** A method is told from others by these parameters. */
struct SellMethod {
  enum Kind { ROW, SLICES, SPLIT } kind;
  /** Columns in a batch of a thread. */
  uint32_t batch;
  /** Threads of a row. */
  uint32_t width = 1;

  std::string text() const {
    if (kind == SPLIT) return "split?width=" + std::to_string(width);
    return (kind == ROW ? "row?unroll=" : "slices?unroll=") + std::to_string(batch);
  }
  /** Chunks of more columns are in pieces. */
  uint32_t longColumns(const SellHeader& header, uint32_t entries) const {
    const uint32_t mean = header.rows == 0 ? 0 : divideUp(entries, header.rows);
    return std::max(LONG_COLUMNS * width, static_cast<uint32_t>(LONG_SHARE * mean));
  }
};

/** Calls `use` with the number of entries of the widest chunk among every `together` neighbouring ones. */
template <class Use>
void forEachWidest(std::span<const uint32_t> chunkPtr, size_t together, Use&& use) {
  const size_t chunks = chunkPtr.size() - 1;
  for (size_t first = 0; first < chunks; first += together) {
    uint32_t widest = 0;
    for (size_t chunk = first; chunk < std::min(first + together, chunks); chunk++)
      widest = std::max(widest, chunkPtr[chunk + 1] - chunkPtr[chunk]);
    use(widest);
  }
}

/** The chunks of a matrix, as estimates see them. */
class ChunkCosts {
 public:
  ChunkCosts(const Request& request, const SellHeader& header)
      : header_(header),
        rates_(request.context->rates),
        chunkPtr_(chunkPtrOf(request, header)),
        sizes_(Sizes::of(request.dtype, header)),
        indexBytes_(header.chunkBase == 0 ? sizeof(uint32_t) : sizeof(uint16_t)) {
    for (size_t chunk = 0; chunk + 1 < chunkPtr_.size(); chunk++)
      chunks_[(chunkPtr_[chunk + 1] - chunkPtr_[chunk]) / header.chunkHeight]++;
    for (const uint32_t bytes : {indexBytes_, sizes_.value})
      bytesInSlices_ += bytes * places(std::max(1u, MEMORY_BYTES / (bytes * header.chunkHeight)));
    sectors_ = sectorsPerEntry(request) * chunkPtr_.back();
  }

  /** Slices of 32 rows have fewer than 2³² places. */
  bool hasSlices() const { return places(WARP / header_.chunkHeight) <= UINT32_MAX; }

  struct Estimated {
    double ns;
    /** Places whose products threads compute; some are beyond the end of a row. */
    double computed;
  };
  Estimated of(const SellMethod& method) const {
    const uint32_t longColumns = method.longColumns(header_, chunkPtr_.back());
    Batches batches;
    double computed = 0, inLater = 0;
    uint32_t launches = 0;
    for (const auto& [columns, chunks] : chunks_) {
      const double rows = double(chunks) * header_.chunkHeight;
      if (columns > longColumns) {
        computed += rows * columns;
        launches = std::max(launches, columns > PIECE_COLUMNS * MAX_WIDTH ? 2u : 1u);
        continue;
      }
      const uint32_t ofThread = divideUp(divideUp(columns, method.width), method.batch);
      batches.most = std::max<double>(batches.most, ofThread);
      batches.all += rows * method.width * ofThread;
      computed += rows * method.width * ofThread * method.batch;
      if (ofThread > 1) inLater += rows * columns;
    }
    const bool isCoded = header_.table != 0;
    const double entryBytes = indexBytes_ + sizes_.value, pieces = inLater / (header_.chunkHeight * method.width);
    const double bytes =
        method.kind == SellMethod::SLICES ? bytesInSlices_ : entryBytes * chunkPtr_.back() + 2 * GAP_BYTES * pieces;
    const Work work{double(header_.rows) * method.width, double(header_.cols) * sizes_.element, bytes + bytesOfRows(),
                    computed * (entryBytes + (isCoded ? sizes_.element : 0)), sectors_};
    const double shuffles = 1 + SHUFFLE_SHARE * (std::bit_width(method.width) - 1);
    return {shuffles * rowsNs(rates_, work, batches) + launches * LAUNCH_NS, computed};
  }

 private:
  double places(size_t together) const {
    uint64_t sum = 0;
    forEachWidest(chunkPtr_, together, [&](uint32_t widest) { sum += uint64_t{widest} * together; });
    return static_cast<double>(sum);
  }

  /** Bytes of y, of what tells where chunks are, and of the order of rows. */
  double bytesOfRows() const {
    const uint32_t ofChunk = (chunks_.size() > 1 ? 4 : 0) + (header_.chunkBase == 0 ? 0 : 4);
    return double(header_.rows) * (sizes_.element + (header_.rowOf == 0 ? 0 : 4)) + double(ofChunk) * (chunkPtr_.size() - 1);
  }

  /** Sectors of x per place, if L1 keeps them for the rows of a thread block. */
  double sectorsPerEntry(const Request& request) const {
    const size_t entries = chunkPtr_.back();
    const double ofBlock = double{TEAMS_BLOCK} * static_cast<double>(entries) / std::max(1u, header_.rows);
    const auto run = static_cast<uint32_t>(std::clamp<double>(ofBlock, 1, SAMPLED_ENTRIES));
    const auto sectorsOf = [&](auto&& columnAt) {
      return sectorsOfRuns(entries, run, SECTOR_BYTES / sizes_.element, columnAt, [](uint32_t) { return true; });
    };
    if (header_.chunkBase == 0) {
      const auto colIdx = request.heap.at<uint32_t>(header_.colIdx, entries);
      return sectorsOf([&](size_t k) { return colIdx[k]; });
    }
    const auto colIdx = request.heap.at<uint16_t>(header_.colIdx, entries);
    const auto base = request.heap.at<uint32_t>(header_.chunkBase, chunkPtr_.size() - 1);
    return sectorsOf([&, chunk = size_t{0}](size_t k) mutable {
      if (k < chunkPtr_[chunk] || k >= chunkPtr_[chunk + 1])
        chunk = static_cast<size_t>(std::ranges::upper_bound(chunkPtr_, k) - chunkPtr_.begin()) - 1;
      return base[chunk] + colIdx[k];
    });
  }

  const SellHeader& header_;
  const Rates& rates_;
  std::span<const uint32_t> chunkPtr_;
  Sizes sizes_;
  uint32_t indexBytes_;
  /** Number of chunks by number of columns. */
  std::map<uint32_t, uint32_t> chunks_;
  double bytesInSlices_ = 0;
  double sectors_ = 0;
};

}  // namespace sparlane
