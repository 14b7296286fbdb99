/**
 * The layout of `csr-windows.cuh`, on the host: blocks, warps and lanes one after the other, as `csr-windows.cu` runs them. Prints each
 * fault, and at the end how many layouts were right.
 */
#include <cstdio>
#include <random>
#include <set>

#include "../csr-windows-grid.cuh"

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
std::string faultOf(const Matrix& a, const WindowLayout& layout, Grid grid) {
  const auto rows = static_cast<uint32_t>(a.rowPtr.size() - 1);
  std::vector<double> x(a.cols), y(rows), expected(rows);
  for (uint32_t j = 0; j < a.cols; j++) x[j] = j % 1009;
  const auto valueOf = [](uint32_t k) { return static_cast<double>(k % 13); };
  for (uint32_t i = 0; i < rows; i++)
    for (uint32_t k = a.rowPtr[i]; k < a.rowPtr[i + 1]; k++) expected[i] += valueOf(k) * x[a.colIdx[k]];
  if (layout.blocks.size() != size_t{grid.groups} * grid.shares) return "blocks: " + std::to_string(layout.blocks.size());
  uint32_t busiest = 0;
  for (size_t b = 0; b < layout.blocks.size(); b++) {
    const WindowBlock& block = layout.blocks[b];
    std::vector<double> sums(block.slots + 1);
    std::vector<uint32_t> ownerOf(block.slots, UINT32_MAX);
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
          sums[slot] += valueOf(layout.entryOf[place]) * x[column];
        }
      }
    }
    busiest = std::max(busiest, chunks);
    const auto group = static_cast<uint32_t>(b / grid.shares);
    for (uint32_t row = block.row; row < block.rowEnd; row++) {
      const uint32_t* const ptr = layout.slotPtr.data() + row + group;
      for (uint32_t slot = ptr[0]; slot < ptr[1]; slot++) y[row] += sums[slot];
      if (!layout.hasLongRows && (ptr[0] != row - block.row || ptr[1] != ptr[0] + 1))
        return "a row has another slot than its own";
    }
  }
  if (busiest != layout.busiest) return "busiest: " + std::to_string(layout.busiest) + ", not " + std::to_string(busiest);
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
    for (const Grid grid : {Grid{1, 1}, Grid{1, 7}, Grid{std::min(rows, 5u), 1}, Grid{std::min(rows, 12u), 11}}) {
      for (const uint32_t columns : {1u, 100u, 8192u, 65536u}) {
        const uint32_t mostOfGroup = divideUp(rows, grid.groups) + 50;
        const WindowLayout layout(a.rowPtr, a.colIdx, a.cols, grid, columns, mostOfGroup, INFINITY);
        const std::string fault = faultOf(a, layout, grid);
        if (fault.empty()) {
          right++;
          continue;
        }
        faults++;
        printf("%s, %u x %u blocks, windows of %u columns: %s\n", a.name, grid.groups, grid.shares, columns, fault.c_str());
      }
    }
  }
  const WindowLayout wide(matrices[5].rowPtr, matrices[5].colIdx, 3000, {1, 1}, 100, 3000, 1.01);
  if (wide.busiest != 0) printf("a layout of more places than allowed was not given up\n");
  printf("%d layouts are right\n", right);
  return faults > 0 || wide.busiest != 0 ? 1 : 0;
}
