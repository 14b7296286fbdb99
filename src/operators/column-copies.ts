/** Copies of columns of blocks, for operators that multiply blocks column by column. */
import { SparlaneError } from '../core/errors.js';
import type { FloatArrayConstructor } from '../core/types.js';
import type { Space } from '../memory/space.js';
import { Vector } from '../memory/vector.js';

/** One pass over a block copies so many columns. Chosen: eight of f64 fill a cache line. */
const COLUMNS_AT_ONCE = 8;

/** More than one copy of each is made only while the heap has so many times the bytes of all of them free, since solvers allocate after their first product. Chosen. */
const ROOM_LEFT = 8;

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
   * Returns vectors for columns of X and of Y: as many of each as there is ample room for, at least one, at most `count` and at most `COLUMNS_AT_ONCE`. They are allocated
   * once. A device allocates nothing while it records, so a recorded product has the vectors of earlier products there.
   *
   * @throws SparlaneError `heap` if there is no room for one of each; `argument` while a device records, if no product came before
   */
  take(count: number): readonly [x: readonly Vector[], y: readonly Vector[]] {
    const [x, y] = [this.#x, this.#y];
    const wanted = Math.min(count, COLUMNS_AT_ONCE);
    try {
      while (y.length < wanted && (y.length === 0 || this.#hasRoom)) {
        if (x.length === y.length) x.push(new Vector(this.#space, this.#type, this.#cols));
        y.push(new Vector(this.#space, this.#type, this.#rows));
      }
    } catch (error) {
      if (y.length === 0 || !(error instanceof SparlaneError)) throw error;
    }
    const taken = Math.min(wanted, y.length);
    return [x.slice(0, taken), y.slice(0, taken)];
  }

  /** Says whether the heap has ample room for more copies. On a device it is always true: there an allocation that fails says that room is missing. */
  get #hasRoom(): boolean {
    const bytes = COLUMNS_AT_ONCE * (this.#rows + this.#cols) * this.#type.BYTES_PER_ELEMENT;
    return this.#space.heap === undefined || this.#space.heap.bytesFree >= ROOM_LEFT * bytes;
  }

  [Symbol.dispose](): void {
    for (const column of [...this.#x, ...this.#y]) column.dispose();
  }
}
