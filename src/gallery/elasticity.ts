/**
 * A block of elastic material that is clamped on one side: linear elasticity by trilinear elements, cubes of side 1, three unknowns per
 * node. Nodes are numbered with x fastest, without those of the clamped side x = 0, and the three directions of a node follow each other.
 *
 * Source: Hughes, The Finite Element Method, 2000, sections 2.7 and 3.8; 2 × 2 × 2 Gauss points.
 */
import { family, type GalleryFamily, integer, number, type Structure } from './family.js';

/** Elements along each axis. */
interface Extents {
  readonly nx: number;
  readonly ny: number;
  readonly nz: number;
}

const elements = (axis: string) => integer(29, 1, 65_535, `elements along ${axis}`);

export const ELASTICITY_3D: GalleryFamily = family({
  name: 'elasticity3d',
  summary: 'linear elasticity: a clamped block under its own weight, dense blocks of 3 × 3',
  source: "trilinear cubes, Young's modulus 1 (Hughes 2000)",
  parameters: {
    nx: elements('x'),
    ny: elements('y'),
    nz: elements('z'),
    poisson: number(0.3, 0, 0.49, "Poisson's ratio"),
  },
  ownValues: 'stencil',
  size: ({ nx, ny, nz }) => {
    const pairs = (nodes: number) => 3 * nodes - 2;
    const rows = 3 * nodesOf({ nx, ny, nz });
    return { rows, cols: rows, entries: 9 * pairs(nx) * pairs(ny + 1) * pairs(nz + 1) };
  },
  structure: ({ poisson, ...extents }) => stiffness(extents, elementStiffness(poisson), 0, nodesOf(extents)),
  rowRange: ({ poisson, ...extents }, first, end) => stiffness(extents, elementStiffness(poisson), first / 3, end / 3),
  rowsTogether: 3,
  rightHandSide: (extents, first, end) => weight(extents, first, end),
});

/** A corner of the unit cube, 0 to 7: x + 2 y + 4 z. */
const cornerOf = (x: number, y: number, z: number) => x + 2 * y + 4 * z;

/** The 24 × 24 stiffness of a cube of side 1, row by row; unknown 3 c + d: direction d of corner c. */
function elementStiffness(poisson: number): Float64Array {
  const lambda = poisson / ((1 + poisson) * (1 - 2 * poisson));
  const mu = 1 / (2 * (1 + poisson));
  const K = new Float64Array(24 * 24);
  const points = [0.5 - Math.sqrt(1 / 12), 0.5 + Math.sqrt(1 / 12)];
  for (const z of points)
    for (const y of points) for (const x of points) addPoint(K, gradientsAt([x, y, z]), lambda, mu);
  for (let row = 0; row < 24; row++) for (let col = 0; col < row; col++) K[24 * row + col] = K[24 * col + row]!;
  return K;
}

/** ∫ λ div u div v + 2 μ ε(u) : ε(v), of one Gauss point with the weight 1/8; the upper triangle. */
function addPoint(K: Float64Array, gradients: readonly (readonly number[])[], lambda: number, mu: number): void {
  for (let row = 0; row < 24; row++) {
    for (let col = row; col < 24; col++) {
      const [g, h] = [gradients[Math.floor(row / 3)]!, gradients[Math.floor(col / 3)]!];
      const [d, e] = [row % 3, col % 3];
      const inner = d === e ? g[0]! * h[0]! + g[1]! * h[1]! + g[2]! * h[2]! : 0;
      K[24 * row + col]! += (lambda * g[d]! * h[e]! + mu * (inner + g[e]! * h[d]!)) / 8;
    }
  }
}

/** The gradients of the eight shape functions. */
function gradientsAt(point: readonly [number, number, number]): number[][] {
  return Array.from({ length: 8 }, (_, corner) => {
    const ends = [corner & 1, (corner >> 1) & 1, corner >> 2];
    const factors = ends.map((end, axis) => (end === 1 ? point[axis]! : 1 - point[axis]!));
    return ends.map((end, axis) => (end === 1 ? 1 : -1) * factors[(axis + 1) % 3]! * factors[(axis + 2) % 3]!);
  });
}

function nodesOf({ nx, ny, nz }: Extents): number {
  return nx * (ny + 1) * (nz + 1);
}

