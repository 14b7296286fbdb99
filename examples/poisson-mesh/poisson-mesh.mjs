/**
 * −Δu = f in the unit square with linear triangles on meshes of scattered points, three times refined, and u given on the boundary. The exact solution is
 * u = sin πx sin πy + x, so the error in L² must fall with h² (Braess 2007, §II.7). Then the conductivity changes: the same pattern, other values.
 *
 * usage: node examples/poisson-mesh/poisson-mesh.mjs     (in a program: import from 'sparlane')
 */
import Delaunator from 'delaunator';
import { Assembly, applyDirichlet, createEngine, precondition, solve } from '#dist/index.node.js';

const SIDES = [16, 32, 64, 128];

const print = (line) => void process.stdout.write(`${line}\n`);

const exact = (x, y) => Math.sin(Math.PI * x) * Math.sin(Math.PI * y) + x;
const load = (x, y) => 2 * Math.PI ** 2 * Math.sin(Math.PI * x) * Math.sin(Math.PI * y);

/** A lattice whose inner points are moved by up to a quarter of its width, triangulated. */
function triangulate(side) {
  const points = [];
  const boundary = [];
  for (let i = 0; i <= side; i++) {
    for (let j = 0; j <= side; j++) {
      const isInner = i % side !== 0 && j % side !== 0;
      if (!isInner) boundary.push(points.length / 2);
      const move = (seed) => (isInner ? 0.25 * Math.sin(seed * (12.9898 * i + 78.233 * j)) : 0);
      points.push((i + move(1)) / side, (j + move(2)) / side);
    }
  }
  return { points: Float64Array.from(points), triangles: new Delaunator(points).triangles, boundary };
}

/** Calls `use` for each triangle with its number, the x and y of its corners, and its area. */
function forTriangles({ points, triangles }, use) {
  for (let e = 0; 3 * e < triangles.length; e++) {
    const corners = triangles.subarray(3 * e, 3 * e + 3);
    const [x, y] = [0, 1].map((axis) => Array.from(corners, (corner) => points[2 * corner + axis]));
    const area = Math.abs((x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0])) / 2;
    use(e, x, y, area, corners);
  }
}

/** ∫ ∇φᵢ · ∇φⱼ, 9 numbers for each triangle. The gradient of φᵢ is the side opposite of corner i, turned, over twice the area. */
function stiffness(mesh) {
  const matrices = new Float64Array(3 * mesh.triangles.length);
  forTriangles(mesh, (e, x, y, area) => {
    const turned = [0, 1, 2].map((i) => [y[(i + 1) % 3] - y[(i + 2) % 3], x[(i + 2) % 3] - x[(i + 1) % 3]]);
    turned.forEach(([a, b], i) => {
      turned.forEach(([c, d], j) => {
        matrices[9 * e + 3 * i + j] = (a * c + b * d) / (4 * area);
      });
    });
  });
  return matrices;
}

/** ∫ f φᵢ by the midpoints of the sides, exact to degree 2: φᵢ is ½ on the two sides at corner i. */
function loads(mesh) {
  const vectors = new Float64Array(mesh.triangles.length);
  forTriangles(mesh, (e, x, y, area) => {
    for (let i = 0; i < 3; i++) {
      for (const j of [(i + 1) % 3, (i + 2) % 3])
        vectors[3 * e + i] += (area / 6) * load((x[i] + x[j]) / 2, (y[i] + y[j]) / 2);
    }
  });
  return vectors;
}

/** ‖u − uₕ‖ in L², by the midpoints of the sides. */
function errorOf(mesh, u) {
  let sum = 0;
  forTriangles(mesh, (_, x, y, area, corners) => {
    for (let i = 0; i < 3; i++) {
      const j = (i + 1) % 3;
      const approximate = (u[corners[i]] + u[corners[j]]) / 2;
      sum += (area / 3) * (exact((x[i] + x[j]) / 2, (y[i] + y[j]) / 2) - approximate) ** 2;
    }
  });
  return Math.sqrt(sum);
}

const engine = await createEngine();
let before;
for (const side of SIDES) {
  const mesh = triangulate(side);
  const { points, triangles, boundary } = mesh;
  const assembly = new Assembly(triangles, { perElement: 3, unknowns: points.length / 2, symmetry: 'symmetric' });
  const elementMatrices = stiffness(mesh);
  const full = assembly.matrix(elementMatrices);
  const given = boundary.map((node) => exact(points[2 * node], points[2 * node + 1]));
  const right = assembly.vector(loads(mesh));
  const { matrix, b } = applyDirichlet(full, right, boundary, given);
  const { x, converged, iterations, decision } = solve(engine, matrix, b, { rtol: 1e-10 });
  const error = errorOf(mesh, x.toArray());
  const order = before === undefined ? undefined : Math.log2(before / error);
  print(
    `h = 1/${side}: ${triangles.length / 3} triangles, ${decision.method} ${iterations} iterations, error ${error.toExponential(2)}` +
      (order === undefined ? '' : `, order ${order.toFixed(2)}`),
  );
  if (!converged) throw new Error('the solve did not converge');
  if (order !== undefined && !(order > 1.9 && order < 2.1)) throw new Error(`expected order 2, got ${order}`);
  before = error;

  if (side !== SIDES.at(-1)) continue;
  // Twice the conductivity and twice the load: the same u, from the same pattern and the same preconditioner.
  const M = precondition(engine, matrix, 'ic0');
  assembly.update(
    full,
    elementMatrices.map((value) => 2 * value),
  );
  const twice = applyDirichlet(
    full,
    right.map((value) => 2 * value),
    boundary,
    given,
  );
  M.update(twice.matrix.values);
  const again = solve(engine, twice.matrix, twice.b, { method: 'cg', preconditioner: M, rtol: 1e-10 });
  const other = errorOf(mesh, again.x.toArray());
  print(`twice the conductivity and the load: ${again.iterations} iterations, error ${other.toExponential(2)}`);
  if (!(Math.abs(other - error) < 1e-6 * error)) throw new Error(`expected the error ${error}, got ${other}`);
}
await engine.dispose();
