/**
 * Helmholtz's equation −Δu − k² u = 0 on a square, whose boundary absorbs: ∂u/∂n − i k u = g. A plane wave is the solution, so the error is known; it falls
 * with h². Bilinear finite elements give K − k² M − i k B, with the matrices of stiffness, of mass and of the boundary: complex, symmetric, and neither Hermitian nor definite.
 *
 * usage: node examples/helmholtz/helmholtz.mjs     (in a program: import from 'sparlane')
 */
import { CsrBuilder, cocg, complexFrom, complexOperator, createEngine, precondition } from '#dist/index.node.js';

/** The wave number, and the direction of the wave. */
const K = 12;
const ANGLE = 0.4;
const DIRECTION = [Math.cos(ANGLE), Math.sin(ANGLE)];
const CELLS = [32, 64, 128];

/** The matrices of a square cell, whose corners come in turn: 6 times its stiffness, which does not depend on h, and 36 / h² times its mass. */
const STIFFNESS = [
  [4, -1, -2, -1],
  [-1, 4, -1, -2],
  [-2, -1, 4, -1],
  [-1, -2, -1, 4],
];
const MASS = [
  [4, 2, 1, 2],
  [2, 4, 2, 1],
  [1, 2, 4, 2],
  [2, 1, 2, 4],
];
const GAUSS = [0.5 - Math.sqrt(3) / 6, 0.5 + Math.sqrt(3) / 6];

const print = (line) => void process.stdout.write(`${line}\n`);

/** The plane wave e^{i k d · p}. */
function wave(p) {
  const phase = K * (DIRECTION[0] * p[0] + DIRECTION[1] * p[1]);
  return [Math.cos(phase), Math.sin(phase)];
}

/** The matrix and the right-hand side, as pairs, on n × n cells. */
function assemble(n) {
  const h = 1 / n;
  const nodes = (n + 1) ** 2;
  const node = (i, j) => j * (n + 1) + i;
  const re = new CsrBuilder(nodes, nodes, { symmetry: 'general' });
  const im = new CsrBuilder(nodes, nodes, { symmetry: 'general' });
  for (let j = 0; j < n; j++) {
    for (let i = 0; i < n; i++) {
      const corners = [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)];
      for (const [r, row] of corners.entries())
        for (const [c, col] of corners.entries())
          re.add(row, col, STIFFNESS[r][c] / 6 - (K ** 2 * h ** 2 * MASS[r][c]) / 36);
    }
  }
  const b = new Float64Array(2 * nodes);
  const edge = (from, to, p, q, normal) => {
    for (const [row, col, share] of [
      [from, from, 2],
      [from, to, 1],
      [to, from, 1],
      [to, to, 2],
    ])
      im.add(row, col, (-K * h * share) / 6);
    // The integral of g = i k (d · n − 1) u is by two points of Gauss.
    const factor = K * (DIRECTION[0] * normal[0] + DIRECTION[1] * normal[1] - 1);
    for (const t of GAUSS) {
      const [ure, uim] = wave([p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])]);
      for (const [at, weight] of [
        [from, 1 - t],
        [to, t],
      ]) {
        b[2 * at] -= (weight * h * factor * uim) / 2;
        b[2 * at + 1] += (weight * h * factor * ure) / 2;
      }
    }
  };
  for (let i = 0; i < n; i++) {
    const [s, t] = [i * h, (i + 1) * h];
    edge(node(i, 0), node(i + 1, 0), [s, 0], [t, 0], [0, -1]);
    edge(node(i, n), node(i + 1, n), [s, 1], [t, 1], [0, 1]);
    edge(node(0, i), node(0, i + 1), [0, s], [0, t], [-1, 0]);
    edge(node(n, i), node(n, i + 1), [1, s], [1, t], [1, 0]);
  }
  return { matrix: complexFrom(re.build(), im.build(), 'symmetric'), b };
}

/** The root of the mean square of x − u over the nodes. */
function errorOf(n, x) {
  let sum = 0;
  for (let j = 0; j <= n; j++) {
    for (let i = 0; i <= n; i++) {
      const [re, im] = wave([i / n, j / n]);
      const at = 2 * (j * (n + 1) + i);
      sum += (x[at] - re) ** 2 + (x[at + 1] - im) ** 2;
    }
  }
  return Math.sqrt(sum) / (n + 1);
}

const engine = await createEngine({ complex: true });
let before;
for (const n of CELLS) {
  const { matrix, b } = assemble(n);
  const A = complexOperator(engine, matrix);
  const M = precondition(engine, matrix, 'ilu0');
  const { x, iterations, reason } = cocg(A, b, { preconditioner: M, rtol: 1e-9 });
  const error = errorOf(n, x.data);
  const order = before === undefined ? '' : `, order ${Math.log2(before / error).toFixed(2)}`;
  print(`${n} × ${n} cells: ${iterations} iterations, ${reason}, error ${error.toExponential(2)}${order}`);
  for (const one of [x, A, M]) one.dispose();
  before = error;
}
await engine.dispose();
