/** Common to the files that register scatter kernels: their method. */
#pragma once
#include "plan.cuh"

namespace sparlane {

constexpr MethodEntry SCATTER[] = {{"atomic", {}, true}};

}  // namespace sparlane
