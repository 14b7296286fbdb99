/** The C interface (`sparlane.h`) over devices, contexts and the memory of vectors. */
#include <cstdio>

#include "api/handles.cuh"

using sparlane::Context;
using sparlane::DeviceArray;
using sparlane::guard;
using sparlane::use;

extern "C" {

int32_t spl_driver_version(void) {
  int version = 0;
  cudaDriverGetVersion(&version);
  return version;
}

int32_t spl_runtime_version(void) { return CUDART_VERSION; }

int32_t spl_device_count(int32_t* count) {
  *count = 0;
  const cudaError_t error = cudaGetDeviceCount(count);
  cudaGetLastError();
  return error;
}

void spl_describe(int32_t device, spl_device* description, spl_error* error) {
  guard(error, [&] {
    cudaDeviceProp properties{};
    CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
    const sparlane::Clocks clocks = sparlane::clocksOf(device);
    *description = {};
    std::snprintf(description->name, sizeof description->name, "%s", properties.name);
    description->memory_bytes = properties.totalGlobalMem;
    description->l2_bytes = properties.l2CacheSize;
    description->major = properties.major;
    description->minor = properties.minor;
    description->multiprocessors = properties.multiProcessorCount;
    description->clock_khz = clocks.khz;
    description->memory_clock_khz = clocks.memoryKhz;
    description->memory_bus_bits = clocks.memoryBits;
    description->block_shared_bytes = properties.sharedMemPerBlockOptin;
    description->shared_bytes = properties.sharedMemPerMultiprocessor;
    description->threads = properties.maxThreadsPerMultiProcessor;
  });
}

spl_context* spl_open(int32_t device, int32_t is_urgent, spl_error* error) {
  return guard(error, [&] { return new spl_context{std::make_shared<Context>(device, is_urgent != 0)}; });
}

void spl_close(spl_context* context) { delete context; }

void spl_synchronize(spl_context* context, spl_error* error) {
  guard(error, [&] {
    context->context->refuseRecording("a wait");
    context->context->flush();
    CUDA_CHECK(cudaStreamSynchronize(context->context->stream));
  });
}

void spl_after(spl_context* context, const spl_context* other, spl_error* error) {
  guard(error, [&] { context->context->waitFor(*other->context); });
}

int32_t spl_link(spl_context* context, const spl_context* other, spl_error* error) {
  return guard(error, [&] { return int32_t{other->context->share(*context->context)}; });
}

void spl_memory(spl_context* context, uint64_t* free_bytes, uint64_t* total_bytes, spl_error* error) {
  guard(error, [&] {
    context->context->enter();
    size_t free = 0, total = 0;
    CUDA_CHECK(cudaMemGetInfo(&free, &total));
    *free_bytes = free;
    *total_bytes = total;
  });
}

void spl_trim(spl_context* context, spl_error* error) {
  guard(error, [&] {
    context->context->refuseRecording("a wait");
    context->context->flush();
    CUDA_CHECK(cudaStreamSynchronize(context->context->stream));
    CUDA_CHECK(cudaMemPoolTrimTo(context->context->pool, 0));
  });
}

void spl_advise_huge_pages(const void* base, uint64_t bytes) { sparlane::adviseHugePages(base, bytes); }

void spl_pin(spl_context* context, const void* base, uint64_t bytes, spl_error* error) {
  guard(error, [&] {
    context->context->enter();
    sparlane::pin(base, bytes);
  });
}

void spl_unpin(const void* base, uint64_t bytes, spl_error* error) {
  guard(error, [&] { sparlane::unpin(base, bytes); });
}

spl_vector* spl_vector_slice(const spl_vector* vector, uint64_t offset, uint64_t bytes, spl_error* error) {
  return guard(error, [&] { return new spl_vector{vector->context, vector->memory, vector->data + offset, bytes}; });
}

spl_vector* spl_vector_new(spl_context* context, uint64_t bytes, spl_error* error) {
  return guard(error, [&] {
    context->context->enter();
    auto memory = std::make_shared<DeviceArray<uint8_t>>(context->context, bytes);
    uint8_t* const data = memory->data();
    return new spl_vector{context->context, std::move(memory), data, bytes};
  });
}

void spl_vector_free(spl_vector* vector) { delete vector; }

uint64_t spl_vector_bytes(const spl_vector* vector) { return vector->bytes; }

void spl_upload(spl_vector* vector, uint64_t offset, const void* source, uint64_t bytes, spl_error* error) {
  guard(error, [&] {
    Context& context = use(vector);
    context.refuseRecording("an upload");
    sparlane::queueCopy(vector->data + offset, source, bytes, cudaMemcpyHostToDevice, context.stream);
  });
}

void spl_download(spl_vector* vector, uint64_t offset, void* target, uint64_t bytes, spl_error* error) {
  guard(error, [&] {
    Context& context = use(vector);
    context.refuseRecording("a download");
    sparlane::queueCopy(target, vector->data + offset, bytes, cudaMemcpyDeviceToHost, context.stream);
  });
}

void spl_clear(spl_vector* vector, uint64_t bytes, spl_error* error) {
  guard(error, [&] {
    Context& context = use(vector);
    context.refuseRecording("a fill");
    CUDA_CHECK(cudaMemsetAsync(vector->data, 0, bytes, context.stream));
  });
}

void spl_copy(spl_vector* target, uint64_t target_offset, const spl_vector* source, uint64_t source_offset, uint64_t bytes,
              spl_error* error) {
  guard(error, [&] {
    Context& to = *target->context;
    Context& from = *source->context;
    if (&to != &from) {
      to.refuseRecording("another device");
      from.refuseRecording("another device");
      to.waitFor(from);
    }
    use(target, source);
    uint8_t* const place = target->data + target_offset;
    const uint8_t* const origin = source->data + source_offset;
    if (&to == &from) CUDA_CHECK(cudaMemcpyAsync(place, origin, bytes, cudaMemcpyDeviceToDevice, to.stream));
    else CUDA_CHECK(cudaMemcpyPeerAsync(place, to.device, origin, from.device, bytes, to.stream));
  });
}

}  // extern "C"
