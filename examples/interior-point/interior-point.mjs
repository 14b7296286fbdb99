/**
 * An interior-point method: flows f ≥ 0 through a network that bring what its nodes offer to those that need it, with the least
 * ½ fᵀ R f + cᵀ f (a resistance and a price for each edge). The equations of each step are symmetric and indefinite,
 *
 *     [ −(R + Z F⁻¹)  Aᵀ ] [ df ]
 *     [      A        0  ] [ dy ]
 *
 * with the incidence matrix A, prices y of the nodes, and slacks z of f ≥ 0. Their pattern stays: the first one is analysed and factored as LDLᵀ, the
 * others by `update`, though their diagonals grow to 10¹⁰. Each step solves twice with one factorization (Mehrotra 1992).
 *
 * usage: node examples/interior-point/interior-point.mjs     (in a program: import from 'sparlane')
 */
import { CsrBuilder, createEngine, factor } from '#dist/index.node.js';

const SIDE = 40;
const GAP = 1e-9;

const print = (line) => void process.stdout.write(`${line}\n`);

let state = 7;
const draw = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};

/** A grid with edges in both directions. Node 0 has no equation: all others together imply its own. */
const edges = [];
for (let y = 0; y < SIDE; y++)
  for (let x = 0; x < SIDE; x++)
    for (const [dx, dy] of [
      [1, 0],
      [0, 1],
    ])
      if (x + dx < SIDE && y + dy < SIDE) {
        const [a, b] = [y * SIDE + x, (y + dy) * SIDE + x + dx];
        edges.push([a, b], [b, a]);
      }
const m = edges.length;
const n = SIDE * SIDE - 1;
const resistance = Float64Array.from(edges, () => 0.1 + draw());
const price = Float64Array.from(edges, () => 1 + draw());
/** What arrives at each node. */
const need = Float64Array.from({ length: n }, () => draw() - 0.5);

/** The rows of a node in A f: + where an edge ends. */
const balance = (f) => {
  const sums = new Float64Array(n);
  edges.forEach(([from, to], e) => {
    if (from > 0) sums[from - 1] -= f[e];
    if (to > 0) sums[to - 1] += f[e];
  });
  return sums;
};
/** Aᵀ y */
const drop = (y) => Float64Array.from(edges, ([from, to]) => (to > 0 ? y[to - 1] : 0) - (from > 0 ? y[from - 1] : 0));

const equations = new CsrBuilder(m + n, m + n);
edges.forEach(([from, to], e) => {
  equations.add(e, e, -1);
  for (const [node, sign] of [
    [from, -1],
    [to, 1],
  ]) {
    if (node === 0) continue;
    equations.add(e, m + node - 1, sign);
    equations.add(m + node - 1, e, sign);
  }
});
const matrix = equations.build();
/** Where the diagonal of each edge is: its first entry, since nodes come later. */
const diagonal = matrix.rowPtr.subarray(0, m);

const engine = await createEngine({ threads: 1 });
const f = new Float64Array(m).fill(1);
const z = new Float64Array(m).fill(1);
const y = new Float64Array(n);
const dot = (a, b) => a.reduce((sum, value, k) => sum + value * b[k], 0);
const norm = (a) => Math.sqrt(dot(a, a));
/** The longest step, at most 1, with which all numbers stay positive. */
const longest = (from, by) => from.reduce((most, value, k) => (by[k] < 0 ? Math.min(most, -value / by[k]) : most), 1);

/** What is left of the conditions for an optimum: R f + c − Aᵀ y − z, and need − A f. */
function residuals() {
  const along = drop(y);
  return {
    dual: f.map((value, e) => resistance[e] * value + price[e] - along[e] - z[e]),
    primal: balance(f).map((sum, i) => need[i] - sum),
  };
}

let factors;
let steps = 0;
let isRight = true;
/** The most pivots of a step that were replaced. */
let replaced = 0;
let largest = 0;
let { dual, primal } = residuals();
for (; dot(f, z) / m > GAP || norm(primal) > GAP || norm(dual) > GAP; steps++) {
  if (steps === 100) throw new Error('expected an optimum within 100 steps');
  const values = matrix.values.slice();
  for (let e = 0; e < m; e++) {
    values[diagonal[e]] = -(resistance[e] + z[e] / f[e]);
    largest = Math.max(largest, -values[diagonal[e]]);
  }
  if (factors === undefined) factors = factor(engine, { ...matrix, values }, { method: 'ldlt' });
  else factors.update(values);
  // As many eigenvalues of each sign as edges and nodes, or a step need not lead to a minimum. Pivots that were replaced have no sign.
  const { positive, negative, zero } = factors.inertia;
  isRight &&= positive <= n && negative <= m;
  replaced = Math.max(replaced, zero);
  const mu = dot(f, z) / m;
  /** The step to f z = `aim`. */
  const stepTo = (aim) => {
    const right = new Float64Array(m + n);
    for (let e = 0; e < m; e++) right[e] = dual[e] + z[e] - aim[e] / f[e];
    right.set(primal, m);
    const found = factors.solve(right);
    const df = found.subarray(0, m);
    return { df, dy: found.subarray(m), dz: df.map((by, e) => (aim[e] - z[e] * by) / f[e] - z[e]) };
  };
  const straight = stepTo(new Float64Array(m));
  const [toF, toZ] = [longest(f, straight.df), longest(z, straight.dz)];
  const after = dot(
    f.map((value, e) => value + toF * straight.df[e]),
    z.map((value, e) => value + toZ * straight.dz[e]),
  );
  const centre = (after / m / mu) ** 3 * mu;
  const { df, dy, dz } = stepTo(straight.df.map((by, e) => centre - by * straight.dz[e]));
  const length = 0.995 * Math.min(longest(f, df), longest(z, dz));
  for (let e = 0; e < m; e++) {
    f[e] += length * df[e];
    z[e] += length * dz[e];
  }
  for (let i = 0; i < n; i++) y[i] += length * dy[i];
  ({ dual, primal } = residuals());
}
const { method, order, entries, pivots } = factors.explain();
const cost = f.reduce((sum, value, e) => sum + (resistance[e] * value ** 2) / 2 + price[e] * value, 0);
print(
  `${m} edges, ${n} nodes, ${method} (${order}), ${entries} entries in the factors, ${pivots.twoByTwo} pivots of two rows`,
);
print(
  `${steps} steps, inertia ${isRight ? 'right' : 'WRONG'} but for ${replaced} replaced pivots at most, diagonal up to ${largest.toExponential(0)}`,
);
print(`cost ${cost.toFixed(6)}, gap ${dot(f, z).toExponential(1)}, balance ${norm(primal).toExponential(1)}`);
factors.dispose();
await engine.dispose();
