/**
 * Time steps of the heat equation uₜ = κ(t) Δu on the unit square, u = 0 on the boundary, by Crank–Nicolson: (I + s K) u₊ = (I − s K) u with s = κ Δt / 2.
 * Both κ and Δt change, so each step has a matrix of the same pattern with other numbers: multigrid is made once and updated, and cg starts
 * from a line through the last two steps.
 *
 * The solution is a sum of decaying eigenmodes of the 5-point Laplacian K, so the error is that of the time steps alone: half as long steps must
 * have a fourth of it.
 *
 * usage: node examples/heat-equation/heat-equation.mjs [SIDE] [STEPS]     (in a program: import from 'sparlane')
 *   SIDE    inner nodes along a side; default 400, which are 160,000 unknowns
 *   STEPS   default 16; all is done again with twice as many
 */
import { createEngine, gallery, precondition, solve } from '#dist/index.node.js';

const side = Number(process.argv[2] ?? 400);
const steps = Number(process.argv[3] ?? 16);

const END = 0.02;
/** Waves along x and along y, and the amplitude. */
const MODES = [
  [1, 1, 1],
  [2, 3, 0.5],
  [5, 4, 0.3],
];

const print = (line) => void process.stdout.write(`${line}\n`);

/** The material conducts worse while it is cold: κ from 0.1 to 1.9. */
const conductivity = (t) => 1 - 0.9 * Math.cos((Math.PI * t) / END);
/** ∫ κ from 0 to t. */
const conducted = (t) => t - 0.9 * (END / Math.PI) * Math.sin((Math.PI * t) / END);
/** The times of the steps: short ones at first, while the fast modes decay. */
const timeOf = (k, count) => END * (k / count) ** 1.5;

const K = gallery('laplace2d5', { nx: side, ny: side });
const h = 1 / (side + 1);
const isDiagonal = new Uint8Array(K.nnz);
for (let i = 0; i < K.rows; i++)
  for (let k = K.rowPtr[i]; k < K.rowPtr[i + 1]; k++) isDiagonal[k] = K.colIdx[k] === i ? 1 : 0;

/** The numbers of I + s K, with K in units of 1 / h². */
const valuesOf = (s) => K.values.map((value, k) => isDiagonal[k] + (s / h ** 2) * value);

/** The eigenvalue of a mode: that of the grid, not of the continuum. */
const eigenvalue = (p, q) =>
  (4 / h ** 2) * (Math.sin((p * Math.PI * h) / 2) ** 2 + Math.sin((q * Math.PI * h) / 2) ** 2);

/** The exact solution of the equation on the grid. */
function exact(t) {
  const left = MODES.map(([p, q, amplitude]) => amplitude * Math.exp(-eigenvalue(p, q) * conducted(t)));
  return Float64Array.from({ length: K.rows }, (_, i) => {
    const [x, y] = [h * (1 + (i % side)), h * (1 + Math.floor(i / side))];
    return MODES.reduce((sum, [p, q], m) => sum + left[m] * Math.sin(p * Math.PI * x) * Math.sin(q * Math.PI * y), 0);
  });
}

/** ‖u − v‖ / ‖v‖ */
function distance(u, v) {
  const [difference, norm] = u.reduce(([d, n], value, i) => [d + (value - v[i]) ** 2, n + v[i] ** 2], [0, 0]);
  return Math.sqrt(difference / norm);
}

const engine = await createEngine();
const laplacian = engine.operator(K, { products: 'many' });
const options = { method: 'cg', rtol: 1e-9 };

/** @returns the last system with its solution */
function run(M, count, isShown) {
  let before;
  let u = exact(0);
  let last;
  for (let k = 1; k <= count; k++) {
    const [from, to] = [timeOf(k - 1, count), timeOf(k, count)];
    const s = (conductivity((from + to) / 2) * (to - from)) / 2;
    const A = { ...K, values: valuesOf(s) };
    const b = u.slice();
    laplacian.apply(u, b, -s / h ** 2, 1);

    const begin = performance.now();
    M.update(A.values);
    const updated = performance.now();
    // As from the last step to this one; at first as it was.
    const ahead = before === undefined ? 0 : (to - from) / (from - timeOf(k - 2, count));
    const x0 = u.map((value, i) => (before === undefined ? value : value + ahead * (value - before[i])));
    const { x, converged, iterations } = solve(engine, A, b, { ...options, preconditioner: M, x0 });
    const solved = performance.now();
    if (!converged) throw new Error(`step ${k} did not converge`);
    before = u;
    u = x.toArray();
    x.dispose();
    last = { A, b, iterations };
    if (!isShown) continue;
    const numbers = `Δt ${(to - from).toExponential(2)}, κ ${conductivity((from + to) / 2).toFixed(2)}`;
    const times = `update ${(updated - begin).toFixed(0)} ms, solve ${(solved - updated).toFixed(0)} ms`;
    print(`step ${String(k).padStart(2)}: ${numbers}, ${iterations} iterations, ${times}`);
  }
  return { ...last, u };
}

// Aggregates and prolongations stay as they are made, and those of the step in which most is conducted serve the others, too.
const halfSteps = Array.from({ length: steps }, (_, k) => {
  const [from, to] = [timeOf(k, steps), timeOf(k + 1, steps)];
  return (conductivity((from + to) / 2) * (to - from)) / 2;
});
const M = precondition(engine, { ...K, values: valuesOf(Math.max(...halfSteps)) }, 'amg');
print(`${K.rows} unknowns, amg in ${M.setupMs.toFixed(0)} ms, ${M.explain().levels.length} levels`);
const coarse = run(M, steps, true);

// The last step again, each time without one of what makes it fast.
const early = precondition(engine, { ...K, values: valuesOf(halfSteps[0]) }, 'amg');
const again = (name, preconditioner) => {
  const { x, iterations } = solve(engine, coarse.A, coarse.b, { ...options, preconditioner });
  x.dispose();
  print(`the last step ${name}: ${iterations} iterations instead of ${coarse.iterations}`);
};
again('from zeros', M);
again('from zeros, with multigrid of the first step', early);
early.update(coarse.A.values);
again('from zeros, with multigrid of the first step, updated', early);
again('from zeros, with ic0', 'ic0');

const fine = run(M, 2 * steps, false);
const errors = [coarse, fine].map(({ u }) => distance(u, exact(END)));
const order = Math.log2(errors[0] / errors[1]);
print(
  `error ${errors[0].toExponential(2)}, with half the steps ${errors[1].toExponential(2)}: order ${order.toFixed(2)}`,
);
if (!(order > 1.9 && order < 2.1)) throw new Error(`expected order 2, got ${order}`);
await engine.dispose();
