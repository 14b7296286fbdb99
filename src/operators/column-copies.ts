/** Copies of columns of blocks, for operators that multiply blocks column by column. */
import type { FloatArrayConstructor } from '../core/types.js';
import type { Space } from '../memory/space.js';
import { Vector } from '../memory/vector.js';

/** So many columns are copied in one pass over a block: a cache line of f64. */
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

  /** Whether there is none yet. */
  get isEmpty(): boolean {
    return this.#y.length === 0;
  }

  /**
   * Returns vectors for columns of X and of Y, as many as there is room for, up to `count` and eight. They are allocated once: in a recording only those of
   * earlier products are there.
   *
   * @throws as an allocation, if there is none
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
      if (this.isEmpty) throw error;
    }
    const taken = Math.min(wanted, y.length);
    return [x.slice(0, taken), y.slice(0, taken)];
  }

  [Symbol.dispose](): void {
    for (const column of [...this.#x, ...this.#y]) column.dispose();
  }
}
