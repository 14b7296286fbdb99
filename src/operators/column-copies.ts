/** Copies of columns of blocks, for operators that multiply blocks column by column. */
import type { FloatArrayConstructor } from '../core/types.js';
import type { Space } from '../memory/space.js';
import { Vector } from '../memory/vector.js';

/** Chosen: so many columns of f64 are a cache line. */
const COLUMNS_AT_ONCE = 8;

export class ColumnCopies implements Disposable {
  readonly #space: Space;
  readonly #type: FloatArrayConstructor;
  readonly #rows: number;
  readonly #cols: number;
  readonly #x: Vector[] = [];
  readonly #y: Vector[] = [];

  constructor(space: Space, type: FloatArrayConstructor, rows: number, cols: number) {
    [this.#space, this.#type, this.#rows, this.#cols] = [space, type, rows, cols];
  }

  /**
   * Returns as many vectors for columns of X and of Y as there is room for, at most `count` and at most eight of each. They are allocated once. A recording
   * allocates none, so it has those of earlier products.
   *
   * @throws SparlaneError `heap` if there is no room for one of each
   */
  take(count: number): readonly [x: readonly Vector[], y: readonly Vector[]] {
    const [x, y] = [this.#x, this.#y];
    const wanted = Math.min(count, COLUMNS_AT_ONCE);
    try {
      while (y.length < wanted) {
        if (x.length === y.length) x.push(new Vector(this.#space, this.#type, this.#cols));
        y.push(new Vector(this.#space, this.#type, this.#rows));
      }
    } catch (error) {
      if (y.length === 0) throw error;
    }
    const taken = Math.min(wanted, y.length);
    return [x.slice(0, taken), y.slice(0, taken)];
  }

  [Symbol.dispose](): void {
    for (const column of [...this.#x, ...this.#y]) column.dispose();
  }
}
