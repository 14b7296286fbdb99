/** Both triangles of `sss`, built on the host for the kernels of CSR or CSR-k. */
#pragma once
#include <algorithm>

#include "csr/csr.cuh"
#include "sss/sss.cuh"

namespace sparlane {

/** Rows of a super-row of `whole`. */
constexpr uint32_t SUPER_ROW = 128;

/** A private heap for the arrays of a plan of another format. */
class Arrays {
 public:
  /** Reserves room for that many elements; returns its offset. */
  template <class T>
  uint32_t add(size_t length) {
    const size_t offset = bytes_;
    bytes_ += (length * sizeof(T) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (bytes_ <= UINT32_MAX) return static_cast<uint32_t>(offset);
    throw Failure{"heap", "whole: expected both triangles in less than 4 GiB, got " + std::to_string(bytes_) + " bytes"};
  }
  /** Zeroes all rooms, after the last one is reserved. */
  void allocate() { memory_.resize(bytes_); }
  template <class T>
  T* at(uint32_t offset) {
    return reinterpret_cast<T*>(memory_.data() + offset);
  }
  Heap heap() const { return {memory_.data(), memory_.size()}; }

 private:
  static constexpr size_t ALIGNMENT = 64;
  size_t bytes_ = 0;
  std::vector<uint8_t> memory_;
};

/** For each row: the number of its entries above the diagonal, and the last column; without any, its own column. */
struct Above {
  std::vector<uint32_t> count, last;

  template <class V, class I>
  explicit Above(const Triangle<V, I>& below) : count(below.rows), last(below.rows) {
    for (uint32_t row = 0; row < below.rows; row++) {
      last[row] = row;
      for (uint32_t k = below.rowPtr[row]; k < below.rowPtr[row + 1]; k++) {
        const uint32_t column = columnOf(below.colIdx[k], row);
        count[column]++;
        last[column] = row;
      }
    }
  }
};

/** The bases of the columns of super-rows, as `basesOf` in `src/formats/layout/column-bases.ts`; empty if 16 bits are too few. */
template <class V, class I>
std::vector<uint32_t> basesOf(const Triangle<V, I>& below, const Above& above) {
  std::vector<uint32_t> bases;
  for (uint32_t begin = 0; begin < below.rows; begin += SUPER_ROW) {
    uint32_t least = begin;
    uint32_t most = begin;
    for (uint32_t row = begin; row < std::min(begin + SUPER_ROW, below.rows); row++) {
      const uint32_t first = below.rowPtr[row];
      if (first < below.rowPtr[row + 1]) least = std::min(least, columnOf(below.colIdx[first], row));
      most = std::max(most, above.last[row]);
    }
    if (most - least >= SPAN) return {};
    bases.push_back(std::min(least, std::max(below.rows, SPAN) - SPAN));
  }
  return bases;
}

/** Both triangles as CSR, or with bases as CSR-k with 16-bit columns. */
template <class J, class V, class I>
std::unique_ptr<Plan> makeWhole(const Request& request, const Triangle<V, I>& below, const Above& above,
                                std::span<const uint32_t> bases) {
  const uint32_t rows = below.rows;
  const size_t nnz = 2 * below.values.size() + rows;
  const auto units = static_cast<uint32_t>(bases.size());
  Arrays arrays;
  const uint32_t headerAt = arrays.add<CsrkHeader>(1);
  const uint32_t rowPtrAt = arrays.add<uint32_t>(rows + size_t{1});
  const uint32_t colIdxAt = arrays.add<J>(nnz + READ_PAST);
  const uint32_t valuesAt = arrays.add<V>(nnz + READ_PAST);
  const uint32_t superRowPtrAt = arrays.add<uint32_t>(units + size_t{1});
  const uint32_t basesAt = arrays.add<uint32_t>(units);
  arrays.allocate();
  CsrkHeader& header = *arrays.at<CsrkHeader>(headerAt);
  header = {};
  header.rows = header.cols = rows;
  header.nnz = static_cast<uint32_t>(nnz);
  header.rowPtr = rowPtrAt;
  header.colIdx = colIdxAt;
  header.values = valuesAt;
  header.units = units;
  header.superRowPtr = superRowPtrAt;
  header.superRowBase = units == 0 ? 0 : basesAt;
  for (uint32_t unit = 0; unit <= units; unit++) arrays.at<uint32_t>(superRowPtrAt)[unit] = std::min(unit * SUPER_ROW, rows);
  std::ranges::copy(bases, arrays.at<uint32_t>(basesAt));

  uint32_t* const rowPtr = arrays.at<uint32_t>(rowPtrAt);
  for (uint32_t row = 0; row < rows; row++) {
    rowPtr[row + 1] = rowPtr[row] + below.rowPtr[row + 1] - below.rowPtr[row] + 1 + above.count[row];
  }
  J* const colIdx = arrays.at<J>(colIdxAt);
  V* const values = arrays.at<V>(valuesAt);
  const auto place = [&](uint32_t k, uint32_t row, uint32_t column, V value) {
    colIdx[k] = static_cast<J>(column - (units == 0 ? 0 : bases[row / SUPER_ROW]));
    values[k] = value;
  };
  // Position of the next entry above the diagonal: rows are visited in order, so the columns of each row ascend.
  std::vector<uint32_t> next(rows);
  for (uint32_t row = 0; row < rows; row++) next[row] = rowPtr[row + 1] - above.count[row];
  for (uint32_t row = 0; row < rows; row++) {
    uint32_t to = rowPtr[row];
    for (uint32_t k = below.rowPtr[row]; k < below.rowPtr[row + 1]; k++) {
      const uint32_t column = columnOf(below.colIdx[k], row);
      place(to++, row, column, below.values[k]);
      place(next[column]++, column, row, below.sign < 0 ? -below.values[k] : below.values[k]);
    }
    place(to, row, row, below.diagonal[row]);
  }
  const bool isNarrow = units > 0;
  const auto make = kernelOf(isNarrow ? "csrk" : "csr", "spmv").make;
  auto plan = make({request.context, arrays.heap(), headerAt, request.dtype, isNarrow ? 16 : 32, {}, Context::ALONE, false});
  plan->method = "whole";
  return plan;
}

}  // namespace sparlane
