/**
 * The matrices that every format must store and multiply. They are small enough for all checks, and each one targets a
 * particular error of layouts or kernels. Values are small integers, so every order of summation gives the same sum.
 * `withRealValues` makes a variant whose sums are rounded, `withSpecialValues` one with non-finite entries.
 */
import type { CsrMatrix } from '../core/csr.js';
import { CsrBuilder } from '../core/csr-builder.js';
import type { FloatArray } from '../core/types.js';
import { below, permutation, type RandomStream, randomStream, stratified, unit } from '../gallery/draw.js';
import { gallery, parseGalleryUrl } from '../gallery/registry.js';

export interface ConformanceMatrix {
  readonly name: string;
  readonly matrix: CsrMatrix;
}

/**
 * Integer data: every order of summation gives the same sum, so y must be exact. Real data: y must be within the bound.
 * Special data: integers, except some non-finite entries of A; every order gives the same infinities and NaN.
 */
export type DataKind = 'integer' | 'real' | 'special';

const variants = new WeakMap<CsrMatrix, Map<DataKind, CsrMatrix>>();

/** A matrix of this suite with values of one kind; computed once for all formats. */
export function withValues(matrix: CsrMatrix, kind: DataKind): CsrMatrix {
  if (kind === 'integer') return matrix;
  const known = variants.get(matrix) ?? new Map<DataKind, CsrMatrix>();
  variants.set(matrix, known);
  const variant = known.get(kind) ?? (kind === 'real' ? withRealValues(matrix) : withSpecialValues(matrix));
  known.set(kind, variant);
  return variant;
}

let made: readonly ConformanceMatrix[] | undefined;

export function conformanceMatrices(): readonly ConformanceMatrix[] {
  made ??= makeMatrices();
  return made;
}

function makeMatrices(): ConformanceMatrix[] {
  const all = [...byHand(), ...byRowLength(), ...fromGallery()];
  return [...all, ...symmetricOnes(), ...ofOnes(all), ...ofSingles(all)];
}

/** [10 0 20; 0 0 0; 0 0 30; 40 50 60]. The header of every format draws the layout of this matrix. */
export function workedExample(): CsrMatrix {
  const builder = new CsrBuilder(4, 3, { field: 'integer' });
  builder.add(0, 0, 10);
  builder.add(0, 2, 20);
  builder.add(2, 2, 30);
  builder.add(3, 0, 40);
  builder.add(3, 1, 50);
  builder.add(3, 2, 60);
  return builder.build();
}

function byHand(): ConformanceMatrix[] {
  const all = columns(0, 40);
  const short = (row: number) => [row % 40, (row * 7 + 1) % 40].slice(0, row % 3);
  return [
    { name: 'worked example', matrix: workedExample() },
    pattern('0 × 0', 0, 0, () => []),
    pattern('0 × 5', 0, 5, () => []),
    pattern('5 × 0', 5, 0, () => []),
    pattern('no entries', 33, 17, () => []),
    pattern('1 × 1', 1, 1, () => [0]),
    pattern('1 × 1 empty', 1, 1, () => []),
    pattern('empty rows first', 30, 8, (row) => (row < 11 ? [] : [row % 8])),
    pattern('empty rows last', 30, 8, (row) => (row > 18 ? [] : [row % 8])),
    pattern('empty rows amid', 30, 8, (row) => (row > 7 && row < 22 ? [] : [row % 8])),
    pattern('every other row empty', 31, 8, (row) => (row % 2 === 0 ? [] : [0, 3, 7])),
    pattern('one full row', 41, 40, (row) => (row === 20 ? all : short(row))),
    pattern('first row full', 41, 40, (row) => (row === 0 ? all : short(row))),
    pattern('last row full', 41, 40, (row) => (row === 40 ? all : short(row))),
    pattern('one full column', 50, 40, (row) => [...new Set([0, ...short(row)])]),
    pattern('last column full', 50, 40, (row) => [...new Set([...short(row), 39])]),
    pattern('arrow', 45, 45, (row) => (row === 0 ? columns(0, 45) : [0, row])),
    pattern('diagonal', 65, 65, (row) => [row]),
    pattern('anti-diagonal', 37, 37, (row) => [36 - row]),
    pattern('periodic', 97, 97, (row) => [row, (row + 1) % 97, (row + 96) % 97]),
    pattern('diagonals far apart', 200, 260, (row) =>
      [-150, -60, 0, 5, 120].map((offset) => row + offset).filter((col) => col >= 0 && col < 260),
    ),
    pattern('lower triangle', 35, 35, (row) => columns(0, row + 1)),
    pattern('dense', 19, 23, () => columns(0, 23)),
    pattern('tall', 150, 2, (row) => columns(0, row % 3)),
    pattern('wide', 3, 400, (row) => columns(row * 130, row * 130 + 137)),
    pattern('one column', 70, 1, (row) => columns(0, row % 2)),
    pattern('one row', 1, 70, () => columns(3, 68)),
    pattern('columns beyond 16 bits', 230, 100_000, (row) => [row * 400, row * 400 + 7, row * 400 + 399]),
    pattern('columns far apart', 100, 100_000, (row) => [row, 99_999 - row]),
    { name: 'explicit zeros', matrix: explicitZeros() },
  ];
}

