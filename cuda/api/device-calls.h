/** The functions of the addon for devices and their memory: a part of `addon.cc`. */
#pragma once
#include "api/call.h"

namespace addon {

inline napi_value status(Call& call) {
  int32_t count = 0;
  const int32_t outcome = spl_device_count(&count);
  napi_value devices;
  call.check(napi_create_array(call.env(), &devices));
  for (int32_t i = 0; i < count; i++) {
    spl_device device;
    spl_error error;
    spl_describe(i, &device, &error);
    rethrow(error);
    const napi_value one = call.make({
        {"name", call.make(device.name)},
        {"memoryBytes", call.make(static_cast<double>(device.memory_bytes))},
        {"l2Bytes", call.make(static_cast<double>(device.l2_bytes))},
        {"capability", call.make(device.major + device.minor / 10.0)},
        {"multiprocessors", call.make(device.multiprocessors)},
        {"clockKhz", call.make(device.clock_khz)},
        {"memoryClockKhz", call.make(device.memory_clock_khz)},
        {"memoryBusBits", call.make(device.memory_bus_bits)},
        {"blockSharedBytes", call.make(static_cast<double>(device.block_shared_bytes))},
        {"sharedBytes", call.make(static_cast<double>(device.shared_bytes))},
        {"threads", call.make(device.threads)},
    });
    call.check(napi_set_element(call.env(), devices, i, one));
  }
  return call.make({
      {"driver", call.make(spl_driver_version())},
      {"runtime", call.make(spl_runtime_version())},
      {"outcome", call.make(outcome)},
      {"devices", devices},
      {"headers", call.make(HEADERS_DIGEST)},
  });
}

inline napi_value describe(Call& call, const spl_method& method) {
  std::vector<napi_value> parameters;
  for (size_t i = 0; i < method.parameter_places && method.parameters[i] != nullptr; i++) {
    parameters.push_back(call.make(method.parameters[i]));
  }
  return call.make({{"name", call.make(method.name)},
                    {"parameters", call.make(parameters)},
                    {"atomic", call.makeBoolean(method.is_atomic != 0)}});
}

inline napi_value kernels(Call& call) {
  std::vector<napi_value> all;
  for (size_t place = 0; place < spl_kernel_count(); place++) {
    const spl_kernel kernel = spl_kernel_at(place);
    std::vector<napi_value> methods;
    for (size_t i = 0; i < kernel.methods; i++) methods.push_back(describe(call, spl_method_at(place, i)));
    all.push_back(
        call.make({{"base", call.make(kernel.base)}, {"verb", call.make(kernel.verb)}, {"methods", call.make(methods)}}));
  }
  return call.make(all);
}

inline napi_value open(Call& call) {
  const auto device = static_cast<int32_t>(call.integer("device", INT32_MAX));
  int32_t count = 0;
  const int32_t outcome = spl_device_count(&count);
  if (device >= count) {
    throw Failure{outcome == 0 ? "argument" : "backend",
                  "device: expected one of " + std::to_string(count) + " devices, got " + std::to_string(device)};
  }
  const auto isUrgent = static_cast<int32_t>(call.integer("urgent", 1));
  spl_error error;
  Context context(spl_open(device, isUrgent, &error));
  rethrow(error);
  return call.add(std::move(context));
}

inline napi_value release(Call& call) {
  const auto key = static_cast<uint32_t>(call.integer("object", UINT32_MAX));
  const auto found = call.objects().table.find(key);
  if (found == call.objects().table.end()) {
    throw Failure{"argument", "object: expected one in use, got number " + std::to_string(key)};
  }
  // With a context all of its objects are released.
  if (found->second.owner == key)
    std::erase_if(call.objects().table, [&](const auto& entry) { return entry.second.owner == key; });
  else call.objects().table.erase(found);
  return nullptr;
}

inline napi_value synchronize(Call& call) {
  spl_error error;
  spl_synchronize(call.object<Context>().get(), &error);
  rethrow(error);
  return nullptr;
}

inline napi_value after(Call& call) {
  spl_context* context = call.object<Context>().get();
  const spl_context* other = call.object<Context>().get();
  spl_error error;
  spl_after(context, other, &error);
  rethrow(error);
  return nullptr;
}

inline napi_value link(Call& call) {
  spl_context* context = call.object<Context>().get();
  const spl_context* other = call.object<Context>().get();
  spl_error error;
  const int32_t linked = spl_link(context, other, &error);
  rethrow(error);
  return call.makeBoolean(linked != 0);
}

inline napi_value memory(Call& call) {
  uint64_t free = 0, total = 0;
  spl_error error;
  spl_memory(call.object<Context>().get(), &free, &total, &error);
  rethrow(error);
  return call.make({{"freeBytes", call.make(static_cast<double>(free))}, {"totalBytes", call.make(static_cast<double>(total))}});
}

inline napi_value trim(Call& call) {
  spl_error error;
  spl_trim(call.object<Context>().get(), &error);
  rethrow(error);
  return nullptr;
}

inline napi_value adviseHugePages(Call& call) {
  const auto [data, length] = call.view("memory");
  spl_advise_huge_pages(data, call.integer("bytes", uint64_t{1} << 48));
  return nullptr;
}

inline napi_value pin(Call& call) {
  spl_context* context = call.object<Context>().get();
  const auto [data, length] = call.view("memory");
  spl_error error;
  spl_pin(context, data, length, &error);
  rethrow(error);
  return nullptr;
}

inline napi_value unpin(Call& call) {
  const auto [data, length] = call.view("memory");
  spl_error error;
  spl_unpin(data, length, &error);
  rethrow(error);
  return nullptr;
}

template <spl_vector* (*NEW)(spl_context*, uint64_t, spl_error*)>
napi_value newVector(Call& call) {
  spl_context* context = call.object<Context>().get();
  const uint64_t bytes = call.integer("bytes", uint64_t{1} << 48);
  spl_error error;
  Vector made(NEW(context, bytes, &error));
  rethrow(error);
  return call.add(std::move(made));
}

inline napi_value slice(Call& call) {
  const spl_vector* whole = call.vector("vector");
  const uint64_t offset = call.integer("offset", uint64_t{1} << 48);
  const uint64_t bytes = call.integer("bytes", uint64_t{1} << 48);
  checkRange(whole, offset, bytes);
  spl_error error;
  Vector made(spl_vector_slice(whole, offset, bytes, &error));
  rethrow(error);
  return call.add(std::move(made));
}

inline napi_value upload(Call& call) {
  spl_vector* target = call.vector("vector");
  const uint64_t offset = call.integer("offset", uint64_t{1} << 48);
  const auto [data, length] = call.view("source");
  checkRange(target, offset, length);
  spl_error error;
  spl_upload(target, offset, data, length, &error);
  rethrow(error);
  return nullptr;
}

inline napi_value download(Call& call) {
  spl_vector* source = call.vector("vector");
  const uint64_t offset = call.integer("offset", uint64_t{1} << 48);
  const auto [data, length] = call.view("target");
  checkRange(source, offset, length);
  spl_error error;
  spl_download(source, offset, data, length, &error);
  rethrow(error);
  return nullptr;
}

inline napi_value clear(Call& call) {
  spl_vector* vector = call.vector("vector");
  const uint64_t bytes = call.integer("bytes", uint64_t{1} << 48);
  checkRange(vector, 0, bytes);
  spl_error error;
  spl_clear(vector, bytes, &error);
  rethrow(error);
  return nullptr;
}

inline napi_value copy(Call& call) {
  spl_vector* target = call.vector("target");
  const uint64_t targetOffset = call.integer("targetOffset", uint64_t{1} << 48);
  spl_vector* source = call.vector("source");
  const uint64_t sourceOffset = call.integer("sourceOffset", uint64_t{1} << 48);
  const uint64_t bytes = call.integer("bytes", uint64_t{1} << 48);
  checkRange(target, targetOffset, bytes);
  checkRange(source, sourceOffset, bytes);
  spl_error error;
  spl_copy(target, targetOffset, source, sourceOffset, bytes, &error);
  rethrow(error);
  return nullptr;
}

}  // namespace addon
