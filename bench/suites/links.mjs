/** Links between rows, as entries of a symmetric pattern; and the rows that still need links. */

/** Pairs of rows; each becomes two entries, one in each direction. */
export class Links {
  #from;
  #to;
  count = 0;

  constructor(capacity) {
    this.#from = new Uint32Array(capacity);
    this.#to = new Uint32Array(capacity);
  }

  add(a, b) {
    this.#from[this.count] = a;
    this.#to[this.count++] = b;
  }

  /** Replaces link k, a–b, by c–a and d–b: c and d gain one, a and b keep their number. */
  split(k, c, d) {
    this.add(d, this.#to[k]);
    this.#to[k] = c;
  }

  ends(k) {
    return [this.#from[k], this.#to[k]];
  }

  /**
   * Canonical CSR without values; duplicate links become one. Two passes of a counting sort: by row, in any order
   * within it, and then by column, which puts the entries of each row of a symmetric pattern in order.
   *
   * @param onDiagonal whether row i has the entry (i, i)
   */
  pattern(rows, onDiagonal) {
    const [from, to] = [this.#from.subarray(0, this.count), this.#to.subarray(0, this.count)];
    const rowPtr = new Uint32Array(rows + 1);
    for (let k = 0; k < from.length; k++) {
      rowPtr[from[k] + 1]++;
      rowPtr[to[k] + 1]++;
    }
    for (let i = 0; i < rows; i++) rowPtr[i + 1] += rowPtr[i] + (onDiagonal(i) ? 1 : 0);
    const unsorted = new Uint32Array(rowPtr[rows]);
    const next = rowPtr.slice(0, rows);
    for (let k = 0; k < from.length; k++) {
      unsorted[next[from[k]]++] = to[k];
      unsorted[next[to[k]]++] = from[k];
    }
    for (let i = 0; i < rows; i++) if (onDiagonal(i)) unsorted[next[i]++] = i;
    return withoutTwins(rowPtr, mirrored(rowPtr, unsorted));
  }
}

function mirrored(rowPtr, colIdx) {
  const rows = rowPtr.length - 1;
  const next = rowPtr.slice(0, rows);
  const turned = new Uint32Array(colIdx.length);
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) turned[next[colIdx[k]]++] = i;
  }
  return turned;
}

function withoutTwins(rowPtr, colIdx) {
  const rows = rowPtr.length - 1;
  let write = 0;
  let begin = 0;
  for (let i = 0; i < rows; i++) {
    const first = write;
    const end = rowPtr[i + 1];
    for (let k = begin; k < end; k++) {
      if (write === first || colIdx[write - 1] !== colIdx[k]) colIdx[write++] = colIdx[k];
    }
    begin = end;
    rowPtr[i + 1] = write;
  }
  return { rows, cols: rows, rowPtr, colIdx: write === colIdx.length ? colIdx : colIdx.slice(0, write) };
}

/** The rows that still need links; `next` costs almost nothing, since rows never reopen (union-find with halved paths). */
export class OpenRows {
  #after;

  constructor(rows) {
    this.#after = Uint32Array.from({ length: rows + 1 }, (_, i) => i);
  }

  close(row) {
    this.#after[row] = row + 1;
  }

  /** The first open row from `row` on, or the number of rows if there is none. */
  next(row) {
    const after = this.#after;
    let at = row;
    while (after[at] !== at) {
      after[at] = after[after[at]];
      at = after[at];
    }
    return at;
  }
}
