/*
 * Direct solvers: a "product" is a whole solve of A y = x: order, factorization, solution. SOLVER of the environment is cholmod,
 * eigen-ldlt (symmetric), umfpack, klu or eigen-lu. With UPDATE in the environment a product begins with other numbers in an analysed pattern: the
 * factors anew without an order, KLU's without pivoting, and the solution. The protocol is that of peer.h.
 *
 * Rows of A are columns of its transpose: for the libraries that take columns, those of an unsymmetric A are made beforehand.
 */
#include <Eigen/Sparse>
#include <cholmod.h>
#include <functional>
#include <klu.h>
#include <memory>
#include <string>
#include <umfpack.h>
#include "peer.h"

using Matrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;
using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1>;

static Matrix matrix;
static bool isUpdate;

static void check(bool isGood, const char *what) {
  if (!isGood) fail(what);
}

struct Solver {
  virtual ~Solver() = default;
  virtual void analyse() = 0;
  virtual void factor() = 0;
  /* The factors of other numbers. */
  virtual void refactor() { factor(); }
  virtual void solve() = 0;
};

struct Cholmod : Solver {
  cholmod_common common;
  cholmod_sparse a;
  cholmod_factor *factors = nullptr;
  Cholmod() {
    cholmod_start(&common);
    common.final_ll = 1;
    a = {};
    a.nrow = a.ncol = rows, a.nzmax = nnz;
    a.p = matrix.outerIndexPtr(), a.i = matrix.innerIndexPtr(), a.x = matrix.valuePtr();
    a.stype = -1, a.itype = CHOLMOD_INT, a.xtype = CHOLMOD_REAL, a.dtype = CHOLMOD_DOUBLE;
    a.sorted = a.packed = 1;
  }
  ~Cholmod() override {
    cholmod_free_factor(&factors, &common);
    cholmod_finish(&common);
  }
  void analyse() override { factors = cholmod_analyze(&a, &common); }
  void factor() override {
    cholmod_factorize(&a, factors, &common);
    check(common.status == CHOLMOD_OK, "CHOLMOD: not positive definite");
  }
  void solve() override {
    cholmod_dense b = {};
    b.nrow = b.nzmax = b.d = rows, b.ncol = 1, b.x = x, b.xtype = CHOLMOD_REAL, b.dtype = CHOLMOD_DOUBLE;
    cholmod_dense *found = cholmod_solve(CHOLMOD_A, factors, &b, &common);
    memcpy(y, found->x, rows * sizeof(double));
    cholmod_free_dense(&found, &common);
  }
};

struct Umfpack : Solver {
  void *symbolic = nullptr, *numeric = nullptr;
  ~Umfpack() override {
    umfpack_di_free_symbolic(&symbolic);
    umfpack_di_free_numeric(&numeric);
  }
  void analyse() override {
    check(!umfpack_di_symbolic(rows, rows, matrix.outerIndexPtr(), matrix.innerIndexPtr(), matrix.valuePtr(), &symbolic, nullptr, nullptr),
          "UMFPACK: no analysis");
  }
  void factor() override {
    umfpack_di_free_numeric(&numeric);
    check(!umfpack_di_numeric(matrix.outerIndexPtr(), matrix.innerIndexPtr(), matrix.valuePtr(), symbolic, &numeric, nullptr, nullptr),
          "UMFPACK: singular");
  }
  void solve() override {
    umfpack_di_solve(UMFPACK_A, matrix.outerIndexPtr(), matrix.innerIndexPtr(), matrix.valuePtr(), y, x, numeric, nullptr, nullptr);
  }
};

struct Klu : Solver {
  klu_common common;
  klu_symbolic *symbolic = nullptr;
  klu_numeric *numeric = nullptr;
  Klu() { klu_defaults(&common); }
  ~Klu() override {
    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&symbolic, &common);
  }
  void analyse() override {
    symbolic = klu_analyze(rows, matrix.outerIndexPtr(), matrix.innerIndexPtr(), &common);
    check(symbolic, "KLU: structurally singular");
  }
  void factor() override {
    numeric = klu_factor(matrix.outerIndexPtr(), matrix.innerIndexPtr(), matrix.valuePtr(), symbolic, &common);
    check(numeric && common.status == KLU_OK, "KLU: singular");
  }
  void refactor() override {
    check(klu_refactor(matrix.outerIndexPtr(), matrix.innerIndexPtr(), matrix.valuePtr(), symbolic, numeric, &common), "KLU: singular");
  }
  void solve() override {
    memcpy(y, x, rows * sizeof(double));
    klu_solve(symbolic, numeric, rows, 1, y, &common);
  }
};

template <typename Factors>
struct EigenSolver : Solver {
  Factors factors;
  void analyse() override { factors.analyzePattern(matrix); }
  void factor() override {
    factors.factorize(matrix);
    check(factors.info() == Eigen::Success, "Eigen: no factors");
  }
  void solve() override { Eigen::Map<Vector>(y, rows) = factors.solve(Eigen::Map<const Vector>(x, rows)); }
};

static std::unique_ptr<Solver> make() {
  const std::string name = getenv("SOLVER") ? getenv("SOLVER") : "";
  if (name == "cholmod") return std::make_unique<Cholmod>();
  if (name == "umfpack") return std::make_unique<Umfpack>();
  if (name == "klu") return std::make_unique<Klu>();
  if (name == "eigen-ldlt") return std::make_unique<EigenSolver<Eigen::SimplicialLDLT<Matrix, Eigen::Lower>>>();
  if (name == "eigen-lu") return std::make_unique<EigenSolver<Eigen::SparseLU<Matrix>>>();
  fail("SOLVER: expected cholmod, eigen-ldlt, umfpack, klu or eigen-lu");
  return nullptr;
}

static std::unique_ptr<Solver> kept;
static double setupNs;

static void prepare() {
  Eigen::setNbThreads(threads);
  matrix = Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor, int>>(rows, cols, nnz, (const int *)rowPtr, (const int *)colIdx, values);
  isUpdate = getenv("UPDATE") != nullptr;
  if (!isUpdate) return;
  kept = make();
  kept->analyse();
  kept->factor();
}

static void solve() {
  const double start = nowNs();
  std::unique_ptr<Solver> made;
  if (isUpdate) {
    kept->refactor();
  } else {
    made = make();
    made->analyse();
    made->factor();
  }
  setupNs = nowNs() - start;
  (isUpdate ? kept : made)->solve();
}

static int count() { return 0; }

static double setup() { return setupNs; }

int main(int argc, char **argv) {
  load(argc, argv);
  struct peer direct = {};
  direct.version = "SuiteSparse, Eigen, gcc " __VERSION__;
  direct.prepare = prepare;
  direct.multiply = solve;
  direct.count = count;
  direct.setup = setup;
  serve(&direct);
  return 0;
}
