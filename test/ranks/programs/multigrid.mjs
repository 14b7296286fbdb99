/**
 * Multigrid over ranks. `data`: cases, each of them `{ name, given, spec }`, and perhaps `bounds` of the rows of the ranks or an `order`, a
 * `dtype`, `modes` (rigid body modes of a cube), `isSingular` (zero row sums) or `method`. Returns what `solveCase` does for each.
 */
import {
  addMatrices,
  cg,
  csrMatrix,
  gallery,
  gmres,
  partition,
  permuteVector,
  rigidBodyModes,
  rowsOfRank,
} from 'sparlane';

export function main(comm, cases) {
  const inUse = comm.engine.heap.bytesInUse;
  const solved = cases.map((one) => solveCase(comm, one));
  return { solved, leaked: comm.engine.heap.bytesInUse - inUse };
}

function solveCase(comm, { name, given, spec, bounds, order = 'natural', dtype = 'f64', modes, isSingular, method }) {
  const matrix = isSingular ? withoutSums(gallery(name, given)) : gallery(name, given);
  const dealt = bounds ? dealtBy(bounds) : partition(matrix, comm.size, { order, block: modes ? 3 : 1 });
  const [first, end] = [dealt.bounds[comm.rank], dealt.bounds[comm.rank + 1]];
  const mine = (all) => (dealt.order ? permuteVector(all, dealt.order) : all).slice(first, end);
  const numbers = (f) => mine(Float64Array.from({ length: matrix.rows }, (_, i) => f(i)));
  const vectorType = dtype === 'f32' ? 'f32' : 'f64';
  const rows = rowsOfRank(matrix, dealt, comm.rank);
  const A = comm.operator(rows, { format: 'csr', ghostFormat: 'csr', dtype });
  const nearNullSpace = modes && rigidBodyModes(cube(given), 3).map(mine);
  const M = comm.precondition(A, spec, { dtype, ...(modes && { nearNullSpace }) });
  const vector = (numbers) => comm.vector(numbers, { dtype: vectorType });
  const [u, v] = [numbers((i) => ((i * 13) % 7) - 3), numbers((i) => ((i * 7) % 11) - 5)].map(vector);
  const [Mu, Mv, product] = [u.like(), v.like(), comm.scalar()];
  M.apply(u, Mu);
  M.apply(v, Mv);
  const dots = [
    [Mu, v],
    [u, Mv],
    [u, Mu],
  ].map(([one, other]) => one.dot(other, product).value);
  const { values } = csrMatrix(plain(rows));
  const isSpanning = spec.startsWith('amg');
  if (isSpanning) M.update(values.map((value) => 4 * value));
  M.apply(u, Mv);
  const updated = comm.allgather(Mv.toArray());
  if (isSpanning) M.update(values);
  const b = vector(numbers(isSingular ? (i) => (i % 2 ? 1 : -1) : (i) => 1 + ((i * 7919) % 100) / 100));
  const solve = method === 'gmres' ? gmres : cg;
  const rtol = dtype === 'f32' ? 1e-4 : 1e-8;
  const { x, iterations, converged } = solve(A, b, { preconditioner: M, rtol });
  const { levels, spec: made } = M.explain();
  const result = { z: comm.allgather(Mu.toArray()), updated, dots, iterations, converged, levels, made };
  for (const used of [x, b, u, v, Mu, Mv, product, M, A]) used.dispose();
  return result;
}

function plain({ rows, cols, rowPtr, colIdx, values }) {
  return { rows, cols, rowPtr, colIdx, values };
}

function dealtBy(bounds) {
  return { ranks: bounds.length - 1, bounds: Uint32Array.from(bounds), name: 'natural', halo: [], imbalance: 1 };
}

/** The nodes of `elasticity3d`, of which those with x = 0 are held. */
function cube({ nx, ny, nz }) {
  const points = [];
  for (let z = 0; z <= nz; z++) for (let y = 0; y <= ny; y++) for (let x = 1; x <= nx; x++) points.push(x, y, z);
  return points;
}

/** The matrix with another diagonal, so that it maps constants to 0. */
function withoutSums(matrix) {
  const sums = new Float64Array(matrix.rows);
  for (let i = 0; i < matrix.rows; i++)
    for (let k = matrix.rowPtr[i]; k < matrix.rowPtr[i + 1]; k++) sums[i] += matrix.values[k];
  const index = Uint32Array.from(sums.keys());
  const size = { rows: matrix.rows, cols: matrix.rows };
  return addMatrices(matrix, csrMatrix({ ...size, rowIdx: index, colIdx: index, values: sums }), 1, -1);
}
