/** Methods state the time that they are expected to take: the least wins, and the plan keeps the list. */
#pragma once
#include <algorithm>
#include <functional>
#include <vector>

#include "plan.cuh"

namespace sparlane {

/**
 * A method that may be chosen. `ns` is the estimate beside its kernel. If the method was not examined to the end, since it cannot be the fastest, `ns` is
 * a lower bound, and `make` is empty.
 */
struct Candidate : Estimate {
  std::function<std::unique_ptr<Plan>()> make;
};

/** Returns the candidate that is expected to take least; of equal ones the first. There is at least one. */
inline const Candidate& least(std::span<const Candidate> candidates) {
  return *std::ranges::min_element(candidates, {}, &Candidate::ns);
}

/** Returns the estimates of candidates, the least time first. */
inline std::vector<Estimate> ascending(std::span<const Candidate> candidates) {
  std::vector<Estimate> estimates(candidates.begin(), candidates.end());
  std::ranges::stable_sort(estimates, {}, &Estimate::ns);
  return estimates;
}

/** Makes the plan of the candidate that is expected to take least. It keeps the estimates of all. */
inline std::unique_ptr<Plan> makeLeast(std::span<const Candidate> candidates) {
  auto plan = least(candidates).make();
  plan->estimates = ascending(candidates);
  return plan;
}

}  // namespace sparlane
