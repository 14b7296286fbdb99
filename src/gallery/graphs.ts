/** Graphs: de Bruijn, R-MAT, road-like. Entry (i, j) is the edge from node i to node j. */
import { CsrBuilder } from '../core/csr-builder.js';
import { mismatch } from '../core/errors.js';
import { below, permutation, type RandomStream, unit } from './draw.js';
import { family, type GalleryFamily, integer, number, type Structure, structureOf, word } from './family.js';

export const DE_BRUIJN: GalleryFamily = family({
  name: 'debruijn',
  summary: 'de Bruijn graph of binary words, undirected: four entries a row, at either end of the matrix',
  source:
    'words that overlap: i with 2i and 2i + 1 mod 2^order, and back; each pair once. ' +
    'Without loops it has the entry count of SuiteSparse AG-Monien/debr (order 20: 4,194,298)',
  parameters: {
    order: integer(20, 1, 28, 'letters of a word; 2^order nodes'),
    loops: word(['keep', 'drop'], 'the loops of the words 00…0 and 11…1'),
  },
  size: ({ order, loops }) => ({
    rows: 2 ** order,
    cols: 2 ** order,
    // 2 · 2ⁿ edges and their transposes; the loops and the pair 0101…, 1010… are their own transposes.
    entries: 4 * 2 ** order - (loops === 'keep' ? 4 : 6),
  }),
  structure: ({ order, loops }) => deBruijn(2 ** order, loops === 'keep'),
});

export const RMAT: GalleryFamily = family({
  name: 'rmat',
  summary: 'power-law graph, directed, a few long rows and columns',
  source:
    'Chakrabarti, Zhan & Faloutsos, "R-MAT: A Recursive Model for Graph Mining", SDM 2004, with the ' +
    'probabilities of Graph500; edges drawn twice become one, loops stay, nothing is relabelled',
  parameters: {
    scale: integer(18, 1, 28, 'log₂ of the number of nodes'),
    edgeFactor: integer(16, 0, 1024, 'edges drawn per node'),
    a: number(0.57, 0, 1, 'probability of the upper left quarter'),
    b: number(0.19, 0, 1, 'of the upper right'),
    c: number(0.19, 0, 1, 'of the lower left; the lower right has the rest'),
  },
  size: ({ scale, edgeFactor }) => ({ rows: 2 ** scale, cols: 2 ** scale, entries: edgeFactor * 2 ** scale }),
  structure: ({ scale, edgeFactor, a, b, c }, random) => {
    if (a + b + c > 1 + 1e-12) throw mismatch('argument', 'gallery:rmat a + b + c', 'a sum of at most 1', a + b + c);
    return rmat(scale, edgeFactor * 2 ** scale, [a, a + b, a + b + c], random);
  },
});

export const ROAD: GalleryFamily = family({
  name: 'road',
  summary: 'road-like graph: planar, connected, 1 to 4 neighbours, hardly more than 2 on average',
  source:
    'rule: a grid whose nodes each have the road to the left or the one up (a maze that reaches every node), ' +
    'and the other too with probability `extra`; SuiteSparse DIMACS10/road_usa has 2.4 entries a row',
  parameters: {
    nx: integer(1000, 1, 2 ** 28, 'nodes along x'),
    ny: integer(1000, 1, 2 ** 28, 'nodes along y'),
    extra: number(0.2, 0, 1, 'probability of the second road; 2 + 2·extra entries a row'),
    order: word(['grid', 'random'], 'numbering: row by row; or at random'),
  },
  size: ({ nx, ny, extra }) => ({ rows: nx * ny, cols: nx * ny, entries: 2 * nx * ny * (1 + extra) }),
  structure: ({ nx, ny, extra, order }, random) => road(nx, ny, extra, order === 'random', random),
});

function deBruijn(n: number, keepLoops: boolean): Structure {
  const rowPtr = new Uint32Array(n + 1);
  const colIdx = new Uint32Array(4 * n - (keepLoops ? 4 : 6));
  const half = n / 2;
  let write = 0;
  for (let i = 0; i < n; i++) {
    const before = i >>> 1;
    const after = 2 * i - (i < half ? 0 : n);
    for (const column of ascendingPairs(before, before + half, after, after + 1)) {
      const isNew = write === rowPtr[i] || colIdx[write - 1] !== column;
      if (isNew && (keepLoops || column !== i)) colIdx[write++] = column;
    }
    rowPtr[i + 1] = write;
  }
  return { rows: n, cols: n, rowPtr, colIdx, symmetric: true };
}

/** Merges the ascending pairs a < b and c < d. */
function ascendingPairs(a: number, b: number, c: number, d: number): [number, number, number, number] {
  const inner = Math.max(a, c);
  const outer = Math.min(b, d);
  return [Math.min(a, c), Math.min(inner, outer), Math.max(inner, outer), Math.max(b, d)];
}

function rmat(scale: number, edges: number, steps: [number, number, number], random: RandomStream): Structure {
  const builder = new CsrBuilder(2 ** scale, 2 ** scale, { field: 'pattern' });
  drawRmat(scale, edges, steps, random, (row, col) => builder.add(row, col));
  return structureOf(builder.build());
}

/** Draws edges of R-MAT. @param steps the cumulative probabilities of the first three quarters */
export function drawRmat(
  scale: number,
  edges: number,
  [upperLeft, upper, notLowerRight]: readonly [number, number, number],
  random: RandomStream,
  connect: (from: number, to: number) => void,
): void {
  for (let k = 0; k < edges; k++) {
    let row = 0;
    let col = 0;
    for (let level = 0; level < scale; level++) {
      const draw = unit(random);
      const isLower = draw >= upper;
      const isRight = isLower ? draw >= notLowerRight : draw >= upperLeft;
      row = 2 * row + (isLower ? 1 : 0);
      col = 2 * col + (isRight ? 1 : 0);
    }
    connect(row, col);
  }
}

function road(nx: number, ny: number, extra: number, shuffled: boolean, random: RandomStream): Structure {
  const n = nx * ny;
  const label = shuffled ? permutation(random, n) : undefined;
  const builder = new CsrBuilder(n, n, { field: 'pattern', symmetry: 'symmetric' });
  drawRoads(n, nx, extra, random, (p, q) => {
    if (label === undefined) builder.add(p, q);
    else builder.add(label[p]!, label[q]!);
  });
  return structureOf(builder.build());
}

/** Draws the roads between n nodes, nx of them in a line of the grid; the last line may be shorter. */
export function drawRoads(
  n: number,
  nx: number,
  extra: number,
  random: RandomStream,
  connect: (p: number, q: number) => void,
): void {
  for (let node = 1; node < n; node++) {
    const hasLeft = node % nx > 0;
    const hasUp = node >= nx;
    const both = hasLeft && hasUp && unit(random) < extra;
    const takesLeft = hasLeft && (!hasUp || below(random, 2) === 0);
    if (takesLeft || both) connect(node, node - 1);
    if (!takesLeft || both) connect(node, node - nx);
  }
}
