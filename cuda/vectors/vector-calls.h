/** The functions of the addon for operations on vectors and scalars, and recordings: a part of `api/addon.cc`. */
#pragma once
#include "api/call.h"

namespace addon {

inline napi_value scatter(Call& call) {
  const uint32_t width = widthOfElements(call);
  const uint64_t length = call.integer("length", UINT32_MAX);
  spl_vector* y = call.vector("y", width * length);
  const spl_vector* x = call.vector("x", width * length);
  const spl_vector* order = call.vector("order", 4 * length);
  spl_error error;
  spl_scatter(y, x, order, length, width, &error);
  rethrow(error);
  return nullptr;
}

/** `length` elements of a vector, the last of which must lie inside it. */
inline spl_strided strided(Call& call, const char* name, uint32_t width, uint64_t length) {
  const spl_vector* vector = call.vector(name);
  const uint64_t offset = call.integer("offset", UINT32_MAX);
  const auto stride = static_cast<uint32_t>(call.integer("stride", MAX_STRIDE));
  if (length > 0) checkRange(vector, width * offset, width * ((length - 1) * stride + 1));
  return {vector, offset, stride};
}

inline napi_value copyStrided(Call& call) {
  const uint32_t width = widthOfElements(call);
  const uint64_t length = call.integer("length", UINT32_MAX);
  const spl_strided y = strided(call, "y", width, length);
  const spl_strided x = strided(call, "x", width, length);
  spl_error error;
  spl_copy_strided(width, length, y, x, &error);
  rethrow(error);
  return nullptr;
}

/** Three vectors, for compressed rows of at least that many rows and entries. */
inline spl_rows rowsOf(Call& call, const char* const (&names)[3], uint64_t rows, uint64_t nnz, uint64_t width) {
  const uint64_t bytes[] = {4 * (rows + 1), 4 * nnz, width * nnz};
  const spl_vector* vectors[3];
  for (int i = 0; i < 3; i++) {
    vectors[i] = call.vector(names[i]);
    checkRange(vectors[i], 0, bytes[i]);
  }
  return {vectors[0], vectors[1], vectors[2]};
}

inline napi_value transpose(Call& call) {
  const uint32_t width = widthOfElements(call);
  const auto rows = static_cast<uint32_t>(call.integer("rows", UINT32_MAX - 1));
  const auto cols = static_cast<uint32_t>(call.integer("cols", UINT32_MAX - 1));
  const auto nnz = static_cast<uint32_t>(call.integer("nnz", UINT32_MAX));
  const spl_rows from = rowsOf(call, {"rowPtr", "colIdx", "values"}, rows, nnz, width);
  const spl_rows to = rowsOf(call, {"ptr", "idx", "moved"}, cols, nnz, width);
  spl_error error;
  spl_transpose(width, rows, cols, nnz, from, to, &error);
  rethrow(error);
  return nullptr;
}

inline napi_value lend(Call& call) {
  const spl_vector* vector = call.vector("vector");
  const auto offset = static_cast<uint32_t>(call.integer("offset", UINT32_MAX));
  spl_error error;
  spl_lend(vector, offset, &error);
  rethrow(error);
  return nullptr;
}

inline napi_value dot(Call& call) {
  const uint32_t width = widthOfElements(call);
  const spl_vector* x = call.vector("x");
  const spl_vector* y = call.vector("y", spl_vector_bytes(x));
  spl_vector* slot = call.slot("slot");
  spl_error error;
  spl_dot(width, x, y, slot, &error);
  rethrow(error);
  return nullptr;
}

inline napi_value axpby(Call& call) {
  const uint32_t width = widthOfElements(call);
  const spl_factor a = call.factor("a");
  const spl_vector* x = call.vector("x");
  const spl_factor b = call.factor("b");
  spl_vector* y = call.vector("y", spl_vector_bytes(x));
  spl_error error;
  spl_axpby(width, a, x, b, y, &error);
  rethrow(error);
  return nullptr;
}

inline napi_value multiply(Call& call) {
  const uint32_t width = widthOfElements(call);
  const spl_vector* d = call.vector("d");
  const spl_vector* x = call.vector("x", spl_vector_bytes(d));
  spl_vector* y = call.vector("y", spl_vector_bytes(d));
  spl_error error;
  spl_multiply(width, d, x, y, &error);
  rethrow(error);
  return nullptr;
}

inline napi_value compute(Call& call) {
  const auto operation = static_cast<int32_t>(call.integer("operation", SPL_ROOT));
  const spl_factor a = call.factor("a");
  const spl_factor b = call.factor("b");
  spl_vector* slot = call.slot("slot");
  spl_error error;
  spl_compute(operation, a, b, slot, &error);
  rethrow(error);
  return nullptr;
}

inline napi_value collect(Call& call) {
  spl_context* context = call.object<Context>().get();
  spl_error error;
  spl_collect(context, static_cast<int32_t>(call.integer("on", 1)), &error);
  rethrow(error);
  return nullptr;
}

inline napi_value recordBegin(Call& call) {
  spl_error error;
  spl_record_begin(call.object<Context>().get(), &error);
  rethrow(error);
  return nullptr;
}

inline napi_value recordEnd(Call& call) {
  spl_error error;
  Graph graph(spl_record_end(call.object<Context>().get(), &error));
  rethrow(error);
  return call.add(std::move(graph));
}

inline napi_value launch(Call& call) {
  spl_error error;
  spl_graph_launch(call.object<Graph>().get(), &error);
  rethrow(error);
  return nullptr;
}

}  // namespace addon
