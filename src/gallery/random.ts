/**
 * Random matrices with exactly the requested row lengths, and circuit-like ones. For a row of n entries the range of columns
 * is divided into n equal strata, and one column is drawn from each: a row never draws a column twice.
 */
import { CsrBuilder } from '../core/csr-builder.js';
import { mismatch } from '../core/errors.js';
import { below, normal, type RandomStream, roundRandomly, stratified, unit } from './draw.js';
import {
  checkSize,
  family,
  type GalleryFamily,
  integer,
  MAX_ROWS,
  number,
  type Structure,
  structureOf,
  word,
} from './family.js';

export const BANDED: GalleryFamily = family({
  name: 'banded',
  summary: 'random entries in a band, and the diagonal',
  source:
    'rule: the diagonal, and columns spread over the band up to `perRow`, or all of the band where it is narrower',
  parameters: {
    rows: integer(262_144, 1, MAX_ROWS, 'rows and columns'),
    halfBandwidth: integer(1000, 0, MAX_ROWS, 'greatest |i − j|'),
    perRow: integer(16, 1, MAX_ROWS, 'entries a row'),
  },
  size: ({ rows, halfBandwidth, perRow }) => ({
    rows,
    cols: rows,
    entries: rows * Math.min(perRow, rows, 2 * halfBandwidth + 1),
  }),
  structure: ({ rows, halfBandwidth, perRow }, random) => banded(rows, halfBandwidth, perRow, random),
});

const DISTRIBUTIONS = ['constant', 'uniform', 'geometric', 'powerlaw', 'lognormal'] as const;

export const ROW_LENGTHS: GalleryFamily = family({
  name: 'rowlengths',
  summary: 'random columns, row lengths of a given distribution in random order',
  source: 'rule: lengths are drawn, rounded at random, and cut at `max` and at the number of columns',
  parameters: {
    rows: integer(262_144, 0, MAX_ROWS, 'rows'),
    cols: integer(262_144, 0, MAX_ROWS, 'columns'),
    distribution: word(DISTRIBUTIONS, 'of the lengths; uniform: from 0 to 2·mean'),
    mean: number(16, 0, MAX_ROWS, 'mean length, before the cut'),
    max: integer(MAX_ROWS, 0, MAX_ROWS, 'greatest length'),
    exponent: number(2.5, 2.01, 20, 'powerlaw: P(length = l) ~ l^−exponent'),
    sigma: number(1, 0, 5, 'lognormal: standard deviation of the logarithm of the length'),
  },
  size: ({ rows, cols, mean, max }) => ({ rows, cols, entries: rows * Math.min(mean, max, cols) }),
  structure: ({ rows, cols, max, ...shape }, random) => {
    const { distribution } = shape;
    const draw = () => LENGTHS[distribution](shape, random);
    const whole = distribution === 'geometric' ? draw : () => roundRandomly(random, draw());
    return rowLengths(rows, cols, () => Math.min(max, cols, whole()), random);
  },
});

export const CIRCUIT: GalleryFamily = family({
  name: 'circuit',
  summary: 'circuit-like: short rows of short and long wires, and a few nets that reach half of the matrix',
  source:
    'rule: the diagonal; (perRow − 1)/2 wires a row, ends |i − j| apart with probability ~ 1/|i − j|, in both ' +
    'triangles; and `hubs` nodes whose row and column have `hubLength` entries each. Like SuiteSparse ' +
    'Freescale, Hamm and Sandia circuits; wires drawn twice become one',
  parameters: {
    n: integer(1_000_000, 2, MAX_ROWS, 'rows and columns'),
    perRow: number(5, 1, 1000, 'mean entries of a row without the hubs'),
    hubs: integer(4, 0, 1000, 'full rows, and as many full columns'),
    hubLength: integer(500_000, 0, MAX_ROWS, 'entries of a full row; at most n'),
  },
  size: ({ n, perRow, hubs, hubLength }) => ({ rows: n, cols: n, entries: n * perRow + 2 * hubs * hubLength }),
  structure: ({ n, perRow, hubs, hubLength }, random) => {
    if (hubLength > n) throw mismatch('argument', 'gallery:circuit hubLength', `at most n = ${n}`, hubLength, { n });
    if (hubs > n) throw mismatch('argument', 'gallery:circuit hubs', `at most n = ${n}`, hubs, { n });
    return circuit(n, Math.round((n * (perRow - 1)) / 2), hubs, hubLength, random);
  },
});

