/**
 * Systems for the choice of `solve`: one of each kind that needs another method. Constants of the choice are fitted to those with `fitted`; the
 * others judge it. `scale` 1 is the size of the benchmark; tests take less.
 */
import { existsSync } from 'node:fs';
import { CsrBuilder, gallery, multiplyMatrices, read, transposeMatrix } from '../../dist/index.node.js';
import { drawFrom } from '../draw.mjs';
import { PATHS } from '../matrices/kinds/meshes.mjs';

export function rightSide(rows, seed = 7) {
  const draw = drawFrom(seed);
  return Float64Array.from({ length: rows }, () => 0.5 + draw());
}

/** Stencils on a grid of nx × ny points, cut at the edges. @param weights [dx, dy, value] for each point */
function stencil(nx, ny, weights) {
  const builder = new CsrBuilder(nx * ny, nx * ny);
  for (let y = 0; y < ny; y++)
    for (let x = 0; x < nx; x++)
      for (const [dx, dy, value] of weights) {
        const [u, v] = [x + dx, y + dy];
        if (u >= 0 && u < nx && v >= 0 && v < ny) builder.add(y * nx + x, v * nx + u, value);
      }
  return builder.build();
}

/** Adds an element's matrix of unknowns. */
function addElement(builder, unknowns, element) {
  for (const [i, row] of unknowns.entries())
    for (const [j, col] of unknowns.entries())
      if (row >= 0 && col >= 0) builder.add(row, col, element[i * unknowns.length + j]);
}

/** Edges with weights, and what is added to the diagonal. */
function graph(n, edges, diagonal) {
  const builder = new CsrBuilder(n, n);
  for (const [i, j, weight] of edges) addElement(builder, [i, j], [weight, -weight, -weight, weight]);
  for (let i = 0; i < n; i++) builder.add(i, i, diagonal(i));
  return builder.build();
}

/** Biharmonic operator of 13 points: a clamped plate. */
export function plate(n) {
  const weights = [[0, 0, 20]];
  for (const [dx, dy, value] of [
    [1, 0, -8],
    [0, 1, -8],
    [2, 0, 1],
    [0, 2, 1],
    [1, 1, 2],
    [1, -1, 2],
  ])
    weights.push([dx, dy, value], [-dx, -dy, value]);
  return stencil(n, n, weights);
}

/** Bilinear elements of −div K grad u, with K = diag(1, eps) turned by `degrees`. */
export function rotatedAnisotropy(n, eps = 1e-3, degrees = 30) {
  const [c, s] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const [kxx, kyy, kxy] = [c * c + eps * s * s, s * s + eps * c * c, (1 - eps) * c * s];
  const [a, b] = [kxx / 6, kyy / 6];
  const weights = [[0, 0, 8 * a + 8 * b]];
  for (const [dx, dy, value] of [
    [1, 0, -4 * a + 2 * b],
    [0, 1, 2 * a - 4 * b],
    [1, 1, -a - b - kxy / 2],
    [1, -1, -a - b + kxy / 2],
  ])
    weights.push([dx, dy, value], [-dx, -dy, value]);
  return stencil(n, n, weights);
}

/** Axes of grid lines differ: cells that are long on one side. */
export function stretchedCells(n, ratio = 1e4) {
  const edges = [];
  const width = (k) => ratio ** (k / n);
  for (let y = 0; y < n; y++)
    for (let x = 0; x < n; x++) {
      const [hx, hy] = [width(x), 1];
      if (x + 1 < n) edges.push([y * n + x, y * n + x + 1, hy / hx]);
      if (y + 1 < n) edges.push([y * n + x, y * n + x + n, hx / hy]);
    }
  return graph(n * n, edges, (i) => (i % n === 0 ? 2 : 0));
}

/** Frame of beams: storeys × bays, three unknowns per node (two displacements, a rotation), clamped at the ground. */
export function frame(storeys, bays) {
  const rows = 3 * storeys * (bays + 1);
  const unknowns = (storey, k) =>
    storey === 0 ? [-1, -1, -1] : [0, 1, 2].map((u) => 3 * ((storey - 1) * (bays + 1) + k) + u);
  const builder = new CsrBuilder(rows, rows);
  const beam = (from, to, [dx, dy], length) => {
    const [EA, EI] = [1e3 / length, 1 / length ** 3];
    const [b12, b6, b4, b2] = [12 * EI, 6 * EI * length, 4 * EI * length ** 2, 2 * EI * length ** 2];
    const local = [
      [EA, 0, 0, -EA, 0, 0],
      [0, b12, b6, 0, -b12, b6],
      [0, b6, b4, 0, -b6, b2],
      [-EA, 0, 0, EA, 0, 0],
      [0, -b12, -b6, 0, b12, -b6],
      [0, b6, b2, 0, -b6, b4],
    ];
    const turn = (i, j) => {
      if (i >= 3 !== j >= 3) return 0;
      const [a, b] = [i % 3, j % 3];
      if (a === 2 || b === 2) return a === b ? 1 : 0;
      return [
        [dx, dy],
        [-dy, dx],
      ][a][b];
    };
    const element = [];
    for (let i = 0; i < 6; i++)
      for (let j = 0; j < 6; j++) {
        let sum = 0;
        for (let a = 0; a < 6; a++) for (let b = 0; b < 6; b++) sum += turn(a, i) * local[a][b] * turn(b, j);
        element.push(sum);
      }
    addElement(builder, [...from, ...to], element);
  };
  for (let storey = 1; storey <= storeys; storey++)
    for (let k = 0; k <= bays; k++) {
      beam(unknowns(storey - 1, k), unknowns(storey, k), [0, 1], 3);
      if (k > 0) beam(unknowns(storey, k - 1), unknowns(storey, k), [1, 0], 5);
    }
  return builder.build();
}