function nodeAt({ nx, ny }: Extents, node: number): Triple {
  const line = Math.floor(node / nx);
  return [1 + (node % nx), line % (ny + 1), Math.floor(line / (ny + 1))];
}

/** The rows of the nodes from `first` to `end` − 1. */
function stiffness(extents: Extents, K: Float64Array, first: number, end: number): Structure {
  const { nx, ny } = extents;
  const rows = 3 * (end - first);
  const rowPtr = new Uint32Array(rows + 1);
  for (let node = first; node < end; node++) {
    const row = 3 * (node - first);
    const length = 3 * neighbours(extents, ...nodeAt(extents, node)).length;
    for (let d = 0; d < 3; d++) rowPtr[row + d + 1] = rowPtr[row + d]! + length;
  }
  const colIdx = new Uint32Array(rowPtr[rows]!);
  const values = new Float64Array(rowPtr[rows]!);
  const block = new Float64Array(9);
  for (let node = first; node < end; node++) {
    const [x, y, z] = nodeAt(extents, node);
    const near = neighbours(extents, x, y, z);
    const length = 3 * near.length;
    const begin = rowPtr[3 * (node - first)]!;
    near.forEach(([dx, dy, dz], k) => {
      const column = 3 * (x + dx - 1 + nx * (y + dy + (ny + 1) * (z + dz)));
      addElements(block.fill(0), K, extents, [x, y, z], [dx, dy, dz]);
      for (let d = 0; d < 3; d++) {
        for (let e = 0; e < 3; e++) {
          colIdx[begin + d * length + 3 * k + e] = column + e;
          values[begin + d * length + 3 * k + e] = block[3 * d + e]!;
        }
      }
    });
  }
  return { rows, cols: 3 * nodesOf(extents), rowPtr, colIdx, values, field: 'real', symmetric: true };
}

type Triple = readonly [x: number, y: number, z: number];

/** Distances to the free nodes around a node, itself included, in the order of their numbers. */
function neighbours({ nx, ny, nz }: Extents, x: number, y: number, z: number): Triple[] {
  const found: Triple[] = [];
  for (let dz = -1; dz <= 1; dz++) {
    for (let dy = -1; dy <= 1; dy++) {
      for (let dx = -1; dx <= 1; dx++) {
        const isFree = x + dx >= 1 && x + dx <= nx && y + dy >= 0 && y + dy <= ny && z + dz >= 0 && z + dz <= nz;
        if (isFree) found.push([dx, dy, dz]);
      }
    }
  }
  return found;
}

/** Adds the 3 × 3 blocks of all elements that have both nodes, in the order of the elements: the same for both directions. */
function addElements(block: Float64Array, K: Float64Array, { nx, ny, nz }: Extents, node: Triple, to: Triple): void {
  const [x, y, z] = node;
  for (let ez = Math.max(z - 1, z + to[2] - 1, 0); ez <= Math.min(z, z + to[2], nz - 1); ez++) {
    for (let ey = Math.max(y - 1, y + to[1] - 1, 0); ey <= Math.min(y, y + to[1], ny - 1); ey++) {
      for (let ex = Math.max(x - 1, x + to[0] - 1, 0); ex <= Math.min(x, x + to[0], nx - 1); ex++) {
        const from = 3 * cornerOf(x - ex, y - ey, z - ez);
        const into = 3 * cornerOf(x + to[0] - ex, y + to[1] - ey, z + to[2] - ez);
        for (let d = 0; d < 3; d++) for (let e = 0; e < 3; e++) block[3 * d + e]! += K[24 * (from + d) + into + e]!;
      }
    }
  }
}

/** A force of 1 per element, downwards along z: an eighth of it for each of its nodes. */
function weight(extents: Extents, first: number, end: number): Float64Array {
  const { nx, ny, nz } = extents;
  const elementsAt = (place: number, count: number) => (place > 0 ? 1 : 0) + (place < count ? 1 : 0);
  return Float64Array.from({ length: end - first }, (_, i) => {
    if ((first + i) % 3 !== 2) return 0;
    const [x, y, z] = nodeAt(extents, Math.floor((first + i) / 3));
    return -(elementsAt(x, nx) * elementsAt(y, ny) * elementsAt(z, nz)) / 8;
  });
}
