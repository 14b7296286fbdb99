/**
 * Vector operations that one kernel runs: a list of updates and dot products of vectors of one length, then of scalars computed from
 * slots. `blas.cu` makes the lists, `vector-program.cu` runs them.
 *
 * A thread keeps its elements of all vectors from the first operation to the last, so a vector is read and written once, however many operations
 * use it. Factors are read before the first update, and slots written after the last: an update whose factor is a result of the list belongs to
 * the next one. If that one is launched next, it computes the results of this one, so that no thread block waits for the others (`ending.cuh`).
 */
#pragma once
#include "vectors/blas.cuh"

namespace sparlane::blas {

/** y ← a x + b y; y ← d ∘ x; sum `d` ← xᵀ y. */
enum class Update : uint8_t { combine, multiply, dot };

/** An update without its factors. x, y and d: places of vectors, or for a dot product d is the place of its sum. */
struct Move {
  Update update;
  uint8_t x, y, d;
  bool operator==(const Move&) const = default;
};

/** A scalar: a dot product by the place of its sum, or, with `dot` = NO_DOT, a ∘ b. */
struct Result {
  static constexpr uint8_t NO_DOT = UINT8_MAX;
  uint8_t dot;
  Operation operation;
  Factor a, b;
  double* slot;
};

/** What a list leaves to be computed when the sums of all its thread blocks are there. */
template <uint32_t LENGTH>
struct Ending {
  uint32_t dotCount = 0, resultCount = 0;
  Result results[LENGTH];
};

struct VectorProgram {
  static constexpr uint32_t MAX_VECTORS = 8, MAX_UPDATES = 16, MAX_DOTS = 7, MAX_RESULTS = 16;

  struct UpdateStep {
    Move move;
    Factor a, b;
  };

  Dtype dtype = Dtype::f64;
  uint32_t vectorCount = 0, updateCount = 0;
  size_t n = 0;
  void* vectors[MAX_VECTORS];
  /** Bit i: vector i is read before it is written; is written. */
  uint32_t reads = 0, writes = 0;
  UpdateStep updates[MAX_UPDATES];
  Ending<MAX_RESULTS> ending;
  /** Of the list in front, and the number of its thread blocks; 0 if it has computed its results itself. */
  Ending<MAX_RESULTS> before;
  uint32_t blocksBefore = 0;

  bool isEmpty() const { return updateCount == 0 && ending.resultCount == 0; }
  /** @param blocks of the list that was queued, if the next one is to compute its results; else 0 */
  void clear(uint32_t blocks) {
    if (blocks > 0) before = ending;
    blocksBefore = blocks;
    vectorCount = updateCount = ending.dotCount = ending.resultCount = reads = writes = 0;
    n = 0;
  }

  /** Whether the list may go on with this update: the effect is that of the update after the list. */
  bool takes(Dtype dtype, size_t n, std::initializer_list<const void*> operands, const Factor& a, const Factor& b) const;
  /** The same for a scalar computed from others, or from a dot product. */
  bool takes(const double* slot, const Factor& a = {}, const Factor& b = {}) const;

  /** The place of a vector, new if it is not there yet. */
  uint8_t placeOf(const void* vector);
  void readAt(uint8_t place) { reads |= writes >> place & 1 ? 0 : 1u << place; }
  void writeAt(uint8_t place) { writes |= 1u << place; }
  void add(const UpdateStep& step) { updates[updateCount++] = step; }
  void add(const Result& result) { ending.results[ending.resultCount++] = result; }

 private:
  bool isResult(const double* slot) const;
  /** Whether a scalar is an element of one of the vectors. */
  bool isElement(const double* slot) const;
  /** Whether a scalar that the list reads or writes is an element of a vector. */
  bool usesElementOf(const void* vector, size_t bytes) const;
};

/**
 * Queues a program that is not empty.
 *
 * @param isFollowed whether another one is queued next
 * @returns the number of its thread blocks, if the next one is to compute its results; else 0
 */
uint32_t launch(Context& context, const VectorProgram& program, bool isFollowed);

}  // namespace sparlane::blas
