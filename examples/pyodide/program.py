"""A plate on a grid of 5 points, with a matrix of four attributes as SciPy's CSR has them: products, temperatures, vibrations."""

from array import array
from math import cos, pi
from time import perf_counter

import sparlane

SIDE = 60


class Grid:
    """The Laplacian of a square grid with edges at 0, as compressed rows."""

    def __init__(self, side):
        self.shape = (side * side, side * side)
        self.indptr, self.indices, self.data = array("i", [0]), array("i"), array("d")
        for row in range(side * side):
            i, j = divmod(row, side)
            for column, value, inside in (
                (row - side, -1, i > 0),
                (row - 1, -1, j > 0),
                (row, 4, True),
                (row + 1, -1, j < side - 1),
                (row + side, -1, i < side - 1),
            ):
                if inside:
                    self.indices.append(column)
                    self.data.append(value)
            self.indptr.append(len(self.indices))

    def product(self, x):
        """A x by a loop in Python."""
        y = array("d", bytes(8 * len(x)))
        for row in range(len(x)):
            for k in range(self.indptr[row], self.indptr[row + 1]):
                y[row] += self.data[k] * x[self.indices[k]]
        return y


def seconds(work, count):
    """The time of a call. Clocks of pages are too coarse for a single one."""
    start = perf_counter()
    for _ in range(count):
        work()
    return (perf_counter() - start) / count


A = Grid(SIDE)
operator = sparlane.Operator(A)
x = array("d", range(operator.shape[1]))
is_same = (operator @ x).tolist() == A.product(x).tolist()
print(f"{operator.shape[0]} unknowns, {len(A.data)} entries; the product is that of Python: {is_same}")
ratio = seconds(lambda: A.product(x), 5) / seconds(lambda: operator @ x, 500)
print(f"a product takes 1/{ratio:.0f} of the time of a loop in Python")

b = array("d", [1.0]) * operator.shape[0]
found = sparlane.solve(operator, b, rtol=1e-10)
factors = sparlane.factor(operator)
difference = max(abs(p - q) for p, q in zip(found.x, factors.solve(b)))
print(f"solve: {found.converged}, {found.reason}; x differs from that by factors by {difference:.1e} of {max(found.x):.1f}")

pairs = sparlane.eigs(operator, 3)
exact = sorted(4 - 2 * cos(pi * i / (SIDE + 1)) - 2 * cos(pi * j / (SIDE + 1)) for i in (1, 2) for j in (1, 2))[:3]
print(f"eigs: {pairs.reason}; values are wrong by {max(abs(p / q - 1) for p, q in zip(pairs.values, exact)):.1e}")

try:
    operator @ [1, 2]
except ValueError as error:
    print(f"{type(error).__name__}: {error}")
