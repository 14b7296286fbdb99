"""SciPy: a "product" is a whole search for K eigenpairs of A x = λ B x, or for K singular triplets, from the arrays of the matrix. METHOD of the environment is
eigsh, eigsh-inverse, eigsh-symmetric, lobpcg, lobpcg-jacobi, lobpcg-ilu, or svds-arpack, svds-lobpcg, svds-propack; WHICH smallest or largest; MASS the file of
B, if there is one; SIGMA the shift of the inverse; RTOL the relative tolerance, ATOL the norm of a residual that lobpcg stops by. eigsh-inverse is SciPy's own use of
SuperLU; eigsh-symmetric asks it for an order of a symmetric pattern and pivots on the diagonal. Results are K values (NaN for those that are missing), then the vectors, one after
the other; of triplets those of the left and of the right. With CLOCK=cpu times are those
of the processor. The protocol is that of peer.h."""

import inspect
import json
import os
import sys
import time
import warnings

import numpy
import scipy
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import LinearOperator, eigsh, lobpcg, spilu, splu, svds

from scipy_peer import load

# Blocks of lobpcg have some vectors more than are wanted.
GUARD = 5
# Iterations of lobpcg and of svds, so that time is what limits them.
MOST = 100_000
# Vectors of PROPACK for a wanted one; SciPy's default is 10.
KRYLOV = 30
# The name of the generator's argument since SciPy 1.15.
RANDOM = "rng" if "rng" in inspect.signature(svds).parameters else "random_state"


class Search:
    def __init__(self, matrix_path, start_path, dtype):
        environment = os.environ
        self.given = load(matrix_path, dtype)
        self.mass = load(environment["MASS"], dtype) if "MASS" in environment else None
        self.start = numpy.fromfile(start_path, numpy.float64).astype(dtype, copy=False)
        self.k = int(environment["K"])
        self.method = environment["METHOD"]
        self.is_largest = environment["WHICH"] == "largest"
        self.sigma = float(environment["SIGMA"])
        self.rtol = float(environment["RTOL"])
        self.atol = float(environment["ATOL"])
        self.count = 0
        self.found = None

    def run(self):
        self.count = 0
        arrays, shape = self.given
        A = csr_matrix(arrays, shape=shape)
        B = None if self.mass is None else csr_matrix(self.mass[0], shape=self.mass[1])
        name, _, way = self.method.partition("-")
        self.found = {"eigsh": self.eigsh, "lobpcg": self.lobpcg, "svds": self.svds}[name](A, B, way)

    def counted(self, shape, apply, transposed=None):
        def counting(function):
            def counted(x):
                self.count += 1 if x.ndim == 1 else x.shape[1]
                return function(x)

            return counted

        more = {} if transposed is None else {"rmatvec": counting(transposed), "rmatmat": counting(transposed)}
        return LinearOperator(shape, counting(apply), matmat=counting(apply), dtype=numpy.float64, **more)

    def eigsh(self, A, B, way):
        options = {"k": self.k, "M": B, "tol": self.rtol, "v0": self.start, "maxiter": MOST}
        if way == "":
            which = "LA" if self.is_largest else "SA"
            return eigsh(self.counted(A.shape, A.__matmul__), which=which, **options)
        shifted = A - self.sigma * (scipy.sparse.identity(A.shape[0], format="csr") if B is None else B)
        symmetric = {"permc_spec": "MMD_AT_PLUS_A", "diag_pivot_thresh": 0.0, "options": {"SymmetricMode": True}}
        factors = splu(shifted.tocsc(), **(symmetric if way == "symmetric" else {}))
        return eigsh(A, sigma=self.sigma, OPinv=self.counted(A.shape, factors.solve), which="LM", **options)

    def lobpcg(self, A, B, way):
        X = numpy.random.default_rng(1).standard_normal((A.shape[0], self.k + GUARD))
        M = None
        if way == "jacobi":
            M = scipy.sparse.diags(1 / A.diagonal(), format="csr")
        elif way == "ilu":
            # Factors of the shifted matrix: a singular one has none.
            shifted = A - self.sigma * (scipy.sparse.identity(A.shape[0], format="csr") if B is None else B)
            factors = spilu(shifted.tocsc(), drop_tol=1e-4, fill_factor=5)
            M = LinearOperator(A.shape, factors.solve, matmat=factors.solve)
        values, vectors = lobpcg(
            self.counted(A.shape, A.__matmul__), X, B=B, M=M, tol=self.atol, maxiter=MOST, largest=self.is_largest
        )
        order = numpy.argsort(-values if self.is_largest else values)[: self.k]
        return values[order], vectors[:, order]

    def svds(self, A, _, way):
        transposed = A.T.tocsr()
        operator = self.counted(A.shape, A.__matmul__, transposed.__matmul__)
        # PROPACK does not restart: that many vectors are kept.
        most = KRYLOV * self.k if way == "propack" else MOST
        U, values, V = svds(operator, k=self.k, tol=self.rtol, solver=way, maxiter=most, **{RANDOM: 1})
        return values, U, V.T

    def numbers(self):
        values, *vectors = self.found
        missing = self.k - len(values)
        parts = [values, numpy.full(missing, numpy.nan)]
        for block in vectors:
            parts += [block.T.ravel(), numpy.zeros(missing * block.shape[0])]
        return numpy.concatenate(parts)


def main(matrix_path, start_path, dtype):
    # lobpcg says what it does not reach; the residuals are computed by the caller.
    warnings.simplefilter("ignore")
    clock = time.process_time_ns if os.environ.get("CLOCK") == "cpu" else time.perf_counter_ns
    search = Search(matrix_path, start_path, dtype)
    print(json.dumps({"setupMs": 0, "version": f"SciPy {scipy.__version__}"}), flush=True)
    for line in sys.stdin:
        command, _, argument = line.rstrip("\n").partition(" ")
        if command == "result":
            search.numbers().tofile(argument)
            print("done", flush=True)
        elif command == "count":
            print(search.count, flush=True)
        else:
            start = clock()
            search.run()
            print(clock() - start, flush=True)


main(*sys.argv[1:4])
