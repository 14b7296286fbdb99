/** This program computes functions of matrices on its ranks, and returns the rows of all ranks of each result, and how it was computed. */
import { expMultiply, exponential, gallery, matrixFunction, rowsOfRank, trace } from 'sparlane';

export function main(comm) {
  const { engine } = comm;
  const distributed = (matrix) => {
    // Ranks have unequal parts.
    const cut = (rank) => Math.round((Math.sqrt(rank / comm.size) || 0) * matrix.rows);
    const bounds = Uint32Array.from({ length: comm.size + 1 }, (_, rank) => cut(rank));
    const begin = bounds[comm.rank];
    const own = (numbers) => numbers.slice(begin, bounds[comm.rank + 1]);
    return { A: comm.operator(rowsOfRank(matrix, { bounds }, comm.rank)), own };
  };
  const grid = distributed(gallery('laplace2d5', { nx: 12, ny: 11 }));
  const flow = distributed(gallery('convection2d', { nx: 12, ny: 11 }));
  const x = Float64Array.from({ length: 132 }, (_, i) => Math.sin(i));
  const product = ({ A, own }, t, options) => {
    const { y, method, degree, stages, products } = expMultiply(engine, A, own(x), t, options);
    const all = comm.allgather(y.toArray());
    y.dispose();
    return { y: all, method, degree, stages, products };
  };
  const results = {
    taylor: product(grid, -1, { method: 'taylor' }),
    chebyshev: product(grid, -20, {}),
    flow: product(flow, -500, {}),
  };
  const later = exponential(engine, grid.A, -1);
  const root = matrixFunction(engine, grid.A, Math.sqrt, { interval: [0.1, 7.9] });
  const square = matrixFunction(engine, grid.A, (value) => value * value);
  const apply = (operator) => {
    const y = new Float64Array(operator.rows);
    operator.apply(grid.own(x), y);
    return comm.allgather(y);
  };
  const later2 = apply(later);
  const traces = [trace(later, { products: 200 }), trace(square, { products: 200 })];
  const errors = [
    () => expMultiply(engine, flow.A, flow.own(x), 1, { method: 'chebyshev' }),
    () => matrixFunction(engine, flow.A, Math.exp),
    () => exponential(engine, grid.A, comm.rank === 0 ? 1 : 2),
  ].map((call) => {
    try {
      call();
      return 'none';
    } catch (error) {
      return error.message;
    }
  });
  const { interval, degree } = square;
  return { ...results, later: later2, root: apply(root), interval, degree, traces, errors };
}
