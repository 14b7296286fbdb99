/*
 * Eigen: y.noalias() = A * x, A a row-major SparseMatrix (a map of the CSR arrays: nothing is converted). Eigen's row-major
 * product splits rows among OpenMP threads if there are more than 20 000 entries. The protocol is that of peer.h.
 */
#include <Eigen/Sparse>
#include <string>
#include "peer.h"

using Matrix = Eigen::Map<const Eigen::SparseMatrix<real, Eigen::RowMajor, int>>;
using Vector = Eigen::Matrix<real, Eigen::Dynamic, 1>;

static Matrix *matrix;

static void prepare() {
  Eigen::setNbThreads(threads);
  matrix = new Matrix(rows, cols, nnz, (const int *)rowPtr, (const int *)colIdx, values);
}

static void multiply() {
  Eigen::Map<Vector> out(y, rows);
  out.noalias() = *matrix * Eigen::Map<const Vector>(x, cols);
}

/* Of a square matrix. */
static void multiplyTransposed() {
  Eigen::Map<Vector> out(y, cols);
  out.noalias() = matrix->transpose() * Eigen::Map<const Vector>(x, rows);
}

static void transpose() { Eigen::SparseMatrix<real, Eigen::RowMajor, int> transposed = matrix->transpose(); }

/* Of a square matrix. */
static void square() { Eigen::SparseMatrix<real, Eigen::RowMajor, int> product = *matrix * *matrix; }

static void multiplySquared() {
  Eigen::SparseMatrix<real, Eigen::RowMajor, int> product = *matrix * *matrix;
  Eigen::Map<Vector> out(y, rows);
  out.noalias() = product * Eigen::Map<const Vector>(x, cols);
}

int main(int argc, char **argv) {
  std::string version = "Eigen " + std::to_string(EIGEN_WORLD_VERSION) + "." + std::to_string(EIGEN_MAJOR_VERSION) + "." +
                        std::to_string(EIGEN_MINOR_VERSION) + ", gcc " __VERSION__;
  load(argc, argv);
  void (*const verbs[])() = {multiply, multiplyTransposed, transpose, square, multiplySquared};
  struct peer eigen = {version.c_str(), prepare, verbs[verb(SQUARED)], nullptr, nullptr, nullptr};
  serve(&eigen);
  return 0;
}
