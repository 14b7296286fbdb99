/** A mesh of triangles between random points, in the order in which they were drawn: bad for caches, as many meshes are. */
import Delaunator from 'delaunator';
import { CsrBuilder } from '../core/csr-builder.js';
import { type RandomStream, randomStream, unit } from './draw.js';
import { family, type GalleryFamily, integer, type Structure, structureOf } from './family.js';

export const DELAUNAY: GalleryFamily = family({
  name: 'delaunay',
  summary: 'linear elements on the Delaunay triangulation of random points, in random order',
  source:
    '−Δu + u = 1 in the unit square, natural boundary: stiffness and lumped mass (Hughes 2000, sections 3.2 and 7.3)',
  parameters: { n: integer(200_000, 3, 2 ** 24, 'points') },
  ownValues: 'stencil',
  // Euler: 3 n − 3 edges, without those that the hull lacks.
  size: ({ n }) => ({ rows: n, cols: n, entries: 7 * n - 6 }),
  structure: ({ n }, random) => stiffness(triangulate(n, random)),
  rightHandSide: ({ n, seed }, first, end) => loads(triangulate(n, randomStream(seed, 'structure'))).slice(first, end),
});

interface Mesh {
  /** x and y of each point. */
  readonly points: Float64Array;
  /** Three points for each triangle. */
  readonly triangles: Uint32Array;
}

function triangulate(n: number, random: RandomStream): Mesh {
  const points = Float64Array.from({ length: 2 * n }, () => unit(random));
  return { points, triangles: new Delaunator(points).triangles };
}

/** The sides of a triangle opposite of its corners, turned by a right angle: the gradients of its elements times twice its area. */
function sidesOf({ points }: Mesh, corners: Uint32Array): { readonly sides: number[][]; readonly area: number } {
  const at = (k: number) => [points[2 * corners[k % 3]!]!, points[2 * corners[k % 3]! + 1]!] as const;
  const sides = [0, 1, 2].map((k) => {
    const [[x1, y1], [x2, y2]] = [at(k + 1), at(k + 2)];
    return [y1 - y2, x2 - x1];
  });
  const [[a, b], [c, d]] = sides as [[number, number], [number, number]];
  return { sides, area: Math.abs(a * d - b * c) / 2 };
}

function stiffness(mesh: Mesh): Structure {
  const { points, triangles } = mesh;
  const n = points.length / 2;
  const builder = new CsrBuilder(n, n, { symmetry: 'symmetric' });
  for (let first = 0; first < triangles.length; first += 3) {
    const corners = triangles.subarray(first, first + 3);
    const { sides, area } = sidesOf(mesh, corners);
    for (let i = 0; i < 3; i++) {
      for (let j = i; j < 3; j++) {
        const product = sides[i]![0]! * sides[j]![0]! + sides[i]![1]! * sides[j]![1]!;
        builder.add(corners[i]!, corners[j]!, product / (4 * area) + (i === j ? area / 3 : 0));
      }
    }
  }
  const matrix = builder.build();
  return { ...structureOf(matrix), values: matrix.values as Float64Array, field: 'real' };
}

/** The integral of each element: a third of the triangles around its point. */
function loads(mesh: Mesh): Float64Array {
  const { points, triangles } = mesh;
  const b = new Float64Array(points.length / 2);
  for (let first = 0; first < triangles.length; first += 3) {
    const corners = triangles.subarray(first, first + 3);
    const { area } = sidesOf(mesh, corners);
    for (const corner of corners) b[corner]! += area / 3;
  }
  return b;
}