/** Linear elements on six tetrahedra per cube, points moved and numbered at random. */
export function tetrahedra(n, seed = 3) {
  const draw = drawFrom(seed);
  const side = n + 1;
  const points = side ** 3;
  const at = (x, y, z) => (z * side + y) * side + x;
  const coordinates = Array.from({ length: points }, (_, i) => [
    (i % side) + 0.3 * draw(),
    (Math.floor(i / side) % side) + 0.3 * draw(),
    Math.floor(i / side ** 2) + 0.3 * draw(),
  ]);
  const order = Array.from({ length: points }, (_, i) => i);
  for (let i = points - 1; i > 0; i--) {
    const j = Math.floor(draw() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  const builder = new CsrBuilder(points, points);
  const corners = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  for (let z = 0; z < n; z++)
    for (let y = 0; y < n; y++)
      for (let x = 0; x < n; x++)
        for (const path of PATHS) {
          let [u, v, w] = [x, y, z];
          const nodes = [at(u, v, w)];
          for (const axis of path) {
            [u, v, w] = [u + corners[axis][0], v + corners[axis][1], w + corners[axis][2]];
            nodes.push(at(u, v, w));
          }
          addElement(
            builder,
            nodes.map((node) => order[node]),
            tetrahedron(nodes.map((node) => coordinates[node])),
          );
        }
  for (let i = 0; i < side * side; i++) builder.add(order[i], order[i], 10);
  return builder.build();
}

/** Stiffness of a linear tetrahedron. */
function tetrahedron([p, ...others]) {
  const edges = others.map((q) => q.map((value, k) => value - p[k]));
  const cross = ([a, b, c], [d, e, f]) => [b * f - c * e, c * d - a * f, a * e - b * d];
  const dot = (u, v) => u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
  const normals = [cross(edges[1], edges[2]), cross(edges[2], edges[0]), cross(edges[0], edges[1])];
  const sixfold = dot(edges[0], normals[0]);
  const gradients = normals.map((normal) => normal.map((value) => value / sixfold));
  gradients.unshift([0, 1, 2].map((k) => -gradients.reduce((sum, g) => sum + g[k], 0)));
  const volume = Math.abs(sixfold) / 6;
  return gradients.flatMap((g) => gradients.map((h) => volume * dot(g, h)));
}

/** Layers of other conductivity, with noise: seven points, log-normal. */
export function layers(n, seed = 5) {
  const draw = drawFrom(seed);
  const normal = () => Math.sqrt(-2 * Math.log(draw() || 1e-9)) * Math.cos(2 * Math.PI * draw());
  const cells = Float64Array.from(
    { length: n ** 3 },
    (_, i) => 10 ** (Math.floor(i / n ** 2 / 4) % 2 ? 3 : 0) * Math.exp(2 * normal()),
  );
  const edges = [];
  for (let i = 0; i < n ** 3; i++)
    for (const step of [1, n, n * n]) {
      const coordinate = Math.floor(i / step) % n;
      if (coordinate + 1 < n) edges.push([i, i + step, 2 / (1 / cells[i] + 1 / cells[i + step])]);
    }
  return graph(n ** 3, edges, (i) => (i < n * n ? cells[i] : 0));
}

/** Normal equations A D Aᵀ of an interior-point method: D of 10¹⁰ to 1. */
export function interiorPoint(rows, cols, seed = 11) {
  const draw = drawFrom(seed);
  const builder = new CsrBuilder(rows, cols);
  for (let j = 0; j < cols; j++) {
    builder.add(j % rows, j, 1 + draw());
    for (let k = 0; k < 3; k++) builder.add(Math.floor(draw() * rows), j, 2 * draw() - 1);
  }
  return normalEquations(builder.build(), draw);
}

/** A D Aᵀ with each factor rounded: symmetric up to rounding. */
export function normalEquations(A, draw) {
  const scale = Float64Array.from({ length: A.cols }, () => 10 ** (8 * draw() - 4));
  const scaled = { ...A, field: 'real', values: A.values.map((value, k) => value * scale[A.colIdx[k]]) };
  return multiplyMatrices(scaled, transposeMatrix(A));
}

/** Stokes on a staggered grid of n × n cells: velocities, pressures, zeros in the diagonal; the pressure is fixed in a cell. */
export function stokes(n) {
  const [us, vs] = [(n - 1) * n, n * (n - 1)];
  const rows = us + vs + n * n - 1;
  const builder = new CsrBuilder(rows, rows);
  const u = (x, y) => (x >= 1 && x < n && y >= 0 && y < n ? y * (n - 1) + x - 1 : -1);
  const v = (x, y) => (y >= 1 && y < n && x >= 0 && x < n ? us + (y - 1) * n + x : -1);
  const p = (x, y) => (x === 0 && y === 0 ? -1 : us + vs + y * n + x - 1);
  const both = (i, j, value) => {
    if (i < 0 || j < 0) return;
    builder.add(i, j, value);
    builder.add(j, i, value);
  };
  for (const at of [u, v])
    for (let y = 0; y < n; y++)
      for (let x = 0; x < n; x++) {
        const i = at(x, y);
        if (i < 0) continue;
        builder.add(i, i, 4);
        for (const [dx, dy] of [
          [1, 0],
          [-1, 0],
          [0, 1],
          [0, -1],
        ])
          if (at(x + dx, y + dy) >= 0) builder.add(i, at(x + dx, y + dy), -1);
      }
  for (let y = 0; y < n; y++)
    for (let x = 0; x < n; x++) {
      both(u(x, y), p(x, y), 1);
      both(u(x + 1, y), p(x, y), -1);
      both(v(x, y), p(x, y), 1);
      both(v(x, y + 1), p(x, y), -1);
    }
  return builder.build();
}

/** Plane strain of quadrilaterals, nearly incompressible. */
export function planeStrain(n, poisson = 0.4999) {
  const rows = 2 * n * (n + 1);
  const builder = new CsrBuilder(rows, rows);
  const [lambda, mu] = [poisson / ((1 + poisson) * (1 - 2 * poisson)), 1 / (2 * (1 + poisson))];
  const element = new Array(64).fill(0);
  const gauss = 1 / Math.sqrt(3);
  for (const s of [-gauss, gauss])
    for (const t of [-gauss, gauss]) {
      const gradients = [
        [-(1 - t), -(1 - s)],
        [1 - t, -(1 + s)],
        [1 + t, 1 + s],
        [-(1 + t), 1 - s],
      ].map(([a, b]) => [a / 2, b / 2]);
      for (let a = 0; a < 4; a++)
        for (let b = 0; b < 4; b++)
          for (let i = 0; i < 2; i++)
            for (let j = 0; j < 2; j++) {
              const [g, h] = [gradients[a], gradients[b]];
              const shear = i === j ? mu * (g[0] * h[0] + g[1] * h[1]) : 0;
              element[(2 * a + i) * 8 + 2 * b + j] += (lambda * g[i] * h[j] + mu * g[j] * h[i] + shear) / 4;
            }
    }
  // The side x = 0 is held.
  const node = (x, y) => (x === 0 ? -1 : y * n + x - 1);
  for (let y = 0; y < n; y++)
    for (let x = 0; x < n; x++) {
      const nodes = [node(x, y), node(x + 1, y), node(x + 1, y + 1), node(x, y + 1)];
      addElement(
        builder,
        nodes.flatMap((k) => (k < 0 ? [-1, -1] : [2 * k, 2 * k + 1])),
        element,
      );
    }
  return builder.build();
}

/** Poisson with natural boundaries everywhere: constants are in the null space. */
export function neumann(nx, ny) {
  const edges = [];
  for (let y = 0; y < ny; y++)
    for (let x = 0; x < nx; x++) {
      if (x + 1 < nx) edges.push([y * nx + x, y * nx + x + 1, 1]);
      if (y + 1 < ny) edges.push([y * nx + x, y * nx + x + nx, 1]);
    }
  return graph(nx * ny, edges, () => 0);
}

/** Upwind convection in three dimensions. */
export function convection3d(n, speed = 20) {
  const rows = n ** 3;
  const builder = new CsrBuilder(rows, rows);
  const flow = speed / n;
  for (let i = 0; i < rows; i++) {
    builder.add(i, i, 6 + 3 * flow);
    for (const step of [1, n, n * n]) {
      const coordinate = Math.floor(i / step) % n;
      if (coordinate > 0) builder.add(i, i - step, -1 - flow);
      if (coordinate + 1 < n) builder.add(i, i + step, -1);
    }
  }
  return builder.build();
}

/** Helmholtz with five points: the Laplacian less a multiple of I, indefinite. */
export function helmholtz(n, shift = 0.1) {
  return stencil(n, n, [
    [0, 0, 4 - shift],
    [1, 0, -1],
    [-1, 0, -1],
    [0, 1, -1],
    [0, -1, -1],
  ]);
}

/** A step of the heat equation: well conditioned. */
export function heatStep(n) {
  return stencil(n, n, [
    [0, 0, 4.05],
    [1, 0, -1],
    [-1, 0, -1],
    [0, 1, -1],
    [0, -1, -1],
  ]);
}

/** A modified nodal analysis: resistors in a net of random reach, and voltage sources with zeros in the diagonal. */
export function nodalCircuit(nodes, seed = 9) {
  const draw = drawFrom(seed);
  const sources = Math.floor(nodes / 50);
  const builder = new CsrBuilder(nodes + sources, nodes + sources);
  for (let i = 0; i < nodes; i++) {
    for (let k = 0; k < 2; k++) {
      const j = draw() < 0.95 ? i - 1 - Math.floor(draw() * 20) : Math.floor(draw() * nodes);
      const conductance = 10 ** (6 * draw() - 3);
      addElement(builder, [i, j], [conductance, -conductance, -conductance, conductance]);
    }
    // A transistor: a current by the voltage of another node.
    if (draw() < 0.2) builder.add(i, Math.max(0, i - 3), draw());
    if (draw() < 0.1) builder.add(i, i, 1e-3);
  }
  for (let s = 0; s < sources; s++) {
    const node = Math.floor((s + 0.5) * 50) % nodes;
    builder.add(nodes + s, node, 1);
    builder.add(node, nodes + s, 1);
  }
  return builder.build();
}

export function permutationMatrix(n) {
  const builder = new CsrBuilder(n, n);
  for (let i = 0; i < n; i++) builder.add(i, (i * 7 + 3) % n, 1);
  return builder.build();
}

/** Of files that are not part of the project. @returns undefined where they are absent */
const file = (folder, name) => async () => {
  const path = folder === undefined ? undefined : `${folder}/${name}.mtx.gz`;
  return path !== undefined && existsSync(path) ? read(path) : undefined;
};

/**
 * @param size shrinks the number of points of a side
 * @param folder of real matrices
 */
export function choiceProblems(size = 1, folder = undefined) {
  const n = (points) => Math.max(4, Math.round(points * size));
  const fitted = {
    '5-point': () => gallery('laplace2d5', { nx: n(300), ny: n(300) }),
    plate: () => plate(n(150)),
    'rotated anisotropy': () => rotatedAnisotropy(n(350)),
    jumps: () => gallery('diffusion2d', { nx: n(250), ny: n(250) }),
    '7-point': () => gallery('laplace3d7', { nx: n(50), ny: n(50), nz: n(50) }),
    elasticity: () => gallery('elasticity3d', { nx: n(20), ny: n(20), nz: n(20) }),
    convection: () => gallery('convection2d', { nx: n(200), ny: n(200) }),
    Helmholtz: () => helmholtz(n(150)),
    'interior point': () => interiorPoint(n(3000), n(9000)),
    Stokes: () => stokes(n(48)),
    Neumann: () => neumann(n(200), n(150)),
    memplus: file(folder, 'large/memplus'),
    rajat19: file(folder, 'small/rajat19'),
    'nodal circuit': () => nodalCircuit(n(5000)),
  };
  const heldOut = {
    frame: () => frame(n(120), n(120)),
    tetrahedra: () => tetrahedra(n(30)),
    layers: () => layers(n(40)),
    'stretched cells': () => stretchedCells(n(200)),
    'plane strain': () => planeStrain(n(120)),
    'convection 3-D': () => convection3d(n(40)),
    'heat step': () => heatStep(n(400)),
    'mesh in random order': () => gallery('delaunay', { n: n(60_000) }),
    '27-point': () => gallery('laplace3d27', { nx: n(36), ny: n(36), nz: n(36) }),
    'Helmholtz, low': () => helmholtz(n(120), 0.02),
    permutation: () => permutationMatrix(n(4000)),
    bayer10: file(folder, 'large/bayer10'),
    'maros-r7': async () => {
      const A = await file(folder, 'large/mps_maros_r7')();
      return A && normalEquations(A, drawFrom(2));
    },
    '1138_bus': file(folder, 'small/1138_bus'),
    bcsstk13: file(folder, 'small/bcsstk13'),
    fidapex6: file(folder, 'small/fidapex6'),
    add32: file(folder, 'small/add32'),
  };
  const list = (problems, isFitted) => Object.entries(problems).map(([name, make]) => ({ name, isFitted, make }));
  return [...list(fitted, true), ...list(heldOut, false)];
}
