/** Quadratic elements (P2) on triangles: a mesh of a square, whose points are moved at random. */
import { CsrBuilder } from '../../dist/index.node.js';
import { drawFrom } from '../draw.mjs';

/** Most that a corner is moved, of the side of a square. */
const MOVED = 0.3;
const SEED = 4;
/** On the diagonal of the nodes of the side y = 0, which so are held at 0. */
const HELD = 10;

/** The corners of the two triangles of a square, in nodes; midpoints lie between them. */
const HALVES = [
  [
    [0, 0],
    [2, 0],
    [2, 2],
  ],
  [
    [0, 0],
    [2, 2],
    [0, 2],
  ],
];

/** The matrix discretizes −Δu by quadratic elements on n × n squares of two triangles each. It has (2 n + 1)² nodes, numbered with x fastest. */
export function quadraticTriangles(n, moved = MOVED) {
  const draw = drawFrom(SEED);
  const across = 2 * n + 1;
  const corners = Array.from({ length: (n + 1) ** 2 }, (_, k) => [
    (k % (n + 1)) + moved * draw(),
    Math.floor(k / (n + 1)) + moved * draw(),
  ]);
  const builder = new CsrBuilder(across ** 2, across ** 2, { symmetry: 'symmetric' });
  for (let y = 0; y < n; y++)
    for (let x = 0; x < n; x++)
      for (const half of HALVES) {
        const places = half.map(([dx, dy]) => [2 * x + dx, 2 * y + dy]);
        const middles = places.map(([ax, ay], k) => {
          const [bx, by] = places[(k + 1) % 3];
          return [(ax + bx) / 2, (ay + by) / 2];
        });
        const nodes = [...places, ...middles].map(([u, v]) => v * across + u);
        const points = places.map(([u, v]) => corners[(v / 2) * (n + 1) + u / 2]);
        addUpper(builder, nodes, stiffness(points));
      }
  for (let i = 0; i < across; i++) builder.add(i, i, HELD);
  return builder.build();
}

/** A symmetric matrix is built of one triangle. */
function addUpper(builder, nodes, element) {
  for (const [i, row] of nodes.entries())
    for (const [j, col] of nodes.entries()) if (row <= col) builder.add(row, col, element[i][j]);
}

/** The element's stiffness for its three corners, then the middles of the edges 0–1, 1–2, 2–0. The quadrature by the midpoints of the edges is exact. */
function stiffness(points) {
  const [[ax, ay], [bx, by], [cx, cy]] = points;
  const twice = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
  const gradients = [
    [by - cy, cx - bx],
    [cy - ay, ax - cx],
    [ay - by, bx - ax],
  ].map((side) => side.map((value) => value / twice));
  const element = Array.from({ length: 6 }, () => new Array(6).fill(0));
  for (let q = 0; q < 3; q++) {
    // Barycentric coordinates of the middle of an edge.
    const at = [0, 1, 2].map((k) => (k === (q + 2) % 3 ? 0 : 0.5));
    const shapes = [
      ...gradients.map((g, k) => g.map((value) => (4 * at[k] - 1) * value)),
      ...gradients.map((g, k) => {
        const next = (k + 1) % 3;
        return g.map((value, axis) => 4 * (at[next] * value + at[k] * gradients[next][axis]));
      }),
    ];
    for (let i = 0; i < 6; i++)
      for (let j = 0; j < 6; j++)
        element[i][j] += ((twice / 2) * (shapes[i][0] * shapes[j][0] + shapes[i][1] * shapes[j][1])) / 3;
  }
  return element;
}
