/**
 * Patterns of matrices, made row by row or from pairs: { rows, cols, rowPtr, colIdx }, columns ascending strictly in each row, and
 * `symmetric` where the pattern equals its transpose.
 */

/** A growing list of 32-bit integers. */
export class Indices {
  data;
  length = 0;

  constructor(capacity = 1 << 16) {
    this.data = new Uint32Array(Math.max(16, Math.ceil(capacity)));
  }

  push(value) {
    if (this.length === this.data.length) this.reserve(1);
    this.data[this.length++] = value;
  }

  reserve(more) {
    if (this.length + more <= this.data.length) return;
    const grown = new Uint32Array(Math.max(2 * this.data.length, this.length + more));
    grown.set(this.data.subarray(0, this.length));
    this.data = grown;
  }

  toArray() {
    return this.data.slice(0, this.length);
  }
}

/** `fill(i, row)` pushes the columns of row i to `row`, in any order; duplicates become one. */
export function byRows(rows, cols, fill, expected) {
  const rowPtr = new Uint32Array(rows + 1);
  const colIdx = new Indices(expected);
  for (let i = 0; i < rows; i++) {
    const begin = rowPtr[i];
    fill(i, colIdx);
    colIdx.length = begin + sortedUnique(colIdx.data, begin, colIdx.length);
    rowPtr[i + 1] = colIdx.length;
  }
  return { rows, cols, rowPtr, colIdx: colIdx.toArray() };
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

/** The pattern of pairs (i, j), given as two lists, in any order; duplicates become one. With `mirrored` also of all (j, i). */
export function byPairs(rows, cols, from, to, mirrored = false) {
  const count = from.length;
  const both = mirrored ? 2 * count : count;
  const heads = new Uint32Array(both);
  const tails = new Uint32Array(both);
  heads.set(from.data.subarray(0, count));
  tails.set(to.data.subarray(0, count));
  if (mirrored) {
    heads.set(to.data.subarray(0, count), count);
    tails.set(from.data.subarray(0, count), count);
  }
  const byColumn = counted(cols, tails, heads);
  const byRow = counted(rows, byColumn.other, byColumn.key);
  const { rowPtr, colIdx } = unique(rows, byRow.ptr, byRow.other);
  return { rows, cols, rowPtr, colIdx, ...(mirrored && { symmetric: true }) };
}

/** A stable counting sort of pairs by `key`. */
function counted(count, key, other) {
  const ptr = new Uint32Array(count + 1);
  for (let k = 0; k < key.length; k++) ptr[key[k] + 1]++;
  for (let i = 0; i < count; i++) ptr[i + 1] += ptr[i];
  const next = ptr.slice(0, count);
  const sortedKey = new Uint32Array(key.length);
  const sortedOther = new Uint32Array(key.length);
  for (let k = 0; k < key.length; k++) {
    const place = next[key[k]]++;
    sortedKey[place] = key[k];
    sortedOther[place] = other[k];
  }
  return { ptr, key: sortedKey, other: sortedOther };
}

function unique(rows, ptr, colIdx) {
  const rowPtr = new Uint32Array(rows + 1);
  let write = 0;
  for (let i = 0; i < rows; i++) {
    for (let k = ptr[i]; k < ptr[i + 1]; k++) {
      if (write === rowPtr[i] || colIdx[k] !== colIdx[write - 1]) colIdx[write++] = colIdx[k];
    }
    rowPtr[i + 1] = write;
  }
  return { rowPtr, colIdx: colIdx.slice(0, write) };
}

export function transposed({ rows, cols, rowPtr, colIdx, symmetric }) {
  const rowOf = new Uint32Array(colIdx.length);
  for (let i = 0; i < rows; i++) rowOf.fill(i, rowPtr[i], rowPtr[i + 1]);
  const { ptr, other } = counted(cols, colIdx, rowOf);
  return { rows: cols, cols: rows, rowPtr: ptr, colIdx: other, symmetric };
}

/** The pattern of A + Aᵀ, for a square A. */
export function symmetrised({ rows, rowPtr, colIdx }) {
  const from = new Indices(colIdx.length);
  const to = new Indices(colIdx.length);
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) {
      from.push(i);
      to.push(colIdx[k]);
    }
  }
  return byPairs(rows, rows, from, to, true);
}

/** Row i of the result is row rowOf[i]; column j becomes colTo[j], or stays without `colTo`. */
export function reordered({ rows, cols, rowPtr, colIdx, symmetric }, rowOf, colTo) {
  const fill = (i, row) => {
    const begin = rowPtr[rowOf[i]];
    const end = rowPtr[rowOf[i] + 1];
    row.reserve(end - begin);
    for (let k = begin; k < end; k++) row.push(colTo === undefined ? colIdx[k] : colTo[colIdx[k]]);
  };
  return { ...byRows(rows, cols, fill, colIdx.length), ...(colTo !== undefined && symmetric && { symmetric }) };
}

/** The entries for which `keeps(i, j)`. */
export function filtered({ rows, cols, rowPtr, colIdx }, keeps) {
  const kept = new Uint32Array(colIdx.length);
  const ptr = new Uint32Array(rows + 1);
  let write = 0;
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) if (keeps(i, colIdx[k])) kept[write++] = colIdx[k];
    ptr[i + 1] = write;
  }
  return { rows, cols, rowPtr: ptr, colIdx: kept.slice(0, write) };
}

/** Every entry becomes a dense block of size × size. */
export function promoted({ rows, cols, rowPtr, colIdx, symmetric }, size) {
  const fill = (i, row) => {
    const block = Math.floor(i / size);
    for (let k = rowPtr[block]; k < rowPtr[block + 1]; k++) {
      for (let d = 0; d < size; d++) row.push(colIdx[k] * size + d);
    }
  };
  return { ...byRows(rows * size, cols * size, fill, colIdx.length * size * size), ...(symmetric && { symmetric }) };
}

/** Several unknowns per node, numbered one unknown after the other: a matrix of size × size copies. */
export function copies({ rows, cols, rowPtr, colIdx, symmetric }, size) {
  const fill = (i, row) => {
    for (let d = 0; d < size; d++) {
      for (let k = rowPtr[i % rows]; k < rowPtr[(i % rows) + 1]; k++) row.push(colIdx[k] + d * cols);
    }
  };
  return { ...byRows(rows * size, cols * size, fill, colIdx.length * size * size), ...(symmetric && { symmetric }) };
}

/** (A B; C D), of patterns that fit; a missing one is empty. `symmetric` if it is said to be. */
export function blockMatrix([[a, b], [c, d]], symmetric = false) {
  const rows = a.rows + (c ?? d).rows;
  const cols = a.cols + (b ?? d).cols;
  const fill = (i, row) => {
    const [left, right] = i < a.rows ? [a, b] : [c, d];
    const own = i < a.rows ? i : i - a.rows;
    for (let k = left?.rowPtr[own] ?? 0, end = left?.rowPtr[own + 1] ?? 0; k < end; k++) row.push(left.colIdx[k]);
    for (let k = right?.rowPtr[own] ?? 0, end = right?.rowPtr[own + 1] ?? 0; k < end; k++) {
      row.push(a.cols + right.colIdx[k]);
    }
  };
  return { ...byRows(rows, cols, fill), ...(symmetric && { symmetric }) };
}
