/** The list of all kernels. A format adds its kernels with a line here. */
#include <algorithm>
#include <array>

#include "plan.cuh"

namespace sparlane {

extern const KernelEntry csrKernel, csrMergeKernel, csrkKernel, cooKernel, cooAtomicKernel, componentsKernel;
extern const KernelEntry csr5Kernel, sellKernel, diaKernel, inodeKernel, pktKernel, scaleKernel;
extern const KernelEntry bsr2Kernel, bsr3Kernel, bsr4Kernel, bsr5Kernel, bsr6Kernel, bsr7Kernel, bsr8Kernel, bsrKernel,
    bsrReduceKernel;
extern const KernelEntry sssKernel, sssHalosKernel;
extern const KernelEntry csrBlocksKernel, csrkBlocksKernel, cooBlocksKernel, sellBlocksKernel, diaBlocksKernel, inodeBlocksKernel,
    componentsBlocksKernel, bsrBlocksKernel;
extern const KernelEntry csrScatterKernel, csrkScatterKernel, cooScatterKernel;
extern const KernelEntry trianglesKernel;
extern const KernelEntry complexCsrKernel, complexCsrkKernel, complexCooKernel, complexSellKernel, complexDiaKernel,
    complexBsrKernel, complexUnaryKernel;
extern const KernelEntry complexCsrBlocksKernel, complexCsrkBlocksKernel, complexCooBlocksKernel, complexSellBlocksKernel,
    complexDiaBlocksKernel, complexBsrBlocksKernel;

std::span<const KernelEntry> kernels() {
  static const std::array all{csrKernel,
                              csrMergeKernel,
                              csrkKernel,
                              cooKernel,
                              cooAtomicKernel,
                              componentsKernel,
                              csr5Kernel,
                              sellKernel,
                              diaKernel,
                              inodeKernel,
                              pktKernel,
                              scaleKernel,
                              bsr2Kernel,
                              bsr3Kernel,
                              bsr4Kernel,
                              bsr5Kernel,
                              bsr6Kernel,
                              bsr7Kernel,
                              bsr8Kernel,
                              bsrKernel,
                              bsrReduceKernel,
                              sssKernel,
                              sssHalosKernel,
                              csrBlocksKernel,
                              csrkBlocksKernel,
                              cooBlocksKernel,
                              sellBlocksKernel,
                              diaBlocksKernel,
                              inodeBlocksKernel,
                              componentsBlocksKernel,
                              bsrBlocksKernel,
                              csrScatterKernel,
                              csrkScatterKernel,
                              cooScatterKernel,
                              trianglesKernel,
                              complexCsrKernel,
                              complexCsrkKernel,
                              complexCooKernel,
                              complexSellKernel,
                              complexDiaKernel,
                              complexBsrKernel,
                              complexUnaryKernel,
                              complexCsrBlocksKernel,
                              complexCsrkBlocksKernel,
                              complexCooBlocksKernel,
                              complexSellBlocksKernel,
                              complexDiaBlocksKernel,
                              complexBsrBlocksKernel};
  return all;
}

const KernelEntry& kernelOf(std::string_view base, std::string_view verb) {
  for (const auto& entry : kernels()) {
    if (base == entry.base && verb == entry.verb) return entry;
  }
  throw Failure{"kernel", "kernel: expected a kernel of this build, got base '" + std::string(base) + "' and verb '" +
                              std::string(verb) + "'"};
}

}  // namespace sparlane
