/**
 * Operations on vectors of the device. Each one joins the list of its context. The list is queued when an operation cannot join it, and
 * before anything else is queued; outside of a recording at once.
 */
#include <algorithm>

#include "vectors/blas.cuh"
#include "vectors/vector-program.cuh"

namespace sparlane::blas {

namespace {

size_t widthOf(Dtype dtype) { return dtype == Dtype::f32 ? sizeof(float) : sizeof(double); }

/** Whether two pieces of memory that do not begin at the same place share bytes. */
bool overlap(const void* a, const void* b, size_t bytes) {
  const auto [low, high] = std::minmax(reinterpret_cast<uintptr_t>(a), reinterpret_cast<uintptr_t>(b));
  return low != high && high - low < bytes;
}

/** Whether a scalar is an element of a vector of so many bytes. */
bool contains(const void* vector, size_t bytes, const double* slot) {
  return slot != nullptr && reinterpret_cast<uintptr_t>(slot) - reinterpret_cast<uintptr_t>(vector) < bytes;
}

/** The list that an update joins. */
VectorProgram& listFor(Context& context, Dtype dtype, size_t n, std::initializer_list<const void*> operands, Factor a = {},
                       Factor b = {}) {
  if (!context.program().takes(dtype, n, operands, a, b)) context.flush(true);
  VectorProgram& program = context.program();
  program.dtype = dtype;
  program.n = n;
  return program;
}

/** The list that a result joins. */
VectorProgram& listFor(Context& context, const double* slot, const Factor& a, const Factor& b) {
  if (!context.program().takes(slot, a, b)) context.flush();
  return context.program();
}

}  // namespace

bool VectorProgram::takes(Dtype dtype, size_t n, std::initializer_list<const void*> operands, const Factor& a,
                          const Factor& b) const {
  if (updateCount > 0 && (dtype != this->dtype || n != this->n)) return false;
  if (updateCount == MAX_UPDATES || isResult(a.slot) || isResult(b.slot) || isElement(a.slot) || isElement(b.slot)) return false;
  const size_t bytes = n * widthOf(dtype);
  const auto used = std::span(vectors).first(vectorCount);
  size_t places = vectorCount;
  for (const void* operand : operands) {
    if (std::ranges::any_of(used, [&](const void* other) { return overlap(operand, other, bytes); })) return false;
    if (usesElementOf(operand, bytes)) return false;
    if (std::ranges::find(used, operand) == used.end()) places++;
  }
  return places <= MAX_VECTORS;
}

bool VectorProgram::takes(const double* slot, const Factor& a, const Factor& b) const {
  return ending.dotCount < MAX_DOTS && ending.resultCount < MAX_RESULTS && !isElement(slot) && !isElement(a.slot) &&
         !isElement(b.slot);
}

uint8_t VectorProgram::placeOf(const void* vector) {
  const auto used = std::span(vectors).first(vectorCount);
  const auto place = static_cast<uint8_t>(std::ranges::find(used, vector) - used.begin());
  if (place == vectorCount) vectors[vectorCount++] = const_cast<void*>(vector);
  return place;
}

bool VectorProgram::isResult(const double* slot) const {
  const auto used = std::span(ending.results).first(ending.resultCount);
  return slot != nullptr && std::ranges::any_of(used, [&](const Result& result) { return result.slot == slot; });
}

bool VectorProgram::isElement(const double* slot) const {
  const auto used = std::span(vectors).first(vectorCount);
  return std::ranges::any_of(used, [&](const void* vector) { return contains(vector, n * widthOf(dtype), slot); });
}

bool VectorProgram::usesElementOf(const void* vector, size_t bytes) const {
  const auto isIn = [&](const double* slot) { return contains(vector, bytes, slot); };
  const auto isFactor = [&](const auto& step) { return isIn(step.a.slot) || isIn(step.b.slot); };
  return std::ranges::any_of(std::span(updates).first(updateCount), isFactor) ||
         std::ranges::any_of(std::span(ending.results).first(ending.resultCount),
                             [&](const Result& result) { return isFactor(result) || isIn(result.slot); });
}

void dot(Context& context, Dtype dtype, size_t n, const void* x, const void* y, double* slot) {
  if (!context.program().takes(slot)) context.flush();
  VectorProgram& program = listFor(context, dtype, n, {x, y});
  const uint8_t placeOfX = program.placeOf(x), placeOfY = program.placeOf(y);
  program.readAt(placeOfX);
  program.readAt(placeOfY);
  const auto sum = static_cast<uint8_t>(program.ending.dotCount++);
  program.add(VectorProgram::UpdateStep{{Update::dot, placeOfX, placeOfY, sum}, {}, {}});
  program.add(Result{sum, Operation::add, {}, {}, slot});
  context.settle();
}

void axpby(Context& context, Dtype dtype, size_t n, Factor a, const void* x, Factor b, void* y) {
  if (n == 0) return;
  VectorProgram& program = listFor(context, dtype, n, {x, y}, a, b);
  const uint8_t placeOfX = program.placeOf(x), placeOfY = program.placeOf(y);
  program.readAt(placeOfX);
  if (b.slot != nullptr || b.times != 0) program.readAt(placeOfY);
  program.writeAt(placeOfY);
  program.add(VectorProgram::UpdateStep{{Update::combine, placeOfX, placeOfY, 0}, a, b});
  context.settle();
}

void multiply(Context& context, Dtype dtype, size_t n, const void* d, const void* x, void* y) {
  if (n == 0) return;
  VectorProgram& program = listFor(context, dtype, n, {d, x, y});
  const uint8_t placeOfD = program.placeOf(d), placeOfX = program.placeOf(x), placeOfY = program.placeOf(y);
  program.readAt(placeOfD);
  program.readAt(placeOfX);
  program.writeAt(placeOfY);
  program.add(VectorProgram::UpdateStep{{Update::multiply, placeOfX, placeOfY, placeOfD}, {}, {}});
  context.settle();
}

void compute(Context& context, Operation operation, Factor a, Factor b, double* slot) {
  VectorProgram& program = listFor(context, slot, a, b);
  program.add(Result{Result::NO_DOT, operation, a, b, slot});
  context.settle();
}

}  // namespace sparlane::blas
