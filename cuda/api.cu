/** The C interface (`sparlane.h`) over contexts, vectors and plans. No exception passes through it. */
#include <algorithm>
#include <cstdio>

#include "blas.cuh"
#include "handles.cuh"
#include "transpose.cuh"

using sparlane::Context;
using sparlane::DeviceArray;
using sparlane::guard;
using sparlane::hold;
using sparlane::use;

namespace {

sparlane::blas::Factor factorOf(const spl_factor& factor) {
  if (factor.slot == nullptr) return {nullptr, factor.times};
  factor.slot->context->keep(factor.slot->memory);
  return {reinterpret_cast<const double*>(factor.slot->data), factor.times};
}

double* slotOf(spl_vector* slot) { return reinterpret_cast<double*>(slot->data); }

sparlane::Dtype dtypeOf(uint32_t width) { return width == sizeof(float) ? sparlane::Dtype::f32 : sparlane::Dtype::f64; }

}  // namespace

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
    *description = {};
    std::snprintf(description->name, sizeof description->name, "%s", properties.name);
    description->memory_bytes = properties.totalGlobalMem;
    description->l2_bytes = properties.l2CacheSize;
    description->major = properties.major;
    description->minor = properties.minor;
    description->multiprocessors = properties.multiProcessorCount;
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
  guard(error, [&] {
    context->context->refuseRecording("another device");
    other->context->refuseRecording("another device");
    context->context->waitFor(*other->context);
  });
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

void spl_clear(spl_vector* vector, spl_error* error) {
  guard(error, [&] { CUDA_CHECK(cudaMemsetAsync(vector->data, 0, vector->bytes, use(vector).stream)); });
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

void spl_scatter(spl_vector* y, const spl_vector* x, const spl_vector* order, uint64_t length, uint32_t width, spl_error* error) {
  guard(error, [&] {
    const auto places = reinterpret_cast<const uint32_t*>(order->data);
    sparlane::queueScatter(use(y, x, order), y->data, x->data, places, length, width);
  });
}

void spl_copy_strided(uint32_t width, uint64_t length, spl_strided y, spl_strided x, spl_error* error) {
  guard(error, [&] {
    const auto stridedOf = [&](const spl_strided& one) -> sparlane::Strided {
      return {one.vector->data + one.offset * width, one.stride};
    };
    sparlane::queueStridedCopy(use(y.vector, x.vector), stridedOf(y), stridedOf(x), length, width);
  });
}

void spl_transpose(uint32_t width, uint32_t rows, uint32_t cols, uint32_t nnz, spl_rows from, spl_rows to, spl_error* error) {
  guard(error, [&] {
    Context& context = use(to.row_ptr, to.col_idx, to.values, from.row_ptr, from.col_idx, from.values);
    const auto numbers = [](const spl_vector* vector) { return reinterpret_cast<uint32_t*>(vector->data); };
    const auto queue = [&]<class V>(V* moved) {
      const auto* values = reinterpret_cast<const V*>(from.values->data);
      sparlane::queueTransposition<V>(to.row_ptr->context, {rows, cols, nnz, numbers(from.row_ptr), numbers(from.col_idx), values,
                                                            numbers(to.row_ptr), numbers(to.col_idx), moved});
    };
    context.refuseRecording("a transposition");
    if (width == sizeof(float)) queue(reinterpret_cast<float*>(to.values->data));
    else queue(reinterpret_cast<double*>(to.values->data));
  });
}

void spl_lend(const spl_vector* vector, uint32_t offset, spl_error* error) {
  guard(error, [&] { vector->context->shares[{Context::LENT, offset}] = vector->memory->memory(); });
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
                       spl_error* error) {
  return guard(error, [&] {
    const auto make = sparlane::makerOf(base, verb);
    context->context->enter();
    const sparlane::Request request{
        context->context, {heap, heap_bytes}, header, static_cast<sparlane::Dtype>(dtype), column_bits, method, matrix};
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

void spl_dot(uint32_t width, const spl_vector* x, const spl_vector* y, spl_vector* slot, spl_error* error) {
  guard(error, [&] {
    Context& context = hold(*slot->context, slot, x, y);
    sparlane::blas::dot(context, dtypeOf(width), x->bytes / width, x->data, y->data, slotOf(slot));
  });
}

void spl_axpby(uint32_t width, spl_factor a, const spl_vector* x, spl_factor b, spl_vector* y, spl_error* error) {
  guard(error, [&] {
    Context& context = hold(*y->context, y, x);
    sparlane::blas::axpby(context, dtypeOf(width), x->bytes / width, factorOf(a), x->data, factorOf(b), y->data);
  });
}

void spl_multiply(uint32_t width, const spl_vector* d, const spl_vector* x, spl_vector* y, spl_error* error) {
  guard(error, [&] {
    Context& context = hold(*y->context, y, d, x);
    sparlane::blas::multiply(context, dtypeOf(width), x->bytes / width, d->data, x->data, y->data);
  });
}

void spl_compute(int32_t operation, spl_factor a, spl_factor b, spl_vector* slot, spl_error* error) {
  guard(error, [&] {
    const auto which = static_cast<sparlane::blas::Operation>(operation);
    sparlane::blas::compute(hold(*slot->context, slot), which, factorOf(a), factorOf(b), slotOf(slot));
  });
}

void spl_collect(spl_context* context, int32_t is_on, spl_error* error) {
  guard(error, [&] {
    context->context->enter();
    context->context->collect(is_on != 0);
  });
}

void spl_record_begin(spl_context* context, spl_error* error) {
  guard(error, [&] {
    context->context->enter();
    context->context->beginRecording();
  });
}

spl_graph* spl_record_end(spl_context* context, spl_error* error) {
  return guard(error, [&] {
    auto [graph, used] = context->context->endRecording();
    return new spl_graph{context->context, graph, std::move(used)};
  });
}

void spl_graph_free(spl_graph* graph) {
  cudaSetDevice(graph->context->device);
  // Releasing the graph releases the objects it uses, so it must have run.
  cudaStreamSynchronize(graph->context->stream);
  cudaGraphExecDestroy(graph->graph);
  delete graph;
}

void spl_graph_launch(spl_graph* graph, spl_error* error) {
  guard(error, [&] {
    graph->context->enter();
    graph->context->refuseRecording("another graph");
    CUDA_CHECK(cudaGraphLaunch(graph->graph, graph->context->stream));
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
