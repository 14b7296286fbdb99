/**
 * Operations on blocks of vectors, in a space without kernels for them: columns are copied to vectors, and operations on these do the
 * rest. Takes memory for all columns; a recording is possible where the space records copies and allocations.
 */
import type { BlockOperation, CombineOperation, GramOperation, RowSpan, Space } from './space.js';

/** Runs an operation on blocks of `length` rows of elements of `width` bytes. @throws SparlaneError `heap` if the columns do not fit */
export function runByColumns(space: Space, width: number, length: number, operation: BlockOperation): void {
  const columns = new Columns(space, width, length);
  try {
    if (operation.kind === 'columnDots') {
      const [xs, ys] = [columns.copy(operation.x), columns.copy(operation.y)];
      operation.slots.forEach((slot, j) => {
        space.run(width, length, [{ kind: 'dot', x: xs[j]!, y: ys[j]!, slot }]);
      });
    } else if (operation.kind === 'gram') gram(columns, operation);
    else combine(columns, operation);
  } finally {
    columns[Symbol.dispose]();
  }
}

function gram(columns: Columns, { x, y, c }: GramOperation): void {
  const { space, width, length } = columns;
  const [xs, ys] = [columns.copy(x), columns.copy(y)];
  for (const [a, from] of xs.entries()) {
    for (const [b, other] of ys.entries())
      withElement(space, c, a, b, (slot) => space.run(width, length, [{ kind: 'dot', x: from, y: other, slot }]));
  }
}

function combine(columns: Columns, { alpha, x, c, beta, y }: CombineOperation): void {
  const { space, width, length } = columns;
  const [xs, ys] = [columns.copy(x), columns.copy(y)];
  for (const [b, to] of ys.entries()) {
    for (const [a, from] of xs.entries()) {
      const before = { slot: undefined, times: a === 0 ? beta : 1 };
      withElement(space, c, a, b, (slot) => {
        space.run(width, length, [{ kind: 'axpby', a: { slot, times: alpha }, x: from, b: before, y: to }]);
      });
    }
    const place = { y: y.block, yOffset: b, yStride: y.stride };
    space.run(width, length, [{ kind: 'copy', x: to, xOffset: 0, xStride: 1, ...place }]);
  }
}

/** Calls `use` with an element of a block of f64 as a scalar. */
function withElement(
  space: Space,
  { block, stride }: RowSpan,
  row: number,
  column: number,
  use: (slot: number) => void,
) {
  const slot = space.slice(block, 8 * (row * stride + column), 8);
  use(slot);
  space.releaseSlice(slot);
}

/** Copies of columns, until it is disposed. */
class Columns implements Disposable {
  readonly space: Space;
  readonly width: number;
  readonly length: number;
  readonly #copies: number[] = [];

  constructor(space: Space, width: number, length: number) {
    this.space = space;
    this.width = width;
    this.length = length;
  }

  copy({ block, columns, stride }: RowSpan): readonly number[] {
    const { space, width, length } = this;
    return Array.from({ length: columns }, (_, j) => {
      const y = space.allocate(width * length);
      this.#copies.push(y);
      space.run(width, length, [{ kind: 'copy', x: block, xOffset: j, xStride: stride, y, yOffset: 0, yStride: 1 }]);
      return y;
    });
  }

  [Symbol.dispose](): void {
    for (const copy of this.#copies) this.space.release(copy);
  }
}
