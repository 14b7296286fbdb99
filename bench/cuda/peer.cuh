/**
 * Common to the peers on the device: x and y there, the arrays of the prepared product, times by the device's clock, and what main() does. The protocol is
 * that of peers/peer.h, with the wanted product as a fourth argument. A cold product follows a read of more than L2 holds, any other one directly follows
 * another product.
 */
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../peers/peer.h"
#include "device.cuh"

namespace {

/** A layout with more places per entry is mostly padding. Chosen. */
constexpr double MAX_FILL = 4;

/** The product that `prepare` makes ready. */
std::string wanted;
real *deviceX, *deviceY;
/** The arrays of the prepared product. */
std::vector<std::shared_ptr<void>> arrays;

/** Queues the product; each program defines its own. */
void multiply();

template <class T>
T *keep(bench::DeviceArray<T> &&array) {
  const auto kept = std::make_shared<bench::DeviceArray<T>>(std::move(array));
  arrays.push_back(kept);
  return kept->data();
}

template <class T>
T *onDevice(const T *source, size_t length) {
  return keep(bench::DeviceArray<T>(source, length));
}

void refuseIfPadded(size_t places) {
  if (places > MAX_FILL * nnz) fail("refused: mostly padding");
}

/** Before products y has these bytes: 0 for kernels that add to it; 0xff for others, whose elements that are not written are then NaN. */
template <int BYTE>
void fillY(int, int) {
  CUDA_CHECK(cudaMemset(deviceY, BYTE, rows * sizeof(real)));
}

void finish() { CUDA_CHECK(cudaMemcpy(y, deviceY, rows * sizeof(real), cudaMemcpyDeviceToHost)); }

double timed(int cold) {
  static const bench::Zeros evicting(bench::EVICTING_BYTES);
  static bench::Stopwatch stopwatch;
  return 1e6 * stopwatch.ms([&] { cold ? evicting.read() : multiply(); }, multiply);
}

/** What main() does. `self`: what the program has of its own. */
void serveProduct(int argc, char **argv, peer self) {
  if (argc != 5) fail("usage: PEER MATRIX X 1 PRODUCT");
  load(argc - 1, argv);
  wanted = argv[4];
  // Before the timed setup: the first call creates the device's context.
  CUDA_CHECK(cudaFree(nullptr));
  self.multiply = multiply;
  self.finish = finish;
  self.timed = timed;
  serve(&self);
}

}  // namespace
