/**
 * Pairs of rows for pivots of two rows: a row whose diagonal is too small to be a pivot, as in saddle points, and a row with a large entry in
 * its column. They are eliminated one after the other, in one supernode, where the pair is found.
 *
 * Source: Duff & Pralet, "Strategies for scaling and pivoting for sparse symmetric indefinite problems", 2005.
 * Differs: pairs come from a matching of such rows with any others, the largest entries first, not from a weighted matching of all rows.
 */
import type { CsrMatrix } from '../../core/csr.js';
import { LAST } from '../../reorder/twins.js';

/** A diagonal entry below this share of the largest entry of its row needs a partner. */
const SMALL = 1e-2;

/** Most rows of a search for a partner: more would take longer than a replaced pivot costs. */
const MOST_SEARCHED = 1000;

/** Finds for each row the one that is eliminated right after it, its partner, or LAST. The result is undefined if there are no pairs. */
export function pairsOf(matrix: CsrMatrix): Int32Array | undefined {
  const { rows, rowPtr, colIdx, values } = matrix;
  const needy: number[] = [];
  const isNeedy = new Uint8Array(rows);
  for (let i = 0; i < rows; i++) {
    let [own, most] = [0, 0];
    for (let k = rowPtr[i]!, end = rowPtr[i + 1]!; k < end; k++) {
      const size = Math.abs(values[k]!);
      if (colIdx[k] === i) own = size;
      else most = Math.max(most, size);
    }
    if (most === 0 || own >= SMALL * most) continue;
    needy.push(i);
    isNeedy[i] = 1;
  }
  if (needy.length === 0) return undefined;
  const matching = new Matching(matrix, isNeedy);
  for (const i of needy) matching.match(i);
  return matching.next;
}

/** A matching of needy rows with others, which grows by augmenting paths. */
class Matching {
  /** The partner that follows a row. */
  readonly next: Int32Array;
  readonly #matrix: CsrMatrix;
  readonly #isNeedy: Uint8Array;
  /** Whether a row has a partner. */
  readonly #isTaken: Uint8Array;
  /** 1 + the last needy row whose search met each row. */
  readonly #met: Uint32Array;

  constructor(matrix: CsrMatrix, isNeedy: Uint8Array) {
    this.#matrix = matrix;
    this.#isNeedy = isNeedy;
    this.next = new Int32Array(matrix.rows).fill(LAST);
    this.#isTaken = new Uint8Array(matrix.rows);
    this.#met = new Uint32Array(matrix.rows);
  }

  /** Finds a partner for a row, for which others may get new ones. Two needy rows may be partners, too. */
  match(row: number): void {
    if (this.#isTaken[row] === 1) return;
    const free = this.#largestFree(row);
    if (free !== LAST) {
      this.next[free] = row;
      this.#isTaken[free] = this.#isTaken[row] = 1;
      return;
    }
    // Breadth first: how each needy row was reached, by whom and through which partner.
    const queue = [row];
    const from = new Map<number, { readonly before: number; readonly partner: number }>();
    for (let head = 0; head < queue.length && head < MOST_SEARCHED; head++) {
      const at = queue[head]!;
      const { rowPtr, colIdx, values } = this.#matrix;
      for (let k = rowPtr[at]!, end = rowPtr[at + 1]!; k < end; k++) {
        const partner = colIdx[k]!;
        if (this.#isNeedy[partner] === 1 || values[k] === 0 || this.#met[partner] === row + 1) continue;
        this.#met[partner] = row + 1;
        const owner = this.next[partner]!;
        if (owner === LAST) {
          this.#augment(at, partner, from);
          this.#isTaken[row] = this.#isTaken[partner] = 1;
          return;
        }
        from.set(owner, { before: at, partner });
        queue.push(owner);
      }
    }
  }

  /** The free row with the largest entry in a row. */
  #largestFree(row: number): number {
    const { rowPtr, colIdx, values } = this.#matrix;
    let [best, most] = [LAST, 0];
    for (let k = rowPtr[row]!, end = rowPtr[row + 1]!; k < end; k++) {
      const j = colIdx[k]!;
      const size = Math.abs(values[k]!);
      if (j !== row && size > most && this.#isTaken[j] === 0) [best, most] = [j, size];
    }
    return best;
  }

  #augment(
    last: number,
    free: number,
    from: ReadonlyMap<number, { readonly before: number; readonly partner: number }>,
  ): void {
    let [at, partner] = [last, free];
    for (;;) {
      this.next[partner] = at;
      const how = from.get(at);
      if (how === undefined) return;
      [at, partner] = [how.before, how.partner];
    }
  }
}
