/**
 * Stand-ins: matrices with the figures of a published one, where neither the matrix nor a rule for it is available.
 *
 * Exact: rows, columns, the maximum row length, and, except for a few entries in a million, the number of entries (a
 * symmetric pattern, or one of blocks, cannot have any number). Within 1 %: the variance of the row lengths. Also
 * given: the share of the pattern that is symmetric. Only approximate: the spread of a row over the columns, the length
 * of runs of adjacent columns, and the similarity of neighbouring rows, which determine whether vectors stay in caches.
 */
import { randomStream, roundRandomly } from '../../../dist/gallery/draw.js';
import { leadingPart, promoted } from '../patterns.mjs';
import { weighted } from '../values.mjs';
import { arranged, rowLengths } from './lengths.mjs';
import { mirroredPattern } from './mirrored.mjs';
import { scatteredPattern } from './scattered.mjs';

/**
 * The meaning of a kind. `tail`: row lengths by a power law, not a bell; `smooth`: neighbouring rows have similar
 * lengths; `anywhere`: neighbouring rows have nothing in common.
 */
const KINDS = {
  mesh: { tail: false, smooth: true, anywhere: false },
  blocks: { tail: false, smooth: true, anywhere: false },
  graph: { tail: false, smooth: false, anywhere: false },
  'power-law': { tail: true, smooth: false, anywhere: false },
  random: { tail: false, smooth: false, anywhere: true },
};

/**
 * With a larger share of mirrored entries a pattern is made symmetric; with a smaller one none is mirrored on purpose.
 */
const SYMMETRIC = 0.995;
const UNSYMMETRIC = 0.02;

/** If neighbouring rows are more similar than this, they have similar lengths. */
const ALIKE = 0.7;

/** Smaller matrices lose their shape. */
const MIN_ROWS = 200;

/** Maximum share of one row in the variance, for any number of rows; more only if it has more in the whole matrix. */
const SHARE_OF_LONGEST = 0.01;

/**
 * @param figures `rows`, `cols`, `nnz`; `min`, `max`, `variance` of the row lengths; `diagonal`: whether rows have it;
 *   `symmetric`: share of the entries off the diagonal that have a mirror image; `values`: 'symmetric' | 'general';
 *   `kind`; `block`: every entry of a smaller pattern becomes a dense block of that many rows and columns; `spread`:
 *   mean, deviation and maximum of the distance from the first to the last column of a row, over cols; `run`,
 *   `similarity`, `colMax`; `seed`
 * @param scale of the rows; the row lengths keep their mean, and their variance unless a few hubs cause it
 * @returns a `CsrMatrix` of seeded real values
 */
export function standIn(figures, scale = 1) {
  const scaled = scaledFigures(figures, scale);
  const random = randomStream(figures.seed, 'structure');
  const pattern = expanded(patternOf(inBlocks(scaled), random), scaled);
  return weighted(pattern, figures.values === 'symmetric' && scaled.symmetric >= SYMMETRIC, figures.seed);
}

/**
 * The figures of a smaller matrix of the same shape. A hub that accounts for part of the variance keeps that part, so
 * it shrinks with the square root of the scale, but never exceeds its original share of the columns. A matrix of few,
 * long rows shrinks in both directions.
 */
export function scaledFigures(figures, scale) {
  if (scale === 1) return { ...figures };
  const isWide = figures.nnz > figures.rows ** 2 / 2;
  const lengthScale = isWide ? Math.sqrt(scale) : 1;
  const rows = Math.max(Math.min(MIN_ROWS, figures.rows), Math.round(figures.rows * (isWide ? lengthScale : scale)));
  const cols = figures.cols === figures.rows ? rows : Math.max(1, Math.round(figures.cols * scale));
  const mean = (figures.nnz / figures.rows) * lengthScale;
  const deviation = Math.sqrt(figures.variance) * lengthScale;
  const beyond = figures.max * lengthScale - mean;
  const share = Math.max(SHARE_OF_LONGEST, beyond ** 2 / (figures.rows * deviation ** 2));
  const kept = Math.min(beyond, deviation * Math.sqrt(share * rows * (isWide ? lengthScale / scale : 1)));
  const roof = Math.max(2 * mean, cols * Math.max(0.25, figures.max / figures.cols));
  const max = Math.min(cols, Math.max(Math.ceil(mean), Math.round(Math.min(mean + kept, roof))));
  const shrunk = kept > 0 ? Math.min(1, (max - mean) / kept) : 1;
  const variance = (deviation * (shrunk < 0.99 ? shrunk : 1)) ** 2;
  const min = Math.min(figures.min, Math.floor(mean));
  return { ...figures, rows, cols, nnz: Math.round(mean * rows), min, max, variance };
}