/** Explicit zeros are normal entries: they survive the round trip, and 0 · x is a normal term of a sum. */
function explicitZeros(): CsrMatrix {
  const builder = new CsrBuilder(9, 9);
  for (let row = 0; row < 9; row++) {
    for (let col = row % 3; col < 9; col += 2) builder.add(row, col, [0, 2, -0, -3][(row + col) % 4]!);
  }
  return builder.build();
}

/**
 * Row lengths at which a kernel with 2, 4, 8 or 16 lanes, unrolled twice, takes another branch: W − 1, W, W + 1, 2W − 1
 * …
 */
const LANE_LENGTHS = [
  ...new Set([2, 4, 8, 16].flatMap((w) => [0, 1, w - 1, w, w + 1, 2 * w - 1, 2 * w, 2 * w + 1])),
].sort((a, b) => a - b);

function byRowLength(): ConformanceMatrix[] {
  const random = randomStream(2022, 'structure');
  const twice = [...LANE_LENGTHS, ...LANE_LENGTHS];
  const shuffled = Array.from(permutation(random, twice.length), (place) => twice[place]!);
  const runs = LANE_LENGTHS.flatMap((length) => new Array<number>(9).fill(length));
  return [
    ofLengths('lane lengths ascending', LANE_LENGTHS, 40, random),
    ofLengths('lane lengths descending', LANE_LENGTHS.toReversed(), 40, random),
    ofLengths('lane lengths shuffled', shuffled, 57, random),
    ofLengths('runs of lane lengths', runs, 34, random),
    ofLengths(
      'two thousand short rows',
      Array.from({ length: 2000 }, () => below(random, 5)),
      300,
      random,
    ),
    // So many that `csr` lists the others.
    ofLengths(
      'thousands of empty rows',
      Array.from({ length: 4400 }, () => (below(random, 4) > 0 ? 0 : below(random, 10))),
      250,
      random,
    ),
  ];
}

function ofLengths(name: string, lengths: readonly number[], cols: number, random: RandomStream): ConformanceMatrix {
  return pattern(name, lengths.length, cols, (row) => {
    const row32 = new Uint32Array(lengths[row]!);
    stratified(random, lengths[row]!, 0, cols, row32, 0);
    return row32;
  });
}

/** One matrix of each family: small, but with more rows than a wide unit of any format. */
const GALLERY_URLS = [
  'gallery:laplace1d3?nx=301',
  'gallery:laplace2d5?nx=13&ny=11',
  'gallery:laplace2d9?nx=9&ny=8',
  'gallery:laplace3d7?nx=6&ny=5&nz=4',
  'gallery:laplace3d27?nx=5&ny=4&nz=4',
  'gallery:laplace2d5?nx=5&ny=4&block=3',
  'gallery:dense?rows=30&cols=31',
  'gallery:debruijn?order=6',
  'gallery:rmat?scale=6&edgeFactor=6',
  'gallery:rgg?n=150',
  'gallery:road?nx=14&ny=12',
  'gallery:banded?rows=120&halfBandwidth=9&perRow=7',
  'gallery:rowlengths?rows=120&cols=200&distribution=powerlaw&mean=8',
  'gallery:circuit?n=150&hubs=2&hubLength=120',
  'gallery:qcd?nx=3&ny=3&nz=3&nt=3',
];

function fromGallery(): ConformanceMatrix[] {
  return GALLERY_URLS.map((name) => {
    const request = parseGalleryUrl(name);
    return { name, matrix: withIntegerValues(gallery(request.name, request.given)) };
  });
}

/** Matrices that equal their transpose, values and all: for formats that store one triangle. */
function symmetricOnes(): ConformanceMatrix[] {
  const arrow = pattern('', 45, 45, (row) => (row === 0 ? columns(0, 45) : [0, row]));
  const dense = pattern('', 21, 21, () => columns(0, 21));
  const noDiagonal = pattern('', 50, 50, (row) => [row - 3, row + 3].filter((col) => col >= 0 && col < 50));
  const named = [
    { name: 'symmetric arrow', matrix: arrow.matrix },
    { name: 'symmetric dense', matrix: dense.matrix },
    { name: 'symmetric without diagonal', matrix: noDiagonal.matrix },
    ...['laplace2d9?nx=9&ny=8', 'laplace3d7?nx=6&ny=5&nz=4', 'rgg?n=150', 'road?nx=14&ny=12'].map((name) => {
      const request = parseGalleryUrl(`gallery:${name}`);
      return { name: `symmetric ${name}`, matrix: withIntegerValues(gallery(request.name, request.given)) };
    }),
  ];
  return named.map(({ name, matrix }) => ({ name, matrix: mirrored({ ...matrix, symmetry: 'symmetric' }) }));
}

