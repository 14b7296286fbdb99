/**
 * Estimates what a factorization takes before its order is known, by the width of the graph: a few searches of it. They take 9 ms for 5-point 300² in a new process, 2 in later calls
 * (Intel Xeon, Node 20, November 2026); the factorizations of the systems of `FLOPS` take 22 to 2,800 ms. The analysis counts exactly.
 */
import type { CsrMatrix } from '../core/csr.js';
import { SparlaneError } from '../core/errors.js';
import { sum } from '../core/sum.js';
import { BreadthFirstSearch } from '../reorder/breadth-first.js';

/** Rows with more neighbours than so many times √n, such as a circuit's power supply, are eliminated last and do not separate. */
const HUB = 10;

/**
 * A factorization takes this times s · max(n, s √n) multiplications and additions in two dimensions, this times s · max(½ n √s, s²) in three. Counted by
 * analyses: 21 for 5-point 300², 34 to 44 for frames, plane strain, plates and 9-point 350², 21 for a shell (bcsstk29), 6 for random triangles; 19 for
 * 7-point 40³, 26 on 200 × 20 × 20, 10 to 18 for tetrahedra, 3 for elasticity, whose levels are wide.
 */
const FLOPS = 20;

/**
 * A ball whose growth is measured has at most so many vertices, and at most this share of the mesh, whose boundary it should not reach. Chosen, not fitted: 2000
 * vertices are 31 steps of 5 points, and 11 of 7 points.
 */
const BALL = 2000;
const BALL_SHARE = 1 / 16;

/** Where the balls are, in the order of levels. The second least growth counts: the boundary makes one slower, long edges make others faster. */
const CENTRES = [0.3, 0.4, 0.5, 0.6, 0.7];

/** The growth of a ball is a dimension up to here: 1.6 to 3.0 were measured in meshes, 4 to 11 in circuits and plants. */
export const MOST_DIMENSIONS = 3.5;

/** The side of a cube that has as many points as the ball, over the radius of the ball: 1.41 for 5 points, 2 for 9, 1.1 for 7, 2 for 27. */
const BALL_SHAPE = 1.5;

/** A graph is like a mesh if no vertex has more than this many times the mean number of neighbours: 1 to 2.5 in meshes, 4.2 (bayer10) to 94 (memplus) in circuits and plants. */
const MESH_NEIGHBOURS = 4;

export interface FactorEstimate {
  /** Multiplications and additions; Infinity if A is not like a mesh: a width says nothing of circuits, whose factors take 10⁴ to 4 · 10⁵ times fewer (bayer10, memplus). */
  readonly flops: number;
  readonly isMesh: boolean;
  /** The power of the radius by which balls in the graph grow: 1 to 3 in meshes, more in random graphs; of parts of 2000 vertices and more the largest one. Infinity if A is not like a mesh. */
  readonly dimension: number;
  /** Levels of a search from one end to the other, of the part that has most: the length of a mesh in edges. 0 if A is not like a mesh. */
  readonly levels: number;
}

/** The estimate where A is not like a mesh. It also stands where a search of the graph has no room: whether factors have room, their analysis then finds out. */
const NOT_LIKE_A_MESH: FactorEstimate = {
  flops: Number.POSITIVE_INFINITY,
  isMesh: false,
  dimension: Number.POSITIVE_INFINITY,
  levels: 0,
};

/**
 * What the factors of A take. A breadth-first search finds levels, of which one in the middle, of s rows, separates the rest: in two dimensions s² ≈ n, in
 * three s³ᐟ² ≈ n. Where levels are wide, as rings along the boundary of a mesh are, a ball in the middle says how wide a plane cut would be.
 *
 * @param isSymmetric whether the pattern is known to be symmetric
 */
