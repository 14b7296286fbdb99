/** Values for patterns: seeded reals in (−1, 1), optionally symmetric. */
import { randomStream } from '../../dist/gallery/draw.js';

/** @param pattern canonical CSR without values; `isSymmetric`: whether its values are symmetric too */
export function withValues({ rows, cols, rowPtr, colIdx }, isSymmetric, seed) {
  const nnz = colIdx.length;
  const values = isSymmetric ? symmetricValues(rowPtr, colIdx) : seededValues(nnz, seed);
  return { rows, cols, nnz, rowPtr, colIdx, values, field: 'real', symmetry: isSymmetric ? 'symmetric' : 'general' };
}

function seededValues(count, seed) {
  const random = randomStream(seed, 'values');
  const values = new Float64Array(count);
  for (let k = 0; k < count; k++) values[k] = (random.next() + 0.5) / 2 ** 31;
  return values;
}

/** A multiplicative hash of the smaller and the larger index. */
function symmetricValues(rowPtr, colIdx) {
  const values = new Float64Array(colIdx.length);
  for (let i = 0; i + 1 < rowPtr.length; i++) {
    for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) {
      const low = Math.min(i, colIdx[k]);
      const high = Math.max(i, colIdx[k]);
      let hash = Math.imul(low ^ (low >>> 15), 0x2c1b3c6d) + Math.imul(high ^ (high >>> 13), 0x297a2d39);
      hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
      values[k] = ((hash ^ (hash >>> 13)) + 0.5) / 2 ** 31;
    }
  }
  return values;
}

/** The first rows and columns of a pattern or a matrix. */
export function leadingPart({ rowPtr, colIdx, values, ...rest }, rows, cols) {
  const kept = { ...rest, rows, cols, rowPtr: rowPtr.slice(0, rows + 1) };
  const columns = new Uint32Array(rowPtr[rows]);
  const numbers = values === undefined ? undefined : values.slice(0, rowPtr[rows]);
  let write = 0;
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) {
      if (colIdx[k] >= cols) continue;
      if (numbers !== undefined) numbers[write] = values[k];
      columns[write++] = colIdx[k];
    }
    kept.rowPtr[i + 1] = write;
  }
  const part = { ...kept, colIdx: columns.slice(0, write) };
  return numbers === undefined ? part : { ...part, nnz: write, values: numbers.slice(0, write) };
}
