/**
 * Rows that blocks share, with a second kernel. A block that ends inside a row stores the row's sum so far as its carry. The block in which
 * the row ends writes y. The second kernel adds α times the carries of each row, always in the same order. No atomic add.
 */
#pragma once
#include "device.cuh"

namespace sparlane {

constexpr uint32_t NO_ROW = 0xffffffffu;

/** The carries [first, first + count) belong to one row. */
struct SharedRow {
  uint32_t row, first, count;
};

template <class X>
class Carries {
 public:
  Carries() = default;
  /** `openRows`: for each block the row that is unfinished at its end, or NO_ROW: then its carry is never read. */
  Carries(const Request& request, Plan& plan, std::span<const uint32_t> openRows);
  /** One element for each block. */
  X* data() const { return carries_.data(); }
  /** Adds the carries to y; queues nothing if no row is shared. */
  void add(cudaStream_t stream, X* y, Scalar<X> alpha) const;

 private:
  DeviceArray<X> carries_;
  /** Rows of few carries and of many. */
  DeviceArray<SharedRow> few_, many_;
};

}  // namespace sparlane
