"""Sparse matrices by sparlane, in Pyodide (`bridge.mjs` installs this module).

A matrix is anything with `indptr`, `indices`, `data` and `shape`: SciPy's CSR and CSC (`format` is 'csr', the default,
or 'csc'; SciPy converts its other formats), or a class of your own. Arrays are anything with the buffer protocol (numpy,
array.array, memoryview), or sequences of numbers. Results are arrays of numpy if it is imported, and memoryviews of f64
otherwise. Invalid input raises SparlaneError, a ValueError with a `code`.

A matrix is copied once, from Python's memory into that of sparlane. Vectors are copied at each call, and results are
written into Python's memory: the two are different WebAssembly memories.
"""

import sys
from array import array
from math import prod
from typing import NamedTuple

import _sparlane
from pyodide.ffi import JsException, to_js

__all__ = ["Eigenpairs", "Factors", "Operator", "Solution", "SparlaneError", "eigs", "factor", "solve"]


class SparlaneError(ValueError):
    """Has the text and the `code` of the error of sparlane; None of another error of JavaScript."""

    def __init__(self, error):
        super().__init__(error.message)
        self.code = getattr(error, "code", None)


class Solution(NamedTuple):
    """x of A x = b. `relative_residual` is ‖b − A x‖ / ‖b‖; `reason` says why the solve ended."""

    x: object
    converged: bool
    reason: str
    iterations: int
    relative_residual: float


class Eigenpairs(NamedTuple):
    """Column j of `vectors` belongs to element j of `values`. `converged` is how many of them meet the tolerance."""

    values: object
    vectors: object
    converged: int
    reason: str


class Operator:
    """A matrix in the memory of sparlane: a copy, which later changes of A do not reach. It is freed with the object, or by `dispose`."""

    def __init__(self, A):
        self._matrix = self._product = None
        layout = getattr(A, "format", "csr")
        if layout not in ("csr", "csc") and hasattr(A, "tocsr"):
            A, layout = A.tocsr(), "csr"
        rows, cols = (int(size) for size in A.shape)
        self.shape = (rows, cols)
        arrays = _buffer(A.indptr, "q"), _buffer(A.indices, "q"), _buffer(A.data, "d")
        self._matrix = _call(_sparlane.matrix, layout, rows, cols, *arrays)

    def __matmul__(self, x):
        """A x, of a vector or of a block with a column for each vector."""
        x = _buffer(x, "d")
        y = _zeros((self.shape[0], *x.shape[1:]))
        if self._product is None:
            self._product = _call(_sparlane.operator, self._matrix)
        _call(_sparlane.apply, self._product, x, y)
        return y

    def dispose(self):
        for held in (self._product, self._matrix):
            if held is not None:
                held.dispose()
        self._matrix = self._product = None

    __del__ = dispose


class Factors:
    """Made by `factor`."""

    def __init__(self, A, options):
        self._factors = None
        self._operator = _operator(A)
        self._factors = _call(_sparlane.factor, self._operator._matrix, _options(options))

    def solve(self, b):
        """x of A x = b, of a vector or of a block with a column for each b."""
        b = _buffer(b, "d")
        x = _zeros((self._operator.shape[1], *b.shape[1:]))
        _call(_sparlane.solveFactored, self._factors, b, x)
        return x

    def dispose(self):
        if self._factors is not None:
            self._factors.dispose()
        self._factors = None

    __del__ = dispose


def factor(A, **options):
    """Factors A, for any number of right-hand sides. The options are those of sparlane's `factor`: method, order, dtype."""
    return Factors(A, options)


def solve(A, b, **options):
    """Solves A x = b for any matrix, by a method that is chosen; in the sense of least squares if A is not square. The options are those of
    sparlane's `solve`: rtol, method, …
    """
    A = _operator(A)
    x = _zeros((A.shape[1],))
    report = _call(_sparlane.solve, A._matrix, _buffer(b, "d"), x, _options(options))
    return Solution(x, report.converged, report.reason, report.iterations, report.relativeResidual)


def eigs(A, k, B=None, **options):
    """k eigenvalues and eigenvectors of a symmetric A, or of A x = λ B x. The options are those of sparlane's `eigs`: which ('smallest',
    'largest', 'nearest'), shift, tolerance, …
    """
    A, B = _operator(A), None if B is None else _operator(B)
    found = _call(_sparlane.eigs, A._matrix, B and B._matrix, k, _options(options))
    values, vectors = _zeros((found.count,)), _zeros((A.shape[0], found.count))
    _call(found.copyTo, values, vectors)
    return Eigenpairs(values, vectors, found.converged, found.reason)


def _operator(A):
    return A if isinstance(A, Operator) else Operator(A)


def _buffer(numbers, typecode):
    try:
        return memoryview(numbers)
    except TypeError:
        return memoryview(array(typecode, numbers))


def _zeros(shape):
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        return numpy.zeros(shape)
    numbers = memoryview(array("d", bytes(8 * prod(shape))))
    return numbers if len(shape) == 1 else numbers.cast("B").cast("d", shape)


def _options(options):
    return to_js(options, dict_converter=_sparlane.object)


def _call(function, *arguments):
    try:
        return function(*arguments)
    except JsException as error:
        raise SparlaneError(error) from None
