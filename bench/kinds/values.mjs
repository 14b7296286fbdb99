/** Values of a pattern, by kind. Symmetric ones depend on the unordered pair of row and column. */

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

/** A matrix as `csrMatrix` returns it, and the kind of its values. */
export function withValues(pattern, wanted, draws) {
  const { rows, cols, rowPtr, colIdx, symmetric = false } = pattern;
  const kind = wanted === 'symmetric' && !symmetric ? 'real' : wanted;
  const nnz = colIdx.length;
  const values = new Float64Array(nnz);
  const salt = draws.below(2 ** 31);
  const levels = draws.integer(...(LEVELS[kind] ?? [2, 2]));
  const mirrors = symmetric && (kind === 'symmetric' || kind === 'ones' || draws.chance(0.5));
  const draw = VALUE_OF[kind];
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) {
      const j = colIdx[k];
      values[k] = draw(mirrors && j < i ? hash(j, i, salt) : hash(i, j, salt), levels);
    }
  }
  const field = kind === 'ones' ? 'pattern' : kind === 'integer' ? 'integer' : 'real';
  const symmetry = mirrors ? 'symmetric' : 'general';
  return { values: kind, matrix: { rows, cols, nnz, rowPtr, colIdx, values, field, symmetry } };
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
function hash(i, j, salt) {
  let h = Math.imul(i ^ salt, 0x9e3779b1) ^ Math.imul(j + 0x7ed55d16, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
