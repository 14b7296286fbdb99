/**
 * Rows without entries, where y ← β y: formats that iterate over entries do not visit them. A bit for each row records whether
 * it has entries. The kernel that computes the entries has a few more blocks, which write these rows at the same time.
 */
#pragma once
#include "device.cuh"

namespace sparlane {

/** Rows that a block checks. */
constexpr uint32_t EMPTY_ROWS_PER_BLOCK = 2048;
/** Rows of a thread whose words are in flight: all of its rows, in a block of 256 threads. */
constexpr uint32_t EMPTY_ROWS_IN_FLIGHT = 8;

struct EmptyRowsView {
  uint32_t rows;
  /** Bit i % 32 of word i / 32: row i has entries. */
  const uint32_t* occupied;
};

/** Sets the bit of a row that has entries, on the host. */
inline void setOccupied(std::span<uint32_t> occupied, uint32_t row) { occupied[row / 32] |= 1u << row % 32; }

class EmptyRows {
 public:
  /** No empty rows. */
  EmptyRows() = default;
  /** From bits as in the view, on the host. Stores nothing if all rows have entries. */
  EmptyRows(const Request& request, Plan& plan, uint32_t rows, std::span<const uint32_t> occupied);
  /** From the row index of every entry, on the device, ascending. */
  EmptyRows(const Request& request, Plan& plan, uint32_t rows, const uint32_t* rowIdx, uint32_t nnz);
  /** Number of additional blocks. */
  uint32_t blocks() const { return divideUp(rows_, EMPTY_ROWS_PER_BLOCK); }
  EmptyRowsView view() const { return {rows_, occupied_.data()}; }

 private:
  /** 0 if no row is empty. */
  uint32_t rows_ = 0;
  DeviceArray<uint32_t> occupied_;
};

/**
 * The work of the `block`-th additional block. All words of a thread are read before y is written: one after the other, each of them would
 * wait for memory. COO with empty rows takes 7.2, 7.5 and 7.8 µs with 16 in flight, 10.6, 10.5 and 11.9 with one (H200, f64, 56, 87 and 143
 * thousand entries, 22 November 2026). Eight take fewer registers, which COO without empty rows would lack.
 */
template <class X>
__device__ __forceinline__ void scaleEmptyRows(const EmptyRowsView& empty, uint32_t block, X* y, Scalar<X> beta) {
  const uint32_t first = block * EMPTY_ROWS_PER_BLOCK;
  const uint32_t end = min(first + EMPTY_ROWS_PER_BLOCK, empty.rows);
  for (uint32_t row = first + threadIdx.x; row < end; row += EMPTY_ROWS_IN_FLIGHT * blockDim.x) {
    uint32_t words[EMPTY_ROWS_IN_FLIGHT];
#pragma unroll
    for (uint32_t j = 0; j < EMPTY_ROWS_IN_FLIGHT; j++) {
      const uint32_t at = row + j * blockDim.x;
      words[j] = at < end ? __ldg(empty.occupied + at / 32) : ~0u;
    }
#pragma unroll
    for (uint32_t j = 0; j < EMPTY_ROWS_IN_FLIGHT; j++) {
      const uint32_t at = row + j * blockDim.x;
      if ((words[j] >> at % 32 & 1) == 0) put(y + at, X{0}, Scalar<X>{0}, beta);
    }
  }
}

}  // namespace sparlane
