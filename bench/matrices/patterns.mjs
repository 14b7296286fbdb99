/**
 * Patterns of matrices, made row by row or from pairs: { rows, cols, rowPtr, colIdx }, columns ascending strictly in each row, and
 * `symmetric` where the pattern equals its transpose. The structures of the gallery are such patterns, too.
 */
import { CsrBuilder } from '../../dist/core/csr-builder.js';
import { transposedPattern } from '../../dist/core/transpose.js';
import { permutation } from '../../dist/gallery/draw.js';
import { structureOf } from '../../dist/gallery/family.js';
import { promoteIndices } from '../../dist/gallery/promote.js';

/** A growing list of columns. */
class Columns {
  data;
  length = 0;

  constructor(capacity = 1 << 16) {
    this.data = new Uint32Array(Math.max(16, Math.ceil(capacity)));
  }

  push(column) {
    if (this.length === this.data.length) {
      const grown = new Uint32Array(2 * this.length);
      grown.set(this.data);
      this.data = grown;
    }
    this.data[this.length++] = column;
  }

  /** Pushes row i of a pattern, moved by `shift` columns. */
  pushRow({ rowPtr, colIdx }, i, shift = 0) {
    for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) this.push(colIdx[k] + shift);
  }
}

/** `fill(i, row)` pushes the columns of row i to `row`, in any order; duplicates become one. */
export function byRows(rows, cols, fill, expected) {
  const rowPtr = new Uint32Array(rows + 1);
  const colIdx = new Columns(expected);
  for (let i = 0; i < rows; i++) {
    const begin = rowPtr[i];
    fill(i, colIdx);
    colIdx.length = begin + sortedUnique(colIdx.data, begin, colIdx.length);
    rowPtr[i + 1] = colIdx.length;
  }
  return { rows, cols, rowPtr, colIdx: colIdx.data.slice(0, colIdx.length) };
}

/** Up to this many columns are sorted by insertion. */
const FEW = 24;

/** Sorts data[begin … end − 1] and removes duplicates; returns the number that is left. */
function sortedUnique(data, begin, end) {
  if (end - begin <= FEW) {
    for (let k = begin + 1; k < end; k++) {
      const value = data[k];
      let place = k;
      for (; place > begin && data[place - 1] > value; place--) data[place] = data[place - 1];
      data[place] = value;
    }
  } else if (!ascends(data, begin, end)) data.subarray(begin, end).sort();
  let write = begin;
  for (let k = begin; k < end; k++) if (k === begin || data[k] !== data[write - 1]) data[write++] = data[k];
  return write - begin;
}

function ascends(data, begin, end) {
  for (let k = begin + 1; k < end; k++) if (data[k] < data[k - 1]) return false;
  return true;
}

/** The square pattern of pairs (i, j) that `fill(pairs)` adds, in any order; duplicates become one. `mirrored`: of all (j, i), too. */
export function byPairs(size, mirrored, fill) {
  const pairs = new CsrBuilder(size, size, { field: 'pattern', symmetry: mirrored ? 'symmetric' : 'general' });
  fill(pairs);
  return structureOf(pairs.build());
}

/** `visit(i, j)` for every entry, row by row. */
export function eachEntry({ rows, rowPtr, colIdx }, visit) {
  for (let i = 0; i < rows; i++) for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) visit(i, colIdx[k]);
}

export function transposed({ rows, cols, rowPtr, colIdx, symmetric }) {
  const { ptr, idx } = transposedPattern({ rows, cols, nnz: colIdx.length, rowPtr, colIdx });
  return { rows: cols, cols: rows, rowPtr: ptr, colIdx: idx, symmetric };
}

/** By column, the rows that have it: ptr, and idx, which ascends. Every row has `width` columns, in any order. */
export function rowsByColumn(colIdx, width, cols) {
  const rows = colIdx.length / width;
  const rowPtr = Uint32Array.from({ length: rows + 1 }, (_, row) => row * width);
  return transposedPattern({ rows, cols, nnz: colIdx.length, rowPtr, colIdx });
}

/** The pattern of A + Aᵀ, for a square A. */
export function symmetrised(pattern) {
  return byPairs(pattern.rows, true, (pairs) => eachEntry(pattern, (i, j) => pairs.add(i, j)));
}

/** Row i of the result is row rowOf[i]; column j becomes colTo[j], or stays without `colTo`. */
export function reordered({ rows, cols, rowPtr, colIdx, symmetric }, rowOf, colTo) {
  const fill = (i, row) => {
    const end = rowPtr[rowOf[i] + 1];
    for (let k = rowPtr[rowOf[i]]; k < end; k++) row.push(colTo === undefined ? colIdx[k] : colTo[colIdx[k]]);
  };
  return { ...byRows(rows, cols, fill, colIdx.length), ...(colTo !== undefined && symmetric && { symmetric }) };
}

/** An order of rows at random within windows of so many rows. */
export function shuffledWithin(window, rows, random) {
  const order = new Uint32Array(rows);
  for (let begin = 0; begin < rows; begin += window) {
    const inside = permutation(random, Math.min(window, rows - begin));
    for (let k = 0; k < inside.length; k++) order[begin + k] = begin + inside[k];
  }
  return order;
}

/** The entries for which `keeps(i, j)`, of a pattern or of a matrix with values. */
export function filtered({ rows, cols, rowPtr, colIdx, values }, keeps) {
  const ptr = new Uint32Array(rows + 1);
  const kept = new Uint32Array(rowPtr[rows]);
  const numbers = values?.slice(0, rowPtr[rows]);
  let write = 0;
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) {
      if (!keeps(i, colIdx[k])) continue;
      if (numbers !== undefined) numbers[write] = values[k];
      kept[write++] = colIdx[k];
    }
    ptr[i + 1] = write;
  }
  const pattern = { rows, cols, rowPtr: ptr, colIdx: kept.slice(0, write) };
  return numbers === undefined ? pattern : { ...pattern, nnz: write, values: numbers.slice(0, write) };
}

/** The first rows and columns of a pattern or of a matrix with values. */
export function leadingPart({ rowPtr, colIdx, values }, rows, cols) {
  return filtered({ rows, cols, rowPtr, colIdx, values }, (_, j) => j < cols);
}

/** Every entry becomes a dense block of size × size. */
export function promoted(pattern, size) {
  const { rows, cols, symmetric } = pattern;
  return { rows: rows * size, cols: cols * size, ...promoteIndices(pattern, size), symmetric };
}

/** Several unknowns per node, numbered one unknown after the other: a matrix of size × size copies. */
export function copies(pattern, size) {
  const { rows, cols, colIdx, symmetric } = pattern;
  const fill = (i, row) => {
    for (let d = 0; d < size; d++) row.pushRow(pattern, i % rows, d * cols);
  };
  return { ...byRows(rows * size, cols * size, fill, colIdx.length * size * size), symmetric };
}

/** (A B; Bᵀ 0), of a symmetric A. */
export function saddlePoint(a, b) {
  const mirror = transposed(b);
  const size = a.rows + b.cols;
  const pattern = byRows(size, size, (i, row) => {
    if (i < a.rows) {
      row.pushRow(a, i);
      row.pushRow(b, i, a.cols);
    } else row.pushRow(mirror, i - a.rows);
  });
  return { ...pattern, symmetric: true };
}
