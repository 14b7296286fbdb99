"""SciPy: A @ x, A a csr_matrix, which allocates y with every product and knows no threads. The protocol is that of peer.h.

With PEER_COLUMNS in the environment, x is a block of vectors, row-major: column j is x + j; column 0 of the product is the result.
"""

import json
import os
import sys
import time

import numpy
import scipy
from scipy.sparse import csr_matrix

EVICTING_BYTES = 256 << 20


def load(path, dtype):
    with open(path, "rb") as file:
        rows, cols, nnz = (int(size) for size in numpy.fromfile(file, numpy.uint32, 3))
        indptr = numpy.fromfile(file, numpy.uint32, rows + 1).astype(numpy.int32)
        indices = numpy.fromfile(file, numpy.uint32, nnz).astype(numpy.int32)
        values = numpy.fromfile(file, numpy.float64, nnz).astype(dtype, copy=False)
    return (values, indices, indptr), (rows, cols)


# As PEER_VERB in peer.h; products with the transpose are of square matrices.
VERBS = {
    "product": lambda matrix, x: matrix @ x,
    "transposed": lambda matrix, x: matrix.T @ x,
    "transpose": lambda matrix, x: matrix.T.tocsr(),
}


def timed(multiply, matrix, x, products, evict):
    times = []
    for _ in range(products):
        evict()
        start = time.perf_counter_ns()
        multiply(matrix, x)
        times.append(time.perf_counter_ns() - start)
    return times


def main(matrix_path, x_path, dtype):
    arrays, shape = load(matrix_path, dtype)
    x = numpy.fromfile(x_path, numpy.float64).astype(dtype, copy=False)
    if "PEER_COLUMNS" in os.environ:
        x = x[:, None] + numpy.arange(int(os.environ["PEER_COLUMNS"]), dtype=dtype)
    start = time.perf_counter_ns()
    matrix = csr_matrix(arrays, shape=shape)
    ready = {"setupMs": (time.perf_counter_ns() - start) / 1e6, "version": f"SciPy {scipy.__version__}"}
    print(json.dumps(ready), flush=True)
    words = None
    multiply = VERBS[os.environ.get("PEER_VERB", "product")]
    for line in sys.stdin:
        command, argument = line.rstrip("\n").split(" ", 1)
        if command == "product":
            product = multiply(matrix, x)
            (product if product.ndim == 1 else product[:, 0]).tofile(argument)
            print("done", flush=True)
            continue
        if command == "cold" and words is None:
            words = numpy.arange(EVICTING_BYTES // 8)
        evict = words.sum if command == "cold" else lambda: None
        print(*timed(multiply, matrix, x, int(argument), evict), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:4])
