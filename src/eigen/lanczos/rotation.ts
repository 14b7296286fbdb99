/** The matrices Q of V ← V Q, where V = [locked | beside | active]. */
import type { RitzPairs } from './projected.js';

export class Rotation {
  readonly columns: number;
  /** Row-major. */
  readonly Q: Float64Array;

  constructor(rows: number, columns: number) {
    this.columns = columns;
    this.Q = new Float64Array(rows * columns);
  }

  /** Column `to` ← column `from` of V. */
  keep(from: number, to: number): void {
    this.Q[from * this.columns + to] = 1;
  }

  /** Column `to` ← Ritz vector j of the active part, which begins with column `offset` of V. */
  putRitz({ values, vectors }: RitzPairs, j: number, offset: number, to: number): void {
    const active = values.length;
    for (let i = 0; i < active; i++) this.Q[(offset + i) * this.columns + to] = vectors[i * active + j]!;
  }

  /** Column `to` has this part of the last column of V, too. */
  addLast(part: number, to: number): void {
    this.Q[this.Q.length - this.columns + to] = part;
  }
}

/** A vector that is locked: `from` is its place before, or −1 − its place in `found`. */
export interface LockedPlace {
  readonly nu: number;
  readonly from: number;
}

/** The best `count` of the locked vectors and of those that were found. */
export function bestPlaces(
  locked: Float64Array,
  found: readonly number[],
  count: number,
  orderOf: (nu: number) => number,
): LockedPlace[] {
  const all = [...Array.from(locked, (nu, from) => ({ nu, from })), ...found.map((nu, at) => ({ nu, from: -1 - at }))];
  return all.sort((a, b) => orderOf(a.nu) - orderOf(b.nu)).slice(0, count);
}
