import Delaunator from 'delaunator'; // npm install delaunator
import { Assembly, addMatrices, createEngine, precondition, scaleMatrix, solve } from 'sparlane';

// A square of 40 × 40 cells as triangles; the inner points are moved a little, so that it is a mesh and not a grid.
const side = 40;
const move = (k) => (0.3 * Math.sin(12.9898 * k)) / side;
const points = Array.from({ length: (side + 1) ** 2 }, (_, k) => [k % (side + 1), Math.floor(k / (side + 1))]).map(
  ([i, j], k) => (i % side && j % side ? [i / side + move(k), j / side + move(k + 0.5)] : [i / side, j / side]),
);
const { triangles } = Delaunator.from(points);

// ∫ φᵢ φⱼ and ∫ ∇φᵢ · ∇φⱼ of each triangle.
const mass = [];
const stiffness = [];
for (let e = 0; e < triangles.length; e += 3) {
  const [a, b, c] = [0, 1, 2].map((k) => points[triangles[e + k]]);
  const turned = [
    [b, c],
    [c, a],
    [a, b],
  ].map(([p, q]) => [p[1] - q[1], q[0] - p[0]]);
  const area = Math.abs((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])) / 2;
  for (const [i, g] of turned.entries()) {
    for (const [j, h] of turned.entries()) {
      mass.push((area / 12) * (i === j ? 2 : 1));
      stiffness.push((g[0] * h[0] + g[1] * h[1]) / (4 * area));
    }
  }
}
const mesh = new Assembly(triangles, { perElement: 3, symmetry: 'symmetric' });
const M = mesh.matrix(mass);
const K = mesh.matrix(stiffness);

// Implicit Euler: (M + Δt K) u₊ = M u. Insulated: the heat, 1ᵀ M u, stays what it is.
const dt = 0.002;
const engine = await createEngine();
const ones = new Float64Array(M.rows).fill(1);
const step = addMatrices(M, scaleMatrix(K, { rows: ones.map(() => dt) }));
const preconditioner = precondition(engine, { ...step, symmetry: 'symmetric' }, 'ic0');
const massOperator = engine.operator(M);
const b = new Float64Array(M.rows);
let u = Float64Array.from(points, ([x, y]) => (Math.hypot(x - 0.5, y - 0.5) < 0.2 ? 1 : 0));

const report = (time) => {
  massOperator.apply(u, b);
  const heat = b.reduce((sum, value) => sum + value, 0);
  console.log(
    `t = ${time.toFixed(3)}: hottest ${Math.max(...u).toFixed(3)}, coldest ${Math.min(...u).toFixed(3)}, heat ${heat.toFixed(6)}`,
  );
};
for (let k = 0; k <= 100; k++) {
  if (k % 25 === 0) report(k * dt);
  massOperator.apply(u, b);
  const { x } = solve(engine, step, b, { method: 'cg', preconditioner, rtol: 1e-10 });
  u = x.toArray();
  x.dispose();
}
