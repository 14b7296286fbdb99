/** The C interface (`sparlane.h`) over products, and over what their time is compared with. */
#include <algorithm>

#include "api/handles.cuh"
#include "candidate.cuh"

using sparlane::Context;
using sparlane::guard;
using sparlane::use;

namespace {

spl_estimate estimateOf(const sparlane::Estimate& from) {
  spl_estimate to{{}, from.ns};
  std::snprintf(to.method, sizeof to.method, "%s", from.method.c_str());
  return to;
}

}  // namespace

extern "C" {

size_t spl_kernel_count(void) { return sparlane::kernels().size(); }

spl_kernel spl_kernel_at(size_t kernel) {
  const auto& entry = sparlane::kernels()[kernel];
  return {entry.base, entry.verb, entry.methods.size()};
}

spl_method spl_method_at(size_t kernel, size_t method) {
  const auto& entry = sparlane::kernels()[kernel].methods[method];
  return {entry.name, entry.parameters, std::size(entry.parameters), entry.isAtomic};
}

spl_plan* spl_plan_new(spl_context* context, const char* base, const char* verb, int32_t column_bits, int32_t dtype,
                       const uint8_t* heap, uint64_t heap_bytes, uint32_t header, const char* method, uint32_t matrix,
                       int32_t patient, spl_error* error) {
  return guard(error, [&] {
    const auto make = sparlane::kernelOf(base, verb).make;
    context->context->enter();
    const sparlane::Request request{
        context->context, {heap, heap_bytes}, header, static_cast<sparlane::Dtype>(dtype), column_bits, method,
        matrix,           patient != 0};
    return new spl_plan{context->context, make(request)};
  });
}

void spl_plan_free(spl_plan* plan) { delete plan; }

uint64_t spl_plan_bytes(const spl_plan* plan) { return plan->plan->bytes; }

const char* spl_plan_method(const spl_plan* plan) { return plan->plan->method.c_str(); }

size_t spl_plan_estimates(const spl_plan* plan) { return plan->plan->estimates.size(); }

spl_estimate spl_plan_estimate_at(const spl_plan* plan, size_t place) { return estimateOf(plan->plan->estimates[place]); }

size_t spl_estimate_methods(const spl_device* device, const char* base, const char* verb, int32_t column_bits, int32_t dtype,
                            const uint8_t* heap, uint64_t heap_bytes, uint32_t header, int32_t patient, spl_estimate* estimates,
                            size_t most, spl_error* error) {
  return guard(error, [&]() -> size_t {
    const auto candidates = sparlane::kernelOf(base, verb).candidates;
    if (candidates == nullptr) return 0;
    cudaDeviceProp properties{};
    properties.l2CacheSize = static_cast<int>(device->l2_bytes);
    properties.multiProcessorCount = device->multiprocessors;
    properties.sharedMemPerBlockOptin = device->block_shared_bytes;
    properties.sharedMemPerMultiprocessor = device->shared_bytes;
    properties.maxThreadsPerMultiProcessor = device->threads;
    const auto rates = sparlane::Rates::of({device->clock_khz, device->memory_clock_khz, device->memory_bus_bits},
                                           static_cast<double>(device->l2_bytes), device->multiprocessors);
    const sparlane::Request request{std::make_shared<Context>(properties, rates),
                                    {heap, heap_bytes},
                                    header,
                                    static_cast<sparlane::Dtype>(dtype),
                                    column_bits,
                                    {},
                                    Context::ALONE,
                                    patient != 0};
    const auto found = sparlane::ascending(candidates(request));
    const size_t count = std::min(most, found.size());
    std::transform(found.begin(), found.begin() + count, estimates, estimateOf);
    return count;
  });
}

void spl_plan_run(spl_plan* plan, const spl_vector* x, spl_vector* y, double alpha, double beta, uint32_t stride,
                  spl_error* error) {
  guard(error, [&] {
    // The plan's context: y may lie on another device that this one can access.
    Context& context = use(*plan->context, x, y);
    context.keep(plan->plan);
    if (stride == 1) plan->plan->run(context.stream, x->data, y->data, alpha, beta);
    else plan->plan->runBlocks(context.stream, x->data, y->data, stride, alpha, beta);
  });
}

void spl_read(const spl_vector* zeros, spl_error* error) {
  guard(error, [&] { sparlane::queueRead(use(zeros), zeros->data, zeros->bytes); });
}

void spl_gather(const spl_vector* zeros, uint32_t count, spl_error* error) {
  guard(error, [&] {
    const auto length = static_cast<uint32_t>(std::min<uint64_t>(zeros->bytes / sizeof(double), UINT32_MAX));
    sparlane::queueGather(use(zeros), zeros->data, length, count);
  });
}

void spl_prepare(spl_context* context, uint64_t flush_bytes, spl_error* error) {
  guard(error, [&] {
    context->context->enter();
    sparlane::queuePreparation(context->context, flush_bytes);
  });
}

void spl_mark(spl_context* context, int32_t mark, spl_error* error) {
  guard(error, [&] {
    context->context->enter();
    CUDA_CHECK(cudaEventRecord(context->context->marks[mark], context->context->stream));
  });
}

double spl_elapsed(spl_context* context, spl_error* error) {
  return guard(error, [&] {
    const auto& marks = context->context->marks;
    CUDA_CHECK(cudaEventSynchronize(marks[1]));
    float ms = 0;
    CUDA_CHECK(cudaEventElapsedTime(&ms, marks[0], marks[1]));
    return double{ms};
  });
}

}  // extern "C"
