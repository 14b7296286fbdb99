/** The C interface (`sparlane.h`) over products, and over what their time is compared with. */
#include <algorithm>

#include "api/handles.cuh"

using sparlane::Context;
using sparlane::guard;
using sparlane::use;

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
    const auto make = sparlane::makerOf(base, verb);
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
