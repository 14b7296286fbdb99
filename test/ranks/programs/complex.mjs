/** Complex systems on ranks. `data`: the whole matrix, and what `task` needs. Vectors of all ranks are returned in the order of the matrix. */
import {
  bicgstab,
  cg,
  cocg,
  complexMatrix,
  fgmres,
  gmres,
  inversePermutation,
  lsmr,
  minres,
  partition,
  readComplexRows,
  rowsOfRank,
  solveRows,
} from 'sparlane';

const METHODS = { bicgstab, cg, cocg, fgmres, gmres, lsmr, minres };

/** The numbers of the pairs at some places. */
function pairsAt(pairs, places) {
  return Float64Array.from({ length: 2 * places.length }, (_, k) => pairs[2 * places[k >> 1] + (k & 1)]);
}

export async function main(comm, { task, matrix: arrays, order = 'natural', ...data }) {
  const matrix = complexMatrix(arrays);
  const dealt = partition(matrix, comm.size, { order });
  const [begin, end] = [dealt.bounds[comm.rank], dealt.bounds[comm.rank + 1]];
  /** This rank's pairs of a vector of all ranks. */
  const part = (pairs) => (dealt.order === undefined ? pairs : pairsAt(pairs, dealt.order)).slice(2 * begin, 2 * end);
  const whole = (numbers) => {
    const all = comm.allgather(numbers);
    return dealt.order === undefined ? all : pairsAt(all, inversePermutation(dealt.order));
  };
  const rows = rowsOfRank(matrix, dealt, comm.rank);
  const inUse = comm.engine.heap.bytesInUse;
  switch (task) {
    case 'products': {
      const A = comm.complexOperator(rows, data.stored);
      const [x, y] = [comm.vector(part(data.x)), comm.vector(part(data.y))];
      A.apply(x, y, 2, -0.5);
      const product = whole(y.data);
      A.transposed().apply(x, y);
      const adjoint = whole(y.data);
      A.complexMaps.imaginary.apply(x, y);
      return { product, adjoint, turned: whole(y.data), report: A.explain(), name: String(A) };
    }
    case 'solve': {
      const A = comm.complexOperator(rows, data.stored);
      const { preconditioner: spec, overlap = 0, method, options } = data;
      const M = spec === undefined ? undefined : comm.precondition(A, spec, { overlap });
      const given = { ...options, ...(M && { preconditioner: M }) };
      const dtype = data.stored?.dtype === 'c64' ? 'f32' : 'f64';
      const solution = METHODS[method](A, comm.vector(part(data.b), { dtype }), given);
      const x = solution.x;
      const { converged, iterations, relativeResidual } = solution;
      const found = { x: whole(x.data), converged, iterations, relativeResidual, parts: A.own.plan.parts };
      for (const made of [x, M, A]) made?.dispose();
      return found;
    }
    case 'solveRows': {
      const given = data.path === undefined ? rows : await readComplexRows(comm, data.path);
      const b =
        data.path === undefined ? part(data.b) : data.b.slice(2 * given.firstRow, 2 * (given.firstRow + given.rows));
      const { x, ...solution } = solveRows(comm, given, b, data.options);
      const all = data.path === undefined ? whole(x.data) : comm.allgather(x.data);
      x.dispose();
      const { converged, method, preconditioner, iterations } = solution;
      return { x: all, converged, method, preconditioner, iterations, left: comm.engine.heap.bytesInUse - inUse };
    }
    case 'uneven': {
      // Rank 0 has all rows.
      const mine = comm.rank === 0 ? rowsOfRank(matrix, partition(matrix, 1), 0) : none(matrix);
      const A = comm.complexOperator(mine);
      const b = comm.rank === 0 ? data.b : [];
      const { x, converged } = cocg(A, comm.vector(b));
      return { x: comm.allgather(x.data), converged };
    }
    case 'rectangle': {
      const A = comm.complexOperator(rows);
      // Elements of x are dealt evenly.
      const [first, last] = [0, 1].map((k) => Math.floor((matrix.cols * (comm.rank + k)) / comm.size));
      const [x, y] = [comm.vector(data.x.slice(2 * first, 2 * last)), comm.vector(part(data.y))];
      const [to, back] = [comm.vector(A.rows), comm.vector(A.cols)];
      A.apply(x, to);
      A.transposed().apply(y, back);
      return { product: whole(to.data), adjoint: comm.allgather(back.data) };
    }
    case 'errors':
      return ERRORS.map((attempt) => {
        try {
          attempt(comm, rows);
        } catch (error) {
          return [error.code, error.message];
        }
        return 'nothing was thrown';
      });
  }
  throw new Error(`unknown task ${task}`);
}

function none({ rows, cols }) {
  return {
    firstRow: rows,
    rows: 0,
    cols,
    rowPtr: [0],
    colIdx: [],
    values: [],
    field: 'complex',
    symmetry: 'symmetric',
  };
}

const ERRORS = [
  (comm, rows) => comm.complexOperator({ ...rows, values: [1] }),
  (comm, rows) => comm.complexOperator(rows, { dtype: comm.rank === 0 ? 'c128' : 'c64' }),
  (comm, rows) => comm.complexOperator(rows, { format: 'csr5' }),
  (comm, rows) => comm.complexOperator(comm.rank === 1 ? { ...rows, cols: rows.cols + 1 } : rows),
  (comm, rows) => comm.complexOperator({ ...rows, cols: rows.cols + 1 }),
  (comm, rows) => comm.operator(rows),
];
