/*
 * AMGCL: a "product" is a whole solve of A y = x from y = 0: the levels and the iterations. SOLVER of the environment is sa+spai0+cg, sa+ilu0+cg,
 * rs+spai0+cg or sa+ilu0+bicgstab: the coarsening (smoothed aggregation, Ruge & Stüben), the smoother, the method; RTOL the tolerance, MAX_ITERATIONS the limit. BLOCK
 * and NEAR_NULL_SPACE are for sa, and those of peer.h. The protocol is that of peer.h.
 *
 * AMGCL has only headers: git clone https://github.com/ddemidov/amgcl, and name that folder in the environment variable AMGCL.
 */
#include <amgcl/amg.hpp>
#include <amgcl/adapter/crs_tuple.hpp>
#include <amgcl/backend/builtin.hpp>
#include <amgcl/coarsening/ruge_stuben.hpp>
#include <amgcl/coarsening/smoothed_aggregation.hpp>
#include <amgcl/make_solver.hpp>
#include <amgcl/relaxation/ilu0.hpp>
#include <amgcl/relaxation/spai0.hpp>
#include <amgcl/solver/bicgstab.hpp>
#include <amgcl/solver/cg.hpp>
#include <functional>
#include <string>
#include <tuple>
#include <vector>
#include "peer.h"

using Backend = amgcl::backend::builtin<double>;
using Cg = amgcl::solver::cg<Backend>;
using Bicgstab = amgcl::solver::bicgstab<Backend>;

static std::vector<ptrdiff_t> starts, columns;
static std::vector<double> numbers, b, near;
static uint32_t nearCount;
static int iterations;
static double setupNs;
static std::function<void()> solver;

static std::string setting(const char *name) {
  const char *value = getenv(name);
  if (!value) fail(name);
  return value;
}

template <template <class> class Coarsening, template <class> class Smoother, class Method>
static void solveWith() {
  using Solver = amgcl::make_solver<amgcl::amg<Backend, Coarsening, Smoother>, Method>;
  typename Solver::params wish;
  wish.solver.tol = std::stod(setting("RTOL"));
  wish.solver.maxiter = std::stoi(setting("MAX_ITERATIONS"));
  if constexpr (std::is_same_v<Coarsening<Backend>, amgcl::coarsening::smoothed_aggregation<Backend>>) {
    wish.precond.coarsening.aggr.block_size = unknownsOfNode();
    wish.precond.coarsening.nullspace.cols = (int)nearCount;
    wish.precond.coarsening.nullspace.B = near;
  }
  const double start = nowNs();
  const size_t n = rows;
  Solver solve(std::tie(n, starts, columns, numbers), wish);
  setupNs = nowNs() - start;
  std::vector<double> found(rows, 0.0);
  iterations = (int)std::get<0>(solve(b, found));
  std::copy(found.begin(), found.end(), y);
}

static void prepare() {
  using amgcl::coarsening::ruge_stuben;
  using amgcl::coarsening::smoothed_aggregation;
  using amgcl::relaxation::ilu0;
  using amgcl::relaxation::spai0;
  starts.assign(rowPtr, rowPtr + rows + 1);
  columns.assign(colIdx, colIdx + nnz);
  numbers.assign(values, values + nnz);
  b.assign(x, x + rows);
  const real *given = nearNullSpace(&nearCount);
  near.resize((size_t)nearCount * rows);
  // AMGCL has the numbers of a row next to each other.
  for (uint32_t v = 0; v < nearCount; v++)
    for (uint32_t i = 0; i < rows; i++) near[(size_t)i * nearCount + v] = given[(size_t)v * rows + i];
  const std::string name = setting("SOLVER");
  if (name == "sa+spai0+cg") solver = solveWith<smoothed_aggregation, spai0, Cg>;
  else if (name == "sa+ilu0+cg") solver = solveWith<smoothed_aggregation, ilu0, Cg>;
  else if (name == "rs+spai0+cg") solver = solveWith<ruge_stuben, spai0, Cg>;
  else if (name == "sa+ilu0+bicgstab") solver = solveWith<smoothed_aggregation, ilu0, Bicgstab>;
  else fail("SOLVER: expected sa+spai0+cg, sa+ilu0+cg, rs+spai0+cg or sa+ilu0+bicgstab");
}

static void solve() { solver(); }

static int count() { return iterations; }

static double setup() { return setupNs; }

int main(int argc, char **argv) {
  load(argc, argv);
  struct peer amgcl = {};
  amgcl.version = "AMGCL, gcc " __VERSION__;
  amgcl.prepare = prepare;
  amgcl.multiply = solve;
  amgcl.count = count;
  amgcl.setup = setup;
  serve(&amgcl);
  return 0;
}