export function estimateFactors(matrix: CsrMatrix, isSymmetric = false): FactorEstimate {
  try {
    using search = new BreadthFirstSearch(matrix, isSymmetric);
    return estimateOf(search);
  } catch (error) {
    if (error instanceof SparlaneError && error.code === 'heap') return NOT_LIKE_A_MESH;
    throw error;
  }
}

function estimateOf(search: BreadthFirstSearch): FactorEstimate {
  const { vertices, seenBy, queue } = search;
  const most = search.leaveOutHubs(HUB * Math.sqrt(vertices));
  if (most * vertices > MESH_NEIGHBOURS * search.ends) return NOT_LIKE_A_MESH;
  let [flops, largest, longest] = [0, 0, 0];
  for (let v = seenBy.indexOf(0); v >= 0; v = seenBy.indexOf(0, v)) {
    const size = sum(search.levelsFrom(v, 1));
    const levels = search.levelsFrom(queue[size - 1]!, 2).slice();
    longest = Math.max(longest, levels.length);
    const { dimension, reach } = growthInside(search, levels, size);
    const width = Math.min(narrowest(levels, size), reach * size ** (1 - 1 / dimension));
    flops += flopsOf(width, size, dimension);
    if (size >= BALL) largest = Math.max(largest, dimension);
  }
  return { flops, isMesh: true, dimension: largest, levels: longest };
}

/** Of a mesh of `size` vertices that can be cut at `width` of them. */
function flopsOf(width: number, size: number, dimension: number): number {
  if (dimension <= 2) return FLOPS * width * Math.max(size, width * Math.sqrt(size));
  return FLOPS * width * Math.max(0.5 * size * Math.sqrt(width), width * width);
}

/** The middle of the level that has place `at`, away from the boundary. */
function middleOfLevel(levels: Uint32Array, at: number): number {
  let begin = 0;
  for (const width of levels) {
    if (begin + width > at) return begin + (width >> 1);
    begin += width;
  }
  return begin - 1;
}

/** Of the levels that have a third of the vertices on each side, or that reach across. */
function narrowest(levels: Uint32Array, size: number): number {
  let [before, least] = [0, Number.POSITIVE_INFINITY];
  for (const width of levels) {
    const after = before + width;
    if (after > size / 3 && before < (2 * size) / 3) least = Math.min(least, width);
    before = after;
  }
  return least;
}

interface Growth {
  readonly dimension: number;
  /** A plane cuts this times size^(1 − 1 / dimension) vertices. */
  readonly reach: number;
}

/** The growth that is assumed where a part has fewer than three levels, or a ball too few to measure it. */
const NO_GROWTH: Growth = { dimension: Number.POSITIVE_INFINITY, reach: 1 };

/** Returns how balls grow in a part of the graph. The queue has its vertices, as a search from one end has found them in these levels. */
function growthInside(search: BreadthFirstSearch, levels: Uint32Array, size: number): Growth {
  if (levels.length < 3) return NO_GROWTH;
  const { queue } = search;
  const centres = CENTRES.map((share) => queue[middleOfLevel(levels, share * size)]!);
  const enough = Math.min(BALL, Math.ceil(BALL_SHARE * size));
  const balls = centres.map((centre, k) => growthOf(search.levelsFrom(centre, 3 + k, enough)));
  return balls.sort((p, q) => p.dimension - q.dimension)[1]!;
}

/** A ball of V vertices within r steps grows as V = (c r)ᵈ, where c = shape · reach. */
function growthOf(ball: Uint32Array): Growth {
  const radius = ball.length - 1;
  const half = radius >> 1;
  if (half === 0) return NO_GROWTH;
  const [all, inner] = [sum(ball), sum(ball.subarray(0, half + 1))];
  const growth = Math.log(all / inner) / Math.log((radius + 0.5) / (half + 0.5));
  const dimension = Math.max(1, growth < MOST_DIMENSIONS ? Math.round(growth) : growth);
  return { dimension, reach: all ** (1 / dimension) / (radius + 0.5) / BALL_SHAPE };
}
