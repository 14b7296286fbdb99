/** The objects of the device that JavaScript has, each by a number. A wrong or stale number is an error and never a crash. */
#pragma once
#include <memory>
#include <string>
#include <unordered_map>
#include <variant>

#include "api/ranks.h"
#include "api/sparlane.h"

namespace addon {

/** Thrown here; converted to a JavaScript error at the end of a call. */
struct Failure {
  std::string code;
  std::string message;
};

/** A JavaScript exception is pending. */
struct Pending {};

template <class T, void (*FREE)(T*)>
struct Freer {
  void operator()(T* object) const { FREE(object); }
};

using Context = std::unique_ptr<spl_context, Freer<spl_context, spl_close>>;
using Vector = std::unique_ptr<spl_vector, Freer<spl_vector, spl_vector_free>>;
using Plan = std::unique_ptr<spl_plan, Freer<spl_plan, spl_plan_free>>;
using Graph = std::unique_ptr<spl_graph, Freer<spl_graph, spl_graph_free>>;

struct PlannedStage {
  Plan plan;
  /** Bytes of an element of x and y. */
  uint64_t width;
  uint64_t bytesOfX;
  uint64_t bytesOfY;
};

/** The objects of one JavaScript environment, by number. A number is never used again. */
struct Objects {
  struct Entry {
    std::variant<Context, Vector, PlannedStage, Graph> object;
    /** The number of its context, with which it is released; of a context its own. */
    uint32_t owner;
  };
  std::unordered_map<uint32_t, Entry> table;
  uint32_t last = 0;
};

template <class T>
struct Name;
template <>
struct Name<Context> {
  static constexpr const char* text = "context";
};
template <>
struct Name<Vector> {
  static constexpr const char* text = "vector";
};
template <>
struct Name<PlannedStage> {
  static constexpr const char* text = "plan";
};
template <>
struct Name<Graph> {
  static constexpr const char* text = "graph";
};

/** @throws Failure `shape` if the vector does not have exactly this many bytes */
inline void checkBytes(const spl_vector* vector, const char* name, uint64_t bytes) {
  if (spl_vector_bytes(vector) == bytes) return;
  throw Failure{"shape", std::string(name) + ": expected a vector of " + std::to_string(bytes) + " bytes, got " +
                             std::to_string(spl_vector_bytes(vector))};
}

}  // namespace addon
