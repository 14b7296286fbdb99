/** The functions of the addon for products, and for timing them: a part of `addon.cc`. */
#pragma once
#include "api/call.h"

namespace addon {

inline napi_value makeEstimate(Call& call, const spl_estimate& estimate) {
  return call.make({{"method", call.make(estimate.method)}, {"ns", call.make(estimate.ns)}});
}

inline napi_value estimate(Call& call) {
  const auto [l2Bytes, multiprocessors, clockKhz, memoryClockKhz, memoryBusBits, blockSharedBytes, sharedBytes, threads] =
      call.numbers<8>("device", {"l2Bytes", "multiprocessors", "clockKhz", "memoryClockKhz", "memoryBusBits", "blockSharedBytes",
                                 "sharedBytes", "threads"});
  if (multiprocessors < 1) throw Failure{"argument", "device multiprocessors: expected a number from 1 on, got less"};
  spl_device device{};
  device.l2_bytes = static_cast<uint64_t>(l2Bytes);
  device.multiprocessors = static_cast<int32_t>(multiprocessors);
  device.clock_khz = static_cast<int32_t>(clockKhz);
  device.memory_clock_khz = static_cast<int32_t>(memoryClockKhz);
  device.memory_bus_bits = static_cast<int32_t>(memoryBusBits);
  device.block_shared_bytes = static_cast<uint64_t>(blockSharedBytes);
  device.shared_bytes = static_cast<uint64_t>(sharedBytes);
  device.threads = static_cast<int32_t>(threads);
  const auto [base, verb, columnBits] = call.kernel("kernel");
  const auto dtype = static_cast<int32_t>(call.integer("dtype", SPL_MIXED));
  const auto [heap, length] = call.view("heap");
  const auto header = static_cast<uint32_t>(call.integer("header", UINT32_MAX));
  const auto patient = static_cast<int32_t>(call.integer("patient", 1));
  spl_error error;
  spl_estimate estimates[16];
  const size_t count = spl_estimate_methods(&device, base.c_str(), verb.c_str(), columnBits, dtype, heap, length, header, patient,
                                            estimates, std::size(estimates), &error);
  rethrow(error);
  std::vector<napi_value> all;
  for (size_t i = 0; i < count; i++) all.push_back(makeEstimate(call, estimates[i]));
  return call.make(all);
}

inline napi_value plan(Call& call) {
  spl_context* context = call.object<Context>().get();
  const auto [base, verb, columnBits] = call.kernel("kernel");
  const auto dtype = static_cast<int32_t>(call.integer("dtype", SPL_MIXED));
  const auto [heap, length] = call.view("heap");
  const auto header = static_cast<uint32_t>(call.integer("header", UINT32_MAX));
  const std::string method = call.text("method");
  const uint64_t rows = call.integer("rows", UINT32_MAX);
  const uint64_t cols = call.integer("cols", UINT32_MAX);
  const auto matrix = static_cast<uint32_t>(call.integer("matrix", UINT32_MAX));
  const auto patient = static_cast<int32_t>(call.integer("patient", 1));
  const uint64_t width = dtype == SPL_F32 ? 4 : 8;
  spl_error error;
  Plan made(spl_plan_new(context, base.c_str(), verb.c_str(), columnBits, dtype, heap, length, header, method.c_str(), matrix,
                         patient, &error));
  rethrow(error);
  const napi_value bytes = call.make(static_cast<double>(spl_plan_bytes(made.get())));
  const napi_value chosen = call.make(spl_plan_method(made.get()));
  std::vector<napi_value> estimates;
  for (size_t i = 0; i < spl_plan_estimates(made.get()); i++) {
    estimates.push_back(makeEstimate(call, spl_plan_estimate_at(made.get(), i)));
  }
  const napi_value key = call.add(PlannedStage{std::move(made), width, width * cols, width * rows});
  return call.make({{"plan", key}, {"bytes", bytes}, {"method", chosen}, {"estimates", call.make(estimates)}});
}

inline napi_value run(Call& call) {
  const PlannedStage& stage = call.object<PlannedStage>();
  const spl_vector* x = call.vector("x");
  spl_vector* y = call.vector("y");
  const double alpha = call.number("alpha");
  const double beta = call.number("beta");
  const auto stride = static_cast<uint32_t>(call.integer("stride", MAX_STRIDE));
  if (stride != 1 && (stride == 0 || stride * stage.width % ROW_BYTES != 0)) {
    throw Failure{"argument", "stride: expected 1 or whole registers of " + std::to_string(ROW_BYTES) + " bytes, got " +
                                  std::to_string(stride) + " elements"};
  }
  checkBytes(x, "x", stage.bytesOfX * stride);
  checkBytes(y, "y", stage.bytesOfY * stride);
  spl_error error;
  spl_plan_run(stage.plan.get(), x, y, alpha, beta, stride, &error);
  rethrow(error);
  return nullptr;
}

inline napi_value read(Call& call) {
  spl_error error;
  spl_read(call.vector("zeros"), &error);
  rethrow(error);
  return nullptr;
}

inline napi_value gather(Call& call) {
  const spl_vector* zeros = call.vector("zeros");
  const auto count = static_cast<uint32_t>(call.integer("count", UINT32_MAX));
  if (spl_vector_bytes(zeros) < sizeof(double)) throw Failure{"shape", "zeros: expected at least 8 bytes, got fewer"};
  spl_error error;
  spl_gather(zeros, count, &error);
  rethrow(error);
  return nullptr;
}

inline napi_value prepare(Call& call) {
  spl_context* context = call.object<Context>().get();
  const uint64_t flush = call.integer("flushBytes", uint64_t{1} << 40);
  spl_error error;
  spl_prepare(context, flush, &error);
  rethrow(error);
  return nullptr;
}

inline napi_value mark(Call& call) {
  spl_context* context = call.object<Context>().get();
  const auto which = static_cast<int32_t>(call.integer("mark", 1));
  spl_error error;
  spl_mark(context, which, &error);
  rethrow(error);
  return nullptr;
}

inline napi_value elapsed(Call& call) {
  spl_error error;
  const double ms = spl_elapsed(call.object<Context>().get(), &error);
  rethrow(error);
  return call.make(ms);
}

}  // namespace addon