function banded(rows: number, halfBandwidth: number, perRow: number, random: RandomStream): Structure {
  const rowPtr = new Uint32Array(rows + 1);
  const begin = (i: number) => Math.max(0, i - halfBandwidth);
  const end = (i: number) => Math.min(rows, i + halfBandwidth + 1);
  for (let i = 0; i < rows; i++) rowPtr[i + 1] = rowPtr[i]! + Math.min(perRow, end(i) - begin(i));
  const colIdx = new Uint32Array(rowPtr[rows]!);
  for (let i = 0; i < rows; i++) {
    const first = rowPtr[i]!;
    const length = rowPtr[i + 1]! - first;
    stratified(random, length - 1, begin(i), end(i) - 1, colIdx, first);
    insertDiagonal(colIdx, first, length - 1, i);
  }
  return { rows, cols: rows, rowPtr, colIdx, symmetric: 2 * halfBandwidth + 1 <= perRow };
}

/** Inserts the diagonal into `count` columns that were drawn without it, from a range that is one column shorter. */
function insertDiagonal(colIdx: Uint32Array, first: number, count: number, row: number): void {
  let k = first + count;
  for (; k > first && colIdx[k - 1]! >= row; k--) colIdx[k] = colIdx[k - 1]! + 1;
  colIdx[k] = row;
}

interface LengthShape {
  readonly mean: number;
  readonly exponent: number;
  readonly sigma: number;
}

/** Draws a row length: a real number, but a whole one where the distribution is geometric. */
export const LENGTHS: Record<(typeof DISTRIBUTIONS)[number], (shape: LengthShape, random: RandomStream) => number> = {
  constant: ({ mean }) => mean,
  uniform: ({ mean }, random) => 2 * mean * unit(random),
  // P(l) = p (1 − p)^l, mean (1 − p)/p.
  geometric: ({ mean }, random) => (mean === 0 ? 0 : Math.floor(Math.log(unit(random)) / Math.log(mean / (mean + 1)))),
  // Pareto from x₀ on, mean x₀ (exponent − 1)/(exponent − 2).
  powerlaw: ({ mean, exponent }, random) =>
    ((mean * (exponent - 2)) / (exponent - 1)) * unit(random) ** (-1 / (exponent - 1)),
  lognormal: ({ mean, sigma }, random) => mean * Math.exp(sigma * normal(random) - (sigma * sigma) / 2),
};

function rowLengths(rows: number, cols: number, lengthOf: () => number, random: RandomStream): Structure {
  const rowPtr = new Uint32Array(rows + 1);
  let entries = 0;
  for (let i = 0; i < rows; i++) {
    entries += lengthOf();
    rowPtr[i + 1] = entries;
  }
  checkSize('gallery:rowlengths', { rows, cols, entries });
  const colIdx = new Uint32Array(entries);
  for (let i = 0; i < rows; i++) stratified(random, rowPtr[i + 1]! - rowPtr[i]!, 0, cols, colIdx, rowPtr[i]!);
  return { rows, cols, rowPtr, colIdx, symmetric: false };
}

function circuit(n: number, wires: number, hubs: number, hubLength: number, random: RandomStream): Structure {
  const builder = new CsrBuilder(n, n, { field: 'pattern', symmetry: 'symmetric' });
  for (let i = 0; i < n; i++) builder.add(i, i, 1);
  const longest = Math.floor(n / 2);
  for (let k = 0; k < wires; k++) {
    const from = below(random, n);
    const distance = Math.floor((longest + 1) ** unit(random));
    const isForward = from < distance || (from + distance < n && below(random, 2) === 0);
    builder.add(from, isForward ? from + distance : from - distance, 1);
  }
  const nodes = new Uint32Array(hubs);
  stratified(random, hubs, 0, n, nodes, 0);
  const reached = new Uint32Array(hubLength);
  for (const node of nodes) {
    stratified(random, hubLength, 0, n, reached, 0);
    for (const other of reached) builder.add(node, other, 1);
  }
  return structureOf(builder.build());
}
