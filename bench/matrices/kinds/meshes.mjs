/** Structures of finite elements: two unknowns are coupled if they belong to one element. */
import Delaunator from 'delaunator';
import { byRows, copies, promoted, rowsByColumn, saddlePoint } from '../patterns.mjs';
import { count } from './draws.mjs';
import { eachPoint, extentsOf } from './grids.mjs';

/** The couplings of nodes by elements of `width` nodes each. */
function coupled(nodes, elements, width) {
  const { ptr, idx: elementsAt } = rowsByColumn(elements, width, nodes);
  const mark = new Int32Array(nodes).fill(-1);
  const pattern = byRows(nodes, nodes, (i, row) => {
    for (let k = ptr[i]; k < ptr[i + 1]; k++) {
      const first = elementsAt[k] * width;
      for (let at = first; at < first + width; at++) {
        const node = elements[at];
        if (mark[node] === i) continue;
        mark[node] = i;
        row.push(node);
      }
    }
  });
  return { ...pattern, symmetric: true };
}

/** The corners of a square, and which of them its two triangles have. */
const SQUARE = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
];
const HALVES = [
  [0, 1, 2],
  [0, 2, 3],
];

/** Two triangles for each square, divided along either diagonal. Degree 2 has nodes at the middle of the edges too. */
function triangleElements([nx, ny], degree, draws) {
  const across = degree * nx + 1;
  const corners = degree === 1 ? 3 : 6;
  const elements = new Uint32Array(2 * nx * ny * corners);
  const node = (x, y) => x + across * y;
  let at = 0;
  eachPoint([nx, ny, 1], (x, y) => {
    const turn = draws.below(2);
    for (const three of HALVES) {
      const corner = three.map((k) => SQUARE[(k + turn) % 4]);
      for (const [dx, dy] of corner) elements[at++] = node(degree * (x + dx), degree * (y + dy));
      if (degree === 1) continue;
      for (let k = 0; k < 3; k++) {
        const [[ax, ay], [bx, by]] = [corner[k], corner[(k + 1) % 3]];
        elements[at++] = node(2 * x + ax + bx, 2 * y + ay + by);
      }
    }
  });
  return { nodes: across * (degree * ny + 1), elements, width: corners };
}

export function triangles(entries, draws) {
  const degree = draws.pick([1, 2]);
  const perSquare = degree === 1 ? 7 : 46;
  const [nx, ny] = extentsOf(entries / perSquare, 2, draws);
  const { nodes, elements, width } = triangleElements([nx, ny], degree, draws);
  return [coupled(nodes, elements, width), `P${degree}`];
}

/** The six paths along the edges of a cube from one corner to the opposite one, as corners of tetrahedra. */
export const PATHS = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
];

function tetrahedronElements([nx, ny, nz], degree) {
  const across = [nx, ny, nz].map((n) => degree * n + 1);
  const width = degree === 1 ? 4 : 10;
  const elements = new Uint32Array(6 * nx * ny * nz * width);
  const node = ([x, y, z]) => x + across[0] * (y + across[1] * z);
  let at = 0;
  eachPoint([nx, ny, nz], (x, y, z) => {
    for (const path of PATHS) {
      const corner = [[degree * x, degree * y, degree * z]];
      for (const d of path) corner.push(corner.at(-1).map((c, k) => (k === d ? c + degree : c)));
      for (let a = 0; a < 4; a++) {
        elements[at++] = node(corner[a]);
        if (degree === 1) continue;
        for (let b = 0; b < a; b++) elements[at++] = node(corner[a].map((c, k) => (c + corner[b][k]) / 2));
      }
    }
  });
  return { nodes: across[0] * across[1] * across[2], elements, width };
}

