/** The parameters of DIA, and the layouts that it offers for a matrix. */
import type { ParametersOf } from '../../core/parameters.js';
import { valueArray, vectorArray } from '../../core/types.js';
import { MANY, offsetsOf } from '../../features/features.js';
import type { Sample } from '../../features/sample.js';
import { type Format, vectorBytes } from '../format.js';

/** Stored places per entry beyond which CUSP, the library of the paper's authors, refuses a conversion. */
const MAX_FILL = 3;

/** Bytes of y in a chunk: four SIMD vectors of sums, which is one cache line. */
export const CHUNK_BYTES = 64;

/** Upper limit of rows + cols: an offset has 31 bits and a sign, and larger x and y do not fit into the memory. */
export const MAX_DIAGONALS: number = 2 ** 31;

export const parameters: ParametersOf<'maxFill', 'values'> = {
  values: {
    kind: 'word',
    default: 'full',
    allowed: ['full', 'table'],
    doc: 'full; table: chunks of 64 bytes of y with the same entries are stored once',
  },
  maxFill: {
    kind: 'number',
    default: MAX_FILL,
    min: 1,
    max: 2 ** 32,
    doc: 'stored places per entry above which a matrix is refused',
  },
};

/** Elements of f64 in a cache line. */
const LINE = 8;

/** Matrices of up to so many entries are looked at as a whole: a few entries far from a band, which a sample misses, are as many diagonals. */
const SMALL = 2 ** 16;

/** The places of diagonals in a matrix, and the number of streams of x that they read. */
function placesOn(offsets: ReadonlySet<number>, rows: number, cols: number): { places: number; runs: number } {
  let places = 0;
  let runs = 0;
  let before = Number.NEGATIVE_INFINITY;
  for (const offset of [...offsets].sort((a, b) => a - b)) {
    places += Math.max(0, Math.min(rows, cols - offset) - Math.max(0, -offset));
    if (offset - before > LINE) runs++;
    before = offset;
  }
  return { places, runs };
}

/**
 * The share of chunks that differ from all others before, by the share of sampled chunks that were met once (Good & Turing). The
 * first and the last rows of a grid, which are not in a sample, have as many kinds of chunks each as the rows between.
 */
function differentShare({ matrix, rowOf, rowScale }: Sample, height: number): number {
  const { rows, rowPtr, colIdx, values } = matrix;
  const met = new Map<number, number>();
  let chunks = 0;
  let once = 0;
  for (let row = 0; row + height <= rows; row += height, chunks++) {
    let hash = 0;
    let sum = 0;
    let place = 1;
    for (let i = row; i < row + height; i++) {
      for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) {
        hash = (Math.imul(hash, 31) + colIdx[k]! - rowOf[i]!) | 0;
        sum += place++ * values[k]!;
      }
    }
    const key = hash + Math.PI * sum;
    const times = met.get(key) ?? 0;
    met.set(key, times + 1);
    once += times === 0 ? 1 : times === 1 ? -1 : 0;
  }
  const unseen = 1 - 1 / rowScale;
  return chunks < LEAST_CHUNKS ? 1 : ((met.size * (1 + 2 * unseen)) / rowScale + once * unseen) / chunks;
}

/** Of fewer sampled chunks no share is estimated. */
const LEAST_CHUNKS = 32;

/** Chunks are offered as shared if at most this share of them is stored. */
const MOST_DIFFERENT = 0.5;

export const prospects: NonNullable<Format['prospects']> = ({ matrix, features, sample }, dtype, onDevice) => {
  const { rows, cols, nnz, diagonals } = features;
  if (diagonals >= MANY) return [];
  const offsets = nnz <= SMALL ? offsetsOf(matrix) : offsetsOf(sample.matrix, sample.rowOf);
  const { places: stored, runs } = placesOn(offsets, rows, cols);
  if (runs === 0 || stored > MAX_FILL * nnz || rows + cols > MAX_DIAGONALS) return [];
  const places = { entries: stored, steps: (runs * rows) / LINE, unsteady: 0 };
  const ofValues = stored * valueArray(dtype).BYTES_PER_ELEMENT;
  const vectors = vectorBytes(features, dtype);
  const full = { spec: 'dia', kernel: 'dia', bytes: ofValues + vectors, ...places };
  const height = CHUNK_BYTES / vectorArray(dtype).BYTES_PER_ELEMENT;
  const different = differentShare(sample, height);
  if (onDevice || different > MOST_DIFFERENT) return [full];
  const bytes = ofValues * different + (4 * rows) / height + vectors;
  return [full, { spec: 'dia?values=table', kernel: 'dia_table', bytes, ...places }];
};
