/** The list of all kernels. A format adds its kernels with a line here. */
#include <algorithm>
#include <array>

#include "plan.cuh"

namespace sparlane {

extern const KernelEntry csrKernel, csrMergeKernel, csrkKernel, cooKernel, cooAtomicKernel, componentsKernel;
extern const KernelEntry csr5Kernel, sellKernel, diaKernel, inodeKernel, pktKernel, scaleKernel;
extern const KernelEntry bsr2Kernel, bsr3Kernel, bsr4Kernel, bsr5Kernel, bsr6Kernel, bsr7Kernel, bsr8Kernel, bsrKernel,
    bsrReduceKernel;
extern const KernelEntry sssKernel, sss16Kernel, sssHalosKernel;

std::span<const KernelEntry> kernels() {
  static const std::array all{csrKernel,  csrMergeKernel, csrkKernel,      cooKernel,   cooAtomicKernel, componentsKernel,
                              csr5Kernel, sellKernel,     diaKernel,       inodeKernel, pktKernel,       scaleKernel,
                              bsr2Kernel, bsr3Kernel,     bsr4Kernel,      bsr5Kernel,  bsr6Kernel,      bsr7Kernel,
                              bsr8Kernel, bsrKernel,      bsrReduceKernel, sssKernel,   sss16Kernel,     sssHalosKernel};
  return all;
}

MakePlan makerOf(std::string_view kernel) {
  for (const auto& entry : kernels()) {
    if (entry.name == kernel) return entry.make;
  }
  std::string_view name = kernel;
  for (const std::string_view suffix : {"_table", "_pattern", "16"}) {
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  }
  for (const auto& entry : kernels()) {
    if (entry.name == name) return entry.make;
  }
  throw Failure{"kernel", "kernel: expected a kernel of this build, got '" + std::string(kernel) + "'"};
}

}  // namespace sparlane
