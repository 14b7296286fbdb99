"""SciPy: a "product" is a whole solve of A y = x from y = 0, from the arrays of the matrix: its csr_matrix, the preconditioner and the
iterations, or the factors. SOLVER of the environment is cg-jacobi, bicgstab-spilu or spsolve (SuperLU); RTOL the tolerance, MAX_ITERATIONS the limit. The protocol is that
of peer.h."""

import inspect
import json
import os
import sys
import time

import numpy
import scipy
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import LinearOperator, bicgstab, cg, spilu, spsolve

from scipy_peer import load


def cg_jacobi(matrix, b, options):
    d = 1 / matrix.diagonal()
    return cg(matrix, b, M=LinearOperator(matrix.shape, lambda r: d * r), **options)


def bicgstab_spilu(matrix, b, options):
    factors = spilu(matrix.tocsc())
    return bicgstab(matrix, b, M=LinearOperator(matrix.shape, factors.solve), **options)


def superlu(matrix, b, options):
    return spsolve(matrix, b, use_umfpack=False), 0


SOLVERS = {"cg-jacobi": cg_jacobi, "bicgstab-spilu": bicgstab_spilu, "spsolve": superlu}
# The name of the relative tolerance until SciPy 1.12.
TOLERANCE = "rtol" if "rtol" in inspect.signature(cg).parameters else "tol"


class Solver:
    def __init__(self, arrays, shape, b):
        self.arrays, self.shape, self.b = arrays, shape, b
        self.run = SOLVERS[os.environ["SOLVER"]]
        self.iterations = 0

    def solve(self):
        self.iterations = 0
        options = {
            TOLERANCE: float(os.environ["RTOL"]),
            "atol": 0.0,
            "maxiter": int(os.environ["MAX_ITERATIONS"]),
            "callback": self.count,
        }
        x, _ = self.run(csr_matrix(self.arrays, shape=self.shape), self.b, options)
        return x

    def count(self, _):
        self.iterations += 1


def main(matrix_path, b_path, dtype):
    arrays, shape = load(matrix_path, dtype)
    solver = Solver(arrays, shape, numpy.fromfile(b_path, numpy.float64).astype(dtype, copy=False))
    print(json.dumps({"setupMs": 0, "version": f"SciPy {scipy.__version__}"}), flush=True)
    for line in sys.stdin:
        command, _, argument = line.rstrip("\n").partition(" ")
        if command == "product":
            solver.solve().tofile(argument)
            print("done", flush=True)
        elif command == "count":
            print(solver.iterations, flush=True)
        else:
            start = time.perf_counter_ns()
            solver.solve()
            print(time.perf_counter_ns() - start, flush=True)


main(*sys.argv[1:4])
