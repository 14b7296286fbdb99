/**
 * Lists of vector operations for which kernels are compiled: those of the steps of solvers. Their elements stay in registers. Any other list is
 * interpreted, with its elements in shared memory.
 */
#pragma once
#include <algorithm>
#include <array>
#include <span>

#include "vectors/vector-program.cuh"

namespace sparlane::blas {

/** @param reads bit i: vector i is read before it is written */
template <uint32_t reads, Move... moves>
struct KnownList {
  static constexpr uint32_t VECTORS = std::max({std::max(moves.x, moves.y)...}) + 1;
  static constexpr uint32_t WRITES = (... | (moves.update == Update::dot ? 0u : 1u << moves.y));
  static constexpr uint32_t DOTS = (... + (moves.update == Update::dot ? 1u : 0u));

  static bool is(const VectorProgram& program) {
    const auto updates = std::span(program.updates).first(program.updateCount);
    return program.reads == reads && std::ranges::equal(updates, std::array{moves...}, {}, &VectorProgram::UpdateStep::move);
  }
};

template <class... Lists>
struct KnownLists {};

constexpr Move combine(uint8_t x, uint8_t y) { return {Update::combine, x, y, 0}; }
constexpr Move multiply(uint8_t d, uint8_t x, uint8_t y) { return {Update::multiply, x, y, d}; }
constexpr Move dot(uint8_t x, uint8_t y, uint8_t sum) { return {Update::dot, x, y, sum}; }

/** p ← z + β p; pᵀ q; the updates of x and r with rᵀ r, of cg; the same with z ← d ∘ r and rᵀ z; rᵀ r and rᵀ z. */
using Known = KnownLists<KnownList<0b11, combine(0, 1)>, KnownList<0b11, dot(0, 1, 0)>,
                         KnownList<0b1111, combine(0, 1), combine(2, 3), dot(3, 3, 0)>,
                         KnownList<0b11111, combine(0, 1), combine(2, 3), multiply(4, 3, 5), dot(3, 3, 0), dot(3, 5, 1)>,
                         KnownList<0b11, dot(0, 0, 0), dot(0, 1, 1)>>;

}  // namespace sparlane::blas
