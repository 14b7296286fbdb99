/** What the handles of the C interface (`sparlane.h`) are, for the files that implement it. */
#pragma once
#include <cstdio>

#include "api/sparlane.h"
#include "plan.cuh"

struct spl_context {
  std::shared_ptr<sparlane::Context> context;
};

struct spl_vector {
  std::shared_ptr<sparlane::Context> context;
  std::shared_ptr<sparlane::DeviceArray<uint8_t>> memory;
  uint8_t* data;
  size_t bytes;
};

struct spl_plan {
  std::shared_ptr<sparlane::Context> context;
  std::shared_ptr<sparlane::Plan> plan;
};

struct spl_graph {
  std::shared_ptr<sparlane::Context> context;
  cudaGraphExec_t graph;
  sparlane::Recorded used;
};

namespace sparlane {

inline void tell(spl_error* error, const char* code, const char* message) {
  std::snprintf(error->code, sizeof error->code, "%s", code);
  std::snprintf(error->message, sizeof error->message, "%s", message);
}

/** Runs a function that may throw. Returns its result, or after an exception a default value. */
template <class Do>
auto guard(spl_error* error, Do&& what) -> decltype(what()) {
  *error = {};
  try {
    return what();
  } catch (const Failure& failure) {
    tell(error, failure.code, failure.message.c_str());
  } catch (const std::exception& exception) {
    tell(error, "backend", exception.what());
  }
  return decltype(what())();
}

/** Enters a context that uses these vectors, for a vector operation. A recording in progress keeps them alive. */
template <class... Vectors>
Context& hold(Context& context, const Vectors*... vectors) {
  context.enter();
  (context.keep(vectors->memory), ...);
  return context;
}

/** The same for anything else: vector operations that wait for others are queued first. */
template <class... Vectors>
Context& use(Context& context, const Vectors*... vectors) {
  hold(context, vectors...);
  context.flush();
  return context;
}

/** The context of the first vector. */
template <class... Vectors>
Context& use(const spl_vector* vector, const Vectors*... others) {
  return use(*vector->context, vector, others...);
}

}  // namespace sparlane