/** The same matrix with the values of the lower triangle copied to the upper one. Its pattern must be symmetric. */
function mirrored(matrix: CsrMatrix): CsrMatrix {
  if (matrix.symmetry !== 'symmetric') return matrix;
  const { rows, rowPtr, colIdx } = matrix;
  const values = matrix.values.slice();
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) {
      const j = colIdx[k]!;
      if (j > i) values[k] = values[rowPtr[j]! + colIdx.subarray(rowPtr[j]!, rowPtr[j + 1]!).indexOf(i)]!;
    }
  }
  return { ...matrix, values };
}

/** Some of the matrices as patterns, whose values (all 1) need not be stored. */
function ofOnes(matrices: readonly ConformanceMatrix[]): ConformanceMatrix[] {
  const wanted = ['worked example', 'one full row', 'lane lengths shuffled', 'two thousand short rows'];
  return matrices
    .filter(({ name }) => wanted.includes(name) || name.includes('laplace2d9') || name.includes('rmat'))
    .map(({ name, matrix }) => {
      const values = new Float64Array(matrix.nnz).fill(1);
      return { name: `${name}, ones`, matrix: { ...matrix, values, field: 'pattern' } };
    });
}

/** Some of the matrices with values in f32, as files of it and many callers have them, for products of every dtype. */
function ofSingles(matrices: readonly ConformanceMatrix[]): ConformanceMatrix[] {
  const wanted = ['worked example', 'explicit zeros', 'lane lengths shuffled'];
  return matrices
    .filter(({ name }) => wanted.includes(name) || name.includes('laplace2d9'))
    .map(({ name, matrix }) => ({
      name: `${name}, f32 values`,
      matrix: { ...matrix, values: Float32Array.from(matrix.values) },
    }));
}

/** A matrix with given columns, ascending within each row. */
export function pattern(
  name: string,
  rows: number,
  cols: number,
  columnsOf: (row: number) => ArrayLike<number>,
): ConformanceMatrix {
  const builder = new CsrBuilder(rows, cols);
  for (let row = 0; row < rows; row++) {
    const list = columnsOf(row);
    for (let k = 0; k < list.length; k++) builder.add(row, list[k]!, 1);
  }
  return { name, matrix: withIntegerValues(builder.build()) };
}

export function columns(begin: number, end: number): number[] {
  return Array.from({ length: end - begin }, (_, k) => begin + k);
}

/** −4 … 4 without 0. With |x| ≤ 8, sums of 500 000 entries are exact even in f32. */
function withIntegerValues(matrix: CsrMatrix): CsrMatrix {
  const random = randomStream(4, 'values');
  const values = Float64Array.from(matrix.values, () => (below(random, 2) === 0 ? -1 : 1) * (1 + below(random, 4)));
  return { ...matrix, values, field: 'integer', symmetry: 'general' };
}

/** The same entries with values of 32 random bits, from 2⁻¹² to 2¹² in magnitude. Zeros stay zeros. */
export function withRealValues(matrix: CsrMatrix): CsrMatrix {
  const random = randomStream(5, 'values');
  const values = mapped(matrix.values, (value) => (value === 0 ? value : real(random)));
  return mirrored({ ...matrix, values, field: 'real' });
}

/** The same entries, some of them non-finite: in any order, exactly the rows of these must become infinite or NaN. */
function withSpecialValues(matrix: CsrMatrix): CsrMatrix {
  const specials = [NaN, Infinity, -Infinity];
  const values = mapped(matrix.values, (value, k) => (k % 11 === 5 ? specials[k % 3]! : value));
  return mirrored({ ...matrix, values, field: 'real' });
}

/** Other values of the same type. */
function mapped(values: FloatArray, change: (value: number, k: number) => number): FloatArray {
  return values instanceof Float64Array ? values.map(change) : values.map(change);
}

function real(random: RandomStream): number {
  return (2 * unit(random) - 1) * 2 ** (below(random, 25) - 12);
}

/** A seeded vector: integers from −8 to 8, or reals as above. */
export function sampleVector(length: number, kind: 'integer' | 'real', seed: number): Float64Array {
  const random = randomStream(seed, 'values');
  return Float64Array.from({ length }, () => (kind === 'integer' ? below(random, 17) - 8 : real(random)));
}
