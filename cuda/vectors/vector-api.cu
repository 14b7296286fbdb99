/** The C interface (`api/sparlane.h`) over operations on vectors, scalars and compressed rows, and over recordings. */
#include "api/handles.cuh"
#include "transpose.cuh"
#include "vectors/blas.cuh"

using sparlane::Context;
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

}  // extern "C"
