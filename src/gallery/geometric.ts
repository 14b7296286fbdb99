/** Random geometric graphs: similar to meshes, in an order that is bad for caches (random) or good (grid). */
import { CsrBuilder } from '../core/csr-builder.js';
import { type RandomStream, unit } from './draw.js';
import { family, type GalleryFamily, integer, number, type Structure, structureOf, word } from './family.js';

export const RGG: GalleryFamily = family({
  name: 'rgg',
  summary: 'random geometric graph: points of the unit square, edges between those that are near',
  source: 'Gilbert 1961; as SuiteSparse DIMACS10/rgg_n_2_*. Radius √(degree / πn); no loops',
  parameters: {
    n: integer(262_144, 1, 2 ** 28, 'points'),
    degree: number(13, 0, 1e6, 'mean number of neighbours, away from the border'),
    order: word(['random', 'grid'], 'numbering: as drawn; or by the cells of a grid of the radius, row by row'),
  },
  size: ({ n, degree }) => ({ rows: n, cols: n, entries: n * Math.min(degree, n - 1) }),
  structure: ({ n, degree, order }, random) => geometric(n, degree, order === 'grid', random),
});

interface Points {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

/** Neighbours are searched in the 3 × 3 cells around a point, in a grid of cells at least as wide as the radius. */
function geometric(n: number, degree: number, byCell: boolean, random: RandomStream): Structure {
  const radius = Math.sqrt(degree / (Math.PI * n));
  const side = Math.max(1, Math.min(Math.floor(1 / radius), Math.floor(Math.sqrt(n))));
  const { x, y } = randomPoints(n, random);
  const { cellPtr, order } = sortIntoCells({ x, y }, side);
  const label = byCell ? inverse(order) : undefined;
  const builder = new CsrBuilder(n, n, { field: 'pattern', symmetry: 'symmetric' });
  const connect = (p: number, begin: number, end: number) => {
    for (let k = begin; k < end; k++) {
      const q = order[k]!;
      if ((x[p]! - x[q]!) ** 2 + (y[p]! - y[q]!) ** 2 > radius * radius) continue;
      if (label === undefined) builder.add(p, q, 1);
      else builder.add(label[p]!, label[q]!, 1);
    }
  };
  for (let cell = 0; cell < side * side; cell++) {
    const column = cell % side;
    const isLastRow = cell + side >= side * side;
    const below = cell + side;
    for (let k = cellPtr[cell]!; k < cellPtr[cell + 1]!; k++) {
      // Each pair once: the remainder of this cell, the cell to the right, the three cells of the next row.
      connect(order[k]!, k + 1, cellPtr[column + 1 < side ? cell + 2 : cell + 1]!);
      if (isLastRow) continue;
      connect(order[k]!, cellPtr[column > 0 ? below - 1 : below]!, cellPtr[column + 1 < side ? below + 2 : below + 1]!);
    }
  }
  return structureOf(builder.build());
}

function randomPoints(n: number, random: RandomStream): Points {
  const x = new Float64Array(n);
  const y = new Float64Array(n);
  for (let k = 0; k < n; k++) {
    x[k] = unit(random);
    y[k] = unit(random);
  }
  return { x, y };
}

/** A counting sort of the points by cell, row by row; cell c holds the points order[cellPtr[c]] … */
function sortIntoCells({ x, y }: Points, side: number): { cellPtr: Uint32Array; order: Uint32Array } {
  const cellOf = (p: number) => Math.floor(y[p]! * side) * side + Math.floor(x[p]! * side);
  const cellPtr = new Uint32Array(side * side + 1);
  for (let p = 0; p < x.length; p++) cellPtr[cellOf(p) + 1]!++;
  for (let c = 0; c < side * side; c++) cellPtr[c + 1]! += cellPtr[c]!;
  const next = cellPtr.slice();
  const order = new Uint32Array(x.length);
  for (let p = 0; p < x.length; p++) order[next[cellOf(p)]!++] = p;
  return { cellPtr, order };
}

function inverse(order: Uint32Array): Uint32Array {
  const places = new Uint32Array(order.length);
  for (let k = 0; k < order.length; k++) places[order[k]!] = k;
  return places;
}
