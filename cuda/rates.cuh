/** The driver states what a device does in a time, so an estimate needs no run, and holds on another device without a new fit. */
#pragma once
#include <cstdint>

namespace sparlane {

/**
 * Share of the memory's peak bandwidth that kernels of products reach: 4,348 of 4,917 GB/s (H200, 23 November 2026, the fit of `bench/fit-device.mjs` to
 * 761 matrices).
 */
constexpr double REACHED_BANDWIDTH = 0.884;

/**
 * Bytes for each multiprocessor and cycle where the driver states no clock of the memory, as with integrated GPUs, and kHz where it states none at all:
 * those of an H200. Chosen.
 */
constexpr double UNKNOWN_BANDWIDTH = 16.6, UNKNOWN_KHZ = 1'980'000;

/** The driver states these clocks; memory transfers twice in a cycle. */
struct Clocks {
  int khz, memoryKhz, memoryBits;
};

struct Rates {
  double cycleNs = 0;
  /** Reading or writing a byte of memory takes so many nanoseconds. */
  double byteNs = 0;
  double l2Bytes = 0;
  uint32_t multiprocessors = 0;

  static Rates of(const Clocks& clocks, double l2Bytes, uint32_t multiprocessors) {
    Rates rates{1e6 / (clocks.khz > 0 ? clocks.khz : UNKNOWN_KHZ), 0, l2Bytes, multiprocessors};
    const double bytesOfMs = REACHED_BANDWIDTH * 2 * clocks.memoryKhz * clocks.memoryBits / 8;
    rates.byteNs = bytesOfMs > 0 ? 1e6 / bytesOfMs : rates.each(UNKNOWN_BANDWIDTH);
    return rates;
  }

  /** Returns the nanoseconds for one of many things, if every multiprocessor does so many of them in a cycle. */
  double each(double perCycle) const { return cycleNs / (perCycle * multiprocessors); }
};

}  // namespace sparlane
