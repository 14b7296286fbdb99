/*
 * Kokkos Kernels: KokkosSparse::spmv of a CrsMatrix over the CSR arrays, which are not copied. Debian builds it for the serial device alone: one
 * thread. The protocol is that of peer.h.
 */
#include "peer.h"
/* Kokkos has a name REAL of its own. */
#undef REAL

#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#include <Kokkos_Core.hpp>
#include <string>

using Device = Kokkos::Device<Kokkos::Serial, Kokkos::HostSpace>;
using Matrix = KokkosSparse::CrsMatrix<real, int, Device, Kokkos::MemoryTraits<Kokkos::Unmanaged>, int>;
using Vector = Kokkos::View<real *, Kokkos::LayoutLeft, Device, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

static Matrix *matrix;

static void prepare() {
  matrix = new Matrix("A", (int)rows, (int)cols, (int)nnz, Matrix::values_type(values, nnz),
                      Matrix::row_map_type((const int *)rowPtr, rows + (size_t)1), Matrix::index_type((int *)colIdx, nnz));
}

static void multiply() { KokkosSparse::spmv("N", real(1), *matrix, Vector(x, cols), real(0), Vector(y, rows)); }

int main(int argc, char **argv) {
  load(argc, argv);
  Kokkos::InitArguments arguments;
  arguments.disable_warnings = true;
  Kokkos::initialize(arguments);
  const std::string version = "Kokkos Kernels, Kokkos " + std::to_string(KOKKOS_VERSION / 10000) + "." +
                              std::to_string(KOKKOS_VERSION / 100 % 100) + ", gcc " __VERSION__;
  struct peer kokkos = {version.c_str(), prepare, multiply, nullptr, nullptr, nullptr};
  serve(&kokkos);
  delete matrix;
  Kokkos::finalize();
  return 0;
}
