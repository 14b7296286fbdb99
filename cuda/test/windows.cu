/**
 * The layout of `csr/windows.cuh`, on the host: blocks, warps and lanes one after the other, as `csr/windows.cu` runs them. Prints each
 * fault, and at the end how many layouts were right.
 */
#include <cstdio>
#include <random>
#include <set>

#include "csr/windows-costs.cuh"

using namespace sparlane;

struct Matrix {
  const char* name;
  uint32_t cols;
  std::vector<uint32_t> rowPtr{0}, colIdx{};
};

template <class Length, class Column>
Matrix matrixOf(const char* name, uint32_t rows, uint32_t cols, Length&& lengthOf, Column&& columnOf) {
  Matrix matrix{name, cols};
  for (uint32_t row = 0; row < rows; row++) {
    const uint32_t length = lengthOf(row);
    for (uint32_t k = 0; k < length; k++) matrix.colIdx.push_back(columnOf(row, k));
    matrix.rowPtr.push_back(static_cast<uint32_t>(matrix.colIdx.size()));
  }
  return matrix;
}

/** An empty string, or what is wrong. Whole numbers: sums are exact in any order. */
std::string faultOf(const Matrix& a, const WindowLayout& layout, const Grid& grid) {
  const auto rows = static_cast<uint32_t>(a.rowPtr.size() - 1);
  std::vector<double> x(a.cols), y(rows), expected(rows);
  for (uint32_t j = 0; j < a.cols; j++) x[j] = j % 1009;
  const auto valueOf = [](uint32_t k) { return static_cast<double>(k % 13); };
  for (uint32_t i = 0; i < rows; i++)
    for (uint32_t k = a.rowPtr[i]; k < a.rowPtr[i + 1]; k++) expected[i] += valueOf(k) * x[a.colIdx[k]];
  const auto blocks = std::accumulate(grid.sharesOf.begin(), grid.sharesOf.end(), 0u);
  if (layout.blocks.size() != blocks) return "blocks: " + std::to_string(layout.blocks.size());
  std::vector<double> sumsOfBlocks(layout.sums);
  uint32_t busiest = 0;
  uint64_t sectors = 0;
  for (size_t b = 0; b < layout.blocks.size(); b++) {
    const WindowBlock& block = layout.blocks[b];
    std::vector<double> sums(block.slots + 1);
    std::vector<uint32_t> ownerOf(block.slots, UINT32_MAX);
    std::set<uint32_t> read;
    uint32_t chunks = 0;
    for (uint32_t warp = 0; warp < WINDOW_WARPS; warp++) {
      const WarpChunks own = layout.warps[b * WINDOW_WARPS + warp];
      if (own.count % CHUNK_BATCH != 0) return "a batch is not full";
      chunks += own.count;
      for (uint32_t chunk = own.first; chunk < own.first + own.count; chunk++) {
        std::set<uint32_t> met;
        for (uint32_t place = chunk * WARP; place < (chunk + 1) * WARP; place++) {
          const uint32_t slot = layout.codes[place] >> 16, column = layout.bases[chunk] + (layout.codes[place] & 0xffff);
          if (slot > block.slots || column >= a.cols) return "a place points outside";
          if (slot == block.slots) continue;
          if (!met.insert(slot).second) return "two lanes have the same slot";
          if (ownerOf[slot] != UINT32_MAX && ownerOf[slot] != warp) return "two warps have the same slot";
          ownerOf[slot] = warp;
          if (a.colIdx[layout.entryOf[place]] != column) return "a place has another column than its entry";
          read.insert(column / 4);
          sums[slot] += valueOf(layout.entryOf[place]) * x[column];
        }
      }
    }
    busiest = std::max(busiest, chunks);
    sectors += read.size();
    uint32_t longRows = 0;
    for (uint32_t row = 0; row < block.rowEnd - block.row; row++) {
      const uint32_t* const ptr = layout.slotPtr.data() + block.slotPtr + row;
      const bool isLong = ptr[1] - ptr[0] > MOST_SLOTS_OF_THREAD;
      longRows += isLong;
      if (!layout.hasSplitRows && (ptr[0] != row || ptr[1] != row + 1)) return "a row has another slot than its own";
      const double sum = std::accumulate(sums.begin() + ptr[0], sums.begin() + ptr[1], 0.0);
      if (block.sums == NOT_SHARED) y[block.row + row] += sum;
      else sumsOfBlocks[block.sums + row] += sum;
      if (!isLong) continue;
      const LongRow& other = layout.longRows[block.longRow + longRows - 1];
      if (other.row != row || other.slot != ptr[0] || other.slotEnd != ptr[1]) return "a long row is another one";
    }
    if (longRows != block.longRowEnd - block.longRow) return "long rows: " + std::to_string(longRows);
  }
  for (const auto& [row, rowEnd, shares, sums] : layout.shared)
    for (uint32_t place = 0; place < shares * (rowEnd - row); place++)
      y[row + place % (rowEnd - row)] += sumsOfBlocks[sums + place];
  if (busiest != layout.busiest) return "busiest: " + std::to_string(layout.busiest) + ", not " + std::to_string(busiest);
  if (sectors != layout.sectors) return "sectors: " + std::to_string(layout.sectors) + ", not " + std::to_string(sectors);
  for (uint32_t i = 0; i < rows; i++)
    if (y[i] != expected[i])
      return "y[" + std::to_string(i) + "]: " + std::to_string(y[i]) + ", not " + std::to_string(expected[i]);
  return "";
}