/** The figures of the pattern whose entries become blocks. */
function inBlocks(figures) {
  const { block = 1 } = figures;
  if (block === 1) return figures;
  const rows = Math.ceil(figures.rows / block);
  return {
    ...figures,
    ...{ rows, cols: Math.ceil(figures.cols / block), nnz: Math.round(figures.nnz / block ** 2) },
    ...{
      min: Math.max(figures.min > 0 ? 1 : 0, Math.floor(figures.min / block)),
      max: Math.round(figures.max / block),
    },
    ...{ variance: figures.variance / block ** 2, run: Math.max(1, figures.run / block) },
  };
}

function patternOf(figures, random) {
  const { rows, cols, nnz, kind, diagonal, symmetric, similarity } = figures;
  const { tail, smooth } = KINDS[kind];
  const ascending = rowLengths({ ...figures, sum: nnz, tail });
  const lengths = arranged(ascending, smooth || similarity > ALIKE, random);
  const shape = { ...localityOf(figures, ascending), diagonal };
  if (symmetric >= SYMMETRIC) return mirroredPattern(lengths, shape, random);
  let part;
  if (symmetric > UNSYMMETRIC && rows === cols) {
    const offDiagonal = (length) => (diagonal ? Math.max(0, length - 1) : length);
    const share = deliberate(symmetric, nnz / rows, shape);
    const halves = lengths.map((length) => roundRandomly(random, share * offDiagonal(length)));
    part = mirroredPattern(halves, { ...shape, diagonal: false }, random);
  }
  return scatteredPattern(lengths, cols, part, { ...shape, colMax: figures.colMax }, random);
}

/** In a narrow band many entries have a mirror image by chance. */
function deliberate(symmetric, mean, { width, far }) {
  const byChance = Math.min(0.9, ((1 - far) * mean) / (2 * width));
  return Math.max(0, (symmetric - byChance) / (1 - byChance));
}

/**
 * From the spread of rows to the distance of their entries. If the spread hardly varies, or is small everywhere, rows
 * lie in a band of that width, unless it would be hardly wider than they are long; else most entries lie in a narrow
 * band, and the others anywhere.
 */
function localityOf({ rows, cols, nnz, kind, diagonal, symmetric, spread, run, similarity }, ascending) {
  if (KINDS[kind].anywhere) return { width: cols, far: 1, run, similarity };
  const [average, deviation, greatest] = spread;
  const least = (4 * nnz) / rows;
  const isBand = greatest < 0.15 || (average < 0.25 && deviation < 0.6 * average);
  if (isBand) return { width: Math.max((average * cols) / 2, least), far: 0, run, similarity };
  const width = Math.max(Math.min(2 * Math.sqrt(cols), (average * cols) / 3), least);
  const beyond = Math.max(0, average - (2 * width) / cols);
  // Mirrored links are far one by one, others run by run.
  const perRun = symmetric > 0.5 ? 1 : run;
  const counts = Array.from({ length: 64 }, (_, k) => {
    const length = ascending[Math.floor(((k + 0.5) * rows) / 64)];
    return Math.min(200, Math.round(Math.max(0, length - (diagonal ? 1 : 0)) / perRun));
  });
  return { width, far: farShare(beyond, counts), run, similarity };
}

/**
 * The share of far runs for which rows of that many runs spread over `average` of the columns: j far runs over j/(j +
 * 2).
 */
function farShare(average, counts) {
  let [low, high] = [0, 1 - 1e-9];
  for (let turn = 0; turn < 30; turn++) {
    const share = (low + high) / 2;
    const expected = counts.reduce((sum, count) => sum + expectedSpread(share, count), 0) / counts.length;
    if (expected < average) low = share;
    else high = share;
  }
  return low;
}

function expectedSpread(share, count) {
  let sum = 0;
  let chance = (1 - share) ** count;
  for (let far = 0; far <= count; far++) {
    sum += (chance * far) / (far + 2);
    chance *= ((count - far) / (far + 1)) * (share / (1 - share));
  }
  return sum;
}

/** Every entry becomes a block; then rows and columns are cut to the numbers asked for. */
function expanded(pattern, { rows, cols, block = 1 }) {
  return block === 1 ? pattern : leadingPart(promoted(pattern, block), rows, cols);
}
