/*
 * cuSPARSE's product with blocks of vectors: Y <- A X, row-major, by every algorithm of CSR and by the one of COO for rows, each prepared
 * by cusparseSpMM_preprocess. X[i][j] = 1 / (1 + (i + 3 j) % 7). A run follows a read of more than L2 holds.
 *
 * usage: cusparse-spmm MATRIX REPETITIONS COLUMNS...
 *   MATRIX as in peers/peer.h. Prints for each number of columns and each algorithm a line { columns, algorithm, us }, us the times in
 *   microseconds; rows of Y are compared with those of a plain loop first. Algorithms that are not supported are left out.
 */
#include <cusparse.h>

#include <cmath>
#include <vector>

#include "../peers/peer.h"
#include "device.cuh"

namespace {

constexpr auto TYPE = sizeof(real) == 8 ? CUDA_R_64F : CUDA_R_32F;
constexpr auto INDEX = CUSPARSE_INDEX_32I;
constexpr auto BASE = CUSPARSE_INDEX_BASE_ZERO;
constexpr auto AS_IS = CUSPARSE_OPERATION_NON_TRANSPOSE;
const real ONE = 1, ZERO = 0;

struct Algorithm {
  const char *name;
  cusparseSpMMAlg_t value;
  bool isCoo;
};

constexpr Algorithm ALGORITHMS[] = {{"CSR ALG1", CUSPARSE_SPMM_CSR_ALG1, false},
                                    {"CSR ALG2", CUSPARSE_SPMM_CSR_ALG2, false},
                                    {"CSR ALG3", CUSPARSE_SPMM_CSR_ALG3, false},
                                    {"COO ALG4", CUSPARSE_SPMM_COO_ALG4, true}};

void require(cusparseStatus_t status, const char *call) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  fprintf(stderr, "%s: %s\n", call, cusparseGetErrorString(status));
  exit(1);
}

real elementOfX(size_t i, size_t j) { return static_cast<real>(1.0 / (1 + (i + 3 * j) % 7)); }

/** Every 997th row, its first and its last column; the tolerance allows any order of the sums. */
bool isRight(const std::vector<real> &found, uint32_t columns) {
  for (size_t i = 0; i < rows; i += 997) {
    for (uint32_t j = 0; j < columns; j += columns > 1 ? columns - 1 : 1) {
      double sum = 0, scale = 0;
      for (uint32_t k = rowPtr[i]; k < rowPtr[i + 1]; k++) {
        const double term = static_cast<double>(values[k]) * elementOfX(colIdx[k], j);
        sum += term;
        scale += std::fabs(term);
      }
      const double bound = (rowPtr[i + 1] - rowPtr[i] + 2) * (sizeof(real) == 8 ? 3e-16 : 2e-7) * scale;
      if (!(std::fabs(found[i * columns + j] - sum) <= bound)) return false;
    }
  }
  return true;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc < 4) fail("usage: cusparse-spmm MATRIX REPETITIONS COLUMNS...");
  FILE *file = opened(argv[1], "rb");
  uint32_t *size = (uint32_t *)take(file, 4, 3);
  rows = size[0], cols = size[1], nnz = size[2];
  rowPtr = (uint32_t *)take(file, 4, (size_t)rows + 1);
  colIdx = (uint32_t *)take(file, 4, nnz);
  values = takeReals(file, nnz);
  fclose(file);
  const int repetitions = atoi(argv[2]);

  std::vector<int> rowIdx(nnz);
  for (uint32_t i = 0; i < rows; i++)
    for (uint32_t k = rowPtr[i]; k < rowPtr[i + 1]; k++) rowIdx[k] = static_cast<int>(i);
  const bench::DeviceArray<int> pointers(reinterpret_cast<const int *>(rowPtr), rows + size_t{1});
  const bench::DeviceArray<int> rowsOf(rowIdx.data(), nnz);
  const bench::DeviceArray<int> indices(reinterpret_cast<const int *>(colIdx), nnz);
  const bench::DeviceArray<real> entries(values, nnz);
  const bench::Zeros evicting(bench::EVICTING_BYTES);
  bench::Stopwatch stopwatch;
  cusparseHandle_t handle;
  require(cusparseCreate(&handle), "cusparseCreate");
  cusparseSpMatDescr_t csr, coo;
  require(cusparseCreateCsr(&csr, rows, cols, nnz, pointers.data(), indices.data(), entries.data(), INDEX, INDEX, BASE, TYPE),
          "cusparseCreateCsr");
  require(cusparseCreateCoo(&coo, rows, cols, nnz, rowsOf.data(), indices.data(), entries.data(), INDEX, BASE, TYPE),
          "cusparseCreateCoo");

  for (int place = 3; place < argc; place++) {
    const auto columns = static_cast<uint32_t>(atoi(argv[place]));
    std::vector<real> numbers(size_t{cols} * columns);
    for (size_t i = 0; i < cols; i++)
      for (uint32_t j = 0; j < columns; j++) numbers[i * columns + j] = elementOfX(i, j);
    const bench::DeviceArray<real> xs(numbers.data(), numbers.size());
    bench::DeviceArray<real> ys(size_t{rows} * columns);
    std::vector<real> found(ys.length());
    cusparseDnMatDescr_t X, Y;
    require(cusparseCreateDnMat(&X, cols, columns, columns, xs.data(), TYPE, CUSPARSE_ORDER_ROW), "cusparseCreateDnMat");
    require(cusparseCreateDnMat(&Y, rows, columns, columns, ys.data(), TYPE, CUSPARSE_ORDER_ROW), "cusparseCreateDnMat");
    for (const Algorithm &algorithm : ALGORITHMS) {
      const auto matrix = algorithm.isCoo ? coo : csr;
      size_t bytes = 0;
      if (cusparseSpMM_bufferSize(handle, AS_IS, AS_IS, &ONE, matrix, X, &ZERO, Y, TYPE, algorithm.value, &bytes) !=
          CUSPARSE_STATUS_SUCCESS)
        continue;
      bench::DeviceArray<char> workspace(bytes);
      const auto multiply = [&] {
        return cusparseSpMM(handle, AS_IS, AS_IS, &ONE, matrix, X, &ZERO, Y, TYPE, algorithm.value, workspace.data());
      };
      // Not every algorithm has something to prepare.
      (void)cusparseSpMM_preprocess(handle, AS_IS, AS_IS, &ONE, matrix, X, &ZERO, Y, TYPE, algorithm.value, workspace.data());
      ys.fill(0xff);
      if (multiply() != CUSPARSE_STATUS_SUCCESS) continue;
      CUDA_CHECK(cudaMemcpy(found.data(), ys.data(), ys.bytes(), cudaMemcpyDeviceToHost));
      if (!isRight(found, columns)) {
        fprintf(stderr, "%s is wrong with %u columns\n", algorithm.name, columns);
        continue;
      }
      printf("{\"columns\":%u,\"algorithm\":\"%s\",\"us\":[", columns, algorithm.name);
      for (int i = 0; i < repetitions; i++) {
        const double ms = stopwatch.ms([&] { evicting.read(); }, [&] { (void)multiply(); });
        printf("%s%.2f", i > 0 ? "," : "", 1e3 * ms);
      }
      printf("]}\n");
    }
    cusparseDestroyDnMat(X);
    cusparseDestroyDnMat(Y);
  }
  return 0;
}
