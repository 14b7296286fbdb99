/**
 * Rows that blocks share: where a block breaks off amid a row it leaves α times the row's sum so far in its carry, the block
 * that the row ends in writes y, and a second kernel adds the carries of each row, in an order that is always the same. No
 * atomic add.
 */
#pragma once
#include "device.cuh"

namespace sparlane {

constexpr uint32_t NO_ROW = 0xffffffffu;

/** The carries [first, first + count) are of one row. */
struct SharedRow {
  uint32_t row, first, count;
};

template <class X>
class Carries {
 public:
  /** The row that each block breaks off in; NO_ROW where its last row is complete: its carry is then never read. */
  Carries(const Request& request, Plan& plan, std::span<const uint32_t> openRows);
  /** One element for each block. */
  X* data() const { return carries_.data(); }
  /** Adds them to y; queues nothing where no row is shared. */
  void add(cudaStream_t stream, X* y) const;

 private:
  DeviceArray<X> carries_;
  /** Rows of few carries and of many. */
  DeviceArray<SharedRow> few_, many_;
};

}  // namespace sparlane
