/*
 * Eigen: Y.noalias() = A * X, A a row-major SparseMatrix (a map of the CSR arrays), X and Y row-major with COLUMNS columns. Column
 * j of X is x + j; column 0 of Y is the result. The protocol is that of peer.h.
 */
#include <Eigen/Sparse>
#include "peer.h"

using Matrix = Eigen::Map<const Eigen::SparseMatrix<real, Eigen::RowMajor, int>>;
using Block = Eigen::Matrix<real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

static Matrix *matrix;
static Block *in, *out;

static void prepare() {
  Eigen::setNbThreads(threads);
  matrix = new Matrix(rows, cols, nnz, (const int *)rowPtr, (const int *)colIdx, values);
  in = new Block(cols, COLUMNS);
  out = new Block(rows, COLUMNS);
  for (uint32_t i = 0; i < cols; i++)
    for (int j = 0; j < COLUMNS; j++) (*in)(i, j) = x[i] + j;
}

static void multiply() { out->noalias() = *matrix * *in; }

static void finish() {
  for (uint32_t i = 0; i < rows; i++) y[i] = (*out)(i, 0);
}

int main(int argc, char **argv) {
  load(argc, argv);
  struct peer eigen = {"Eigen, gcc " __VERSION__, prepare, multiply, nullptr, finish};
  serve(&eigen);
  return 0;
}
