/** Values of patterns: drawn one after the other, or hashes of the place of an entry, which places across the diagonal may share. */
import { withValues } from '../../dist/gallery/values.js';

/** Gives a pattern reals in (−1, 1). They are drawn one by one; a symmetric pattern gets a hash of row and column, the same on both sides. */
export function weighted(pattern, isSymmetric = true, seed = 1) {
  if (!isSymmetric) return withValues(pattern, 'real', seed, 1);
  const { rows, cols, rowPtr, colIdx } = pattern;
  const values = valuesOfPlaces(pattern, true, (low, high) => (hashOfPair(low, high) + 0.5) / 2 ** 31);
  return { rows, cols, nnz: colIdx.length, rowPtr, colIdx, values, field: 'real', symmetry: 'symmetric' };
}

/** `numberOf(i, j)` for every entry; with `mirrors` also for (j, i), where i < j. */
function valuesOfPlaces({ rows, rowPtr, colIdx }, mirrors, numberOf) {
  const values = new Float64Array(colIdx.length);
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) {
      const j = colIdx[k];
      values[k] = mirrors && j < i ? numberOf(j, i) : numberOf(i, j);
    }
  }
  return values;
}

/** A multiplicative hash, of 32 bits with a sign. */
function hashOfPair(i, j) {
  let hash = Math.imul(i ^ (i >>> 15), 0x2c1b3c6d) + Math.imul(j ^ (j >>> 13), 0x297a2d39);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return hash ^ (hash >>> 13);
}

/** Kinds of values, with weights. Symmetric ones are those of the unordered pair of row and column. */
export const VALUES = [
  ['real', 5],
  ['symmetric', 3],
  ['ones', 2],
  ['few', 2],
  ['many', 1],
  ['integer', 1],
];

/** How many different values `few` and `many` have: a byte encodes the former, and some of the latter. */
const LEVELS = { few: [2, 40], many: [41, 700] };

/** A matrix as `csrMatrix` returns it, and the kind of its values: the wanted one, if the pattern can have it. */
export function withDrawnValues(pattern, wanted, draws) {
  const { rows, cols, rowPtr, colIdx, symmetric = false } = pattern;
  const kind = wanted === 'symmetric' && !symmetric ? 'real' : wanted;
  const salt = draws.below(2 ** 31);
  const levels = draws.integer(...(LEVELS[kind] ?? [2, 2]));
  const mirrors = symmetric && (kind === 'symmetric' || kind === 'ones' || draws.chance(0.5));
  const numberOf = VALUE_OF[kind];
  const values = valuesOfPlaces(pattern, mirrors, (i, j) => numberOf(saltedHash(i, j, salt), levels));
  const field = kind === 'ones' ? 'pattern' : kind === 'integer' ? 'integer' : 'real';
  const symmetry = mirrors ? 'symmetric' : 'general';
  return { values: kind, matrix: { rows, cols, nnz: colIdx.length, rowPtr, colIdx, values, field, symmetry } };
}

/** From a hash of 32 bits; never 0. */
const VALUE_OF = {
  real: (h) => (h - 2 ** 31 + 0.5) / 2 ** 31,
  symmetric: (h) => (h - 2 ** 31 + 0.5) / 2 ** 31,
  ones: () => 1,
  few: (h, levels) => 0.37 + (h % levels),
  many: (h, levels) => 0.37 + (h % levels),
  integer: (h) => (h % 9) + 1,
};

/** Murmur's finalizer over a pair. */
function saltedHash(i, j, salt) {
  let h = Math.imul(i ^ salt, 0x9e3779b1) ^ Math.imul(j + 0x7ed55d16, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
