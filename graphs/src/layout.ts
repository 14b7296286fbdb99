/**
 * Positions of nodes by the eigenvectors of the normalized Laplacian that follow the first one. Each connected part is laid out by itself; the parts
 * stand in rows, the largest first.
 *
 * Source: Koren 2005, "Drawing graphs by eigenvectors".
 */
import { type CsrMatrix, type Engine, spectralLayout as layoutOfMatrix } from 'sparlane';
import { byNode, type NodeKey } from './arcs.js';
import { type AnyGraph, arcsOf, type WeightOptions, wrong } from './graph.js';
import { partsOf, withoutDirections } from './undirected.js';

/** `spectralLayout` takes these options. */
export interface NodeLayoutOptions extends WeightOptions {
  /** The side of the square that the positions are in, from 0 on. Default 1. */
  readonly scale?: number;
  /** The eigenvectors have this tolerance, as that of `eigs`. Default 1e-6. */
  readonly tolerance?: number;
}

/** The position of a node in the plane. */
export interface NodePosition {
  x: number;
  y: number;
}

/** A picture needs no more. Chosen. */
const TOLERANCE = 1e-6;

/**
 * Places neighbours near to each other. Directions and loops do not count. The same graph always has the same layout.
 *
 * @returns positions in the square from 0 to `scale`, as the functions of graphology-layout
 * @throws SparlaneError `argument`; `structure` for weights that are negative or not finite; `heap`; as `eigs`
 */
export function spectralLayout(
  engine: Engine,
  graph: AnyGraph,
  options: NodeLayoutOptions = {},
): Record<NodeKey, NodePosition> {
  const { scale = 1, tolerance = TOLERANCE } = options;
  if (!(scale >= 0 && scale < Number.POSITIVE_INFINITY)) throw wrong('scale', 'a finite number from 0 on', scale);
  const arcs = arcsOf(graph, options);
  const W = withoutDirections(arcs);
  const parts = partsOf(W).sort((a, b) => b.nodes.length - a.nodes.length);
  const boxes = shelves(parts.map(({ nodes }) => Math.sqrt(nodes.length)));
  const positions: NodePosition[] = new Array(W.rows);
  parts.forEach(({ nodes, matrix }, p) => {
    const { left, top, side } = boxes.squares[p]!;
    const points = inUnitSquare(pointsOf(engine, matrix, tolerance));
    /** A number from 0 to 1 as a position along the side of the part's square. */
    const place = (from: number, at: number) => (scale / boxes.side) * (from + side * (MARGIN + (1 - 2 * MARGIN) * at));
    nodes.forEach((node, i) => {
      positions[node] = { x: place(left, points[2 * i]!), y: place(top, points[2 * i + 1]!) };
    });
  });
  return byNode(arcs, (i) => positions[i]!);
}

/** What a part leaves free at each side of its square. Chosen. */
const MARGIN = 0.05;

/** Returns two coordinates for each node of a connected graph. They are 0 where there is no further eigenvector. */
function pointsOf(engine: Engine, W: CsrMatrix, tolerance: number): Float64Array {
  const dimensions = Math.min(2, W.rows - 1);
  const points = new Float64Array(2 * W.rows);
  if (dimensions === 0) return points;
  const { coordinates } = layoutOfMatrix(engine, W, dimensions, { tolerance });
  for (let k = 0; k < coordinates.length; k++)
    points[2 * Math.floor(k / dimensions) + (k % dimensions)] = coordinates[k]!;
  return points;
}

/** Moves and scales points so that their longer side is from 0 to 1, and the other one is centred. */
function inUnitSquare(points: Float64Array): Float64Array {
  const least = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const most = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  points.forEach((value, k) => {
    least[k % 2] = Math.min(least[k % 2]!, value);
    most[k % 2] = Math.max(most[k % 2]!, value);
  });
  const extent = Math.max(most[0]! - least[0]!, most[1]! - least[1]!);
  return points.map((value, k) => {
    const middle = (least[k % 2]! + most[k % 2]!) / 2;
    return extent > 0 ? 0.5 + (value - middle) / extent : 0.5;
  });
}

interface Square {
  readonly left: number;
  readonly top: number;
  readonly side: number;
}

/** Places squares of these sides, descending, in rows within one square, whose side is returned, too. */
function shelves(sides: readonly number[]): { readonly squares: readonly Square[]; readonly side: number } {
  const width = Math.max(sides[0] ?? 1, Math.sqrt(sides.reduce((area, side) => area + side * side, 0)));
  let [left, top, height, right] = [0, 0, 0, 0];
  const squares = sides.map((side) => {
    if (left > 0 && left + side > width) [left, top, height] = [0, top + height, 0];
    const square = { left, top, side };
    left += side;
    height = Math.max(height, side);
    right = Math.max(right, left);
    return square;
  });
  return { squares, side: Math.max(right, top + height) };
}
