/*
 * Eigen: a "product" is a whole solve of A y = x from y = 0: analysis, factorization and iterations. SOLVER of the
 * environment is cg-jacobi, cg-ic0 (both triangles, natural order), bicgstab-jacobi or bicgstab-ilut; RTOL the tolerance,
 * MAX_ITERATIONS the limit. The protocol is that of peer.h.
 */
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/Sparse>
#include <functional>
#include <string>
#include "peer.h"

using Matrix = Eigen::SparseMatrix<real, Eigen::RowMajor, int>;
using Vector = Eigen::Matrix<real, Eigen::Dynamic, 1>;
using Both = std::integral_constant<int, Eigen::Lower | Eigen::Upper>;
using Natural = Eigen::NaturalOrdering<int>;

static Matrix matrix;
static int iterations;
static std::function<void()> solver;

static std::string setting(const char *name) {
  const char *value = getenv(name);
  if (!value) fail(name);
  return value;
}

template <typename Solver>
static void solveWith() {
  Solver solver;
  solver.setTolerance(std::stod(setting("RTOL")));
  solver.setMaxIterations(std::stoi(setting("MAX_ITERATIONS")));
  solver.compute(matrix);
  Eigen::Map<Vector>(y, rows) = solver.solve(Eigen::Map<const Vector>(x, rows));
  iterations = (int)solver.iterations();
}

static void prepare() {
  Eigen::setNbThreads(threads);
  matrix = Eigen::Map<const Matrix>(rows, cols, nnz, (const int *)rowPtr, (const int *)colIdx, values);
  const std::string name = setting("SOLVER");
  if (name == "cg-jacobi") solver = solveWith<Eigen::ConjugateGradient<Matrix, Both::value>>;
  else if (name == "cg-ic0")
    solver = solveWith<Eigen::ConjugateGradient<Matrix, Both::value, Eigen::IncompleteCholesky<real, Eigen::Lower, Natural>>>;
  else if (name == "bicgstab-jacobi") solver = solveWith<Eigen::BiCGSTAB<Matrix>>;
  else if (name == "bicgstab-ilut") solver = solveWith<Eigen::BiCGSTAB<Matrix, Eigen::IncompleteLUT<real>>>;
  else fail("SOLVER: expected cg-jacobi, cg-ic0, bicgstab-jacobi or bicgstab-ilut");
}

static void solve() { solver(); }

static int count() { return iterations; }

int main(int argc, char **argv) {
  load(argc, argv);
  struct peer eigen = {};
  eigen.version = "Eigen, gcc " __VERSION__;
  eigen.prepare = prepare;
  eigen.multiply = solve;
  eigen.count = count;
  serve(&eigen);
  return 0;
}