/** With three unknowns per node: elasticity. */
export function tetrahedra(entries, draws) {
  const degree = draws.pick([1, 1, 2]);
  const elastic = draws.chance(0.4);
  const perCube = (degree === 1 ? 15 : 230) * (elastic ? 9 : 1);
  const extents = extentsOf(entries / perCube, 3, draws);
  const { nodes, elements, width } = tetrahedronElements(extents, degree);
  return unknownsOf(coupled(nodes, elements, width), `P${degree}`, elastic ? 3 : 1, draws);
}

/** Elements of (degree + 1)ᵈ nodes. */
export function hexahedra(entries, draws) {
  const dimensions = draws.pick([2, 3, 3]);
  const degree = draws.weighted(
    dimensions === 2
      ? [
          [1, 2],
          [2, 2],
          [3, 1],
          [4, 1],
        ]
      : [
          [1, 4],
          [2, 1],
        ],
  );
  const elastic = draws.chance(0.45);
  const coupledNodes = ((degree + 2) ** dimensions * (degree === 1 ? 1 : 0.8)) | 0;
  const points = entries / coupledNodes / (elastic ? dimensions ** 2 : 1);
  const [nx, ny, nz] = extentsOf(points / degree ** dimensions, dimensions, draws);
  const across = [nx, ny, nz].map((n, d) => (d < dimensions ? degree * n + 1 : 1));
  const deep = dimensions === 3 ? degree : 0;
  const width = (degree + 1) ** dimensions;
  const elements = new Uint32Array(nx * ny * nz * width);
  let at = 0;
  eachPoint([nx, ny, nz], (x, y, z) => {
    for (let c = 0; c <= deep; c++) {
      for (let b = 0; b <= degree; b++) {
        const first = degree * x + across[0] * (degree * y + b + across[1] * (degree * z + c));
        for (let a = 0; a <= degree; a++) elements[at++] = first + a;
      }
    }
  });
  const nodes = across[0] * across[1] * across[2];
  return unknownsOf(coupled(nodes, elements, width), `Q${degree} in ${dimensions}D`, elastic ? dimensions : 1, draws);
}

/** Several unknowns per node: most often numbered together. */
function unknownsOf(pattern, name, size, draws) {
  if (size === 1) return [pattern, name];
  const together = draws.chance(0.85);
  const made = together ? promoted(pattern, size) : copies(pattern, size);
  return [{ ...made, blocked: true }, `elasticity, ${name}${together ? '' : ', field by field'}`];
}

/** Triangles between random points, in the order in which these were drawn or along one axis. */
export function delaunay(entries, draws) {
  const points = Math.min(150_000, count(entries / 7, 20));
  const sorted = draws.chance(0.5);
  const x = Float64Array.from({ length: points }, () => draws.unit());
  if (sorted) x.sort();
  const coordinates = new Float64Array(2 * points);
  for (let i = 0; i < points; i++) {
    coordinates[2 * i] = x[i];
    coordinates[2 * i + 1] = draws.unit();
  }
  const { triangles: elements } = new Delaunator(coordinates);
  return [coupled(points, elements, 3), sorted ? 'along an axis' : 'as drawn'];
}

/** Taylor & Hood: velocities on P2 triangles, a pressure on their corners. */
export function taylorHood(entries, draws) {
  const [nx, ny] = extentsOf(entries / 130, 2, draws);
  const { nodes, elements } = triangleElements([nx, ny], 2, draws);
  const velocity = coupled(nodes, elements, 6);
  const across = 2 * nx + 1;
  const corner = new Int32Array(nodes).fill(-1);
  let corners = 0;
  for (let i = 0; i < nodes; i++) if ((i % across) % 2 === 0 && Math.floor(i / across) % 2 === 0) corner[i] = corners++;
  const gradients = byRows(2 * nodes, corners, (i, row) => {
    const node = i >> 1;
    for (let k = velocity.rowPtr[node]; k < velocity.rowPtr[node + 1]; k++) {
      const c = corner[velocity.colIdx[k]];
      if (c >= 0) row.push(c);
    }
  });
  return [{ ...saddlePoint(promoted(velocity, 2), gradients), blocked: true }, 'P2 and P1'];
}