int main() {
  std::mt19937 random(7);
  const auto anywhere = [&](uint32_t cols) { return [&random, cols](uint32_t, uint32_t) { return random() % cols; }; };
  const auto always = [](uint32_t length) { return [length](uint32_t) { return length; }; };
  const Matrix matrices[] = {
      matrixOf("random columns", 3000, 5000, always(20), anywhere(5000)),
      matrixOf(
          "empty and short rows", 5000, 700, [&](uint32_t) { return random() % 4; }, anywhere(700)),
      matrixOf(
          "lower triangle", 90, 90, [](uint32_t row) { return row + 1; }, [](uint32_t, uint32_t k) { return k; }),
      matrixOf(
          "a dense row", 400, 20000, [](uint32_t row) { return row == 399 ? 20000u : 3u; },
          [&](uint32_t row, uint32_t k) { return row == 399 ? k : random() % 20000; }),
      matrixOf("few long rows", 3, 100000, always(30000), anywhere(100000)),
      matrixOf("runs of columns", 800, 3000, always(64), [](uint32_t row, uint32_t k) { return (row * 37 + k) % 3000; }),
      matrixOf("a popular column", 2000, 2000, always(9), [&](uint32_t, uint32_t k) { return k < 5 ? 7 : random() % 2000; }),
      matrixOf("one column", 500, 1, always(1), anywhere(1)),
      matrixOf("one entry", 1, 70000, always(1), anywhere(70000)),
  };
  int right = 0, faults = 0;
  for (const Matrix& a : matrices) {
    const auto rows = static_cast<uint32_t>(a.rowPtr.size() - 1);
    for (const auto& [groups, blocks] : {std::pair{1u, 1u}, {1u, 7u}, {std::min(rows, 5u), 5u}, {std::min(rows, 12u), 40u}}) {
      const Grid grid(a.rowPtr, groups, std::max(groups, blocks), divideUp(rows, groups) + 50);
      if (grid.rowPtr.back() != rows || grid.groups() != groups) return 1;
      for (const WindowSize size : {WindowSize{1, 0}, {100, 0}, {100, 300}, {8192, 2048}, {65536, 0}}) {
        const WindowLayout layout(a.rowPtr, a.colIdx, a.cols, grid, size, INFINITY);
        const std::string fault = faultOf(a, layout, grid);
        if (fault.empty()) {
          right++;
          continue;
        }
        faults++;
        printf("%s, %u groups, %u blocks, windows of %u columns: %s\n", a.name, groups, blocks, size.columns, fault.c_str());
      }
    }
  }
  const Matrix& runs = matrices[5];
  const WindowLayout wide(runs.rowPtr, runs.colIdx, runs.cols, Grid(runs.rowPtr, 1, 1, 3000), {100, 0}, 1.01);
  if (wide.busiest != 0) printf("a layout of more places than allowed was not given up\n");
  printf("%d layouts are right\n", right);
  return faults > 0 || wide.busiest != 0 ? 1 : 0;
}
