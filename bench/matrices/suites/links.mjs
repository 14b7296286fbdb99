/** Links between rows, as entries of a symmetric pattern; and the rows that still need links. */
import { byPairs } from '../patterns.mjs';

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

  /** Duplicate links become one. @param onDiagonal whether row i has the entry (i, i) */
  pattern(rows, onDiagonal) {
    return byPairs(rows, true, (pairs) => {
      pairs.addAll(this.#from.subarray(0, this.count), this.#to.subarray(0, this.count));
      for (let i = 0; i < rows; i++) if (onDiagonal(i)) pairs.add(i, i);
    });
  }
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
