/**
 * Operations on blocks of vectors, each a program of its own for the kernel. `assembly/vectors/vector-operation.ts` defines the layout; `sums`
 * are f64, those of all chunks for the first result, then for the second one.
 */
import type { FloatArray } from '../../core/types.js';
import type { Heap, HeapScope } from '../../memory/heap.js';
import type { BlockOperation, CombineOperation, GramOperation, RowSpan } from '../../memory/space.js';

const KINDS = { columnDots: 5, gram: 6, combine: 7 } as const satisfies Record<BlockOperation['kind'], number>;

/** The numbers of an operation in the heap, in the order of its fields: words, two reals, words. */
export interface BlockFields {
  readonly words: readonly [kind: number, x: number, y: number];
  readonly reals: readonly [a: number, b: number];
  readonly sizes: readonly [xColumns: number, xStride: number, yColumns: number, yStride: number, chunks: number];
}

/** A block of one column has no padding, so it must be the x of `gram`. */
function isSwapped({ kind, y }: BlockOperation): boolean {
  return kind === 'gram' && y.columns === 1;
}

export function blockFields(operation: BlockOperation, chunks: number): BlockFields {
  const { kind } = operation;
  const [x, y] = isSwapped(operation) ? [operation.y, operation.x] : [operation.x, operation.y];
  const reals = kind === 'combine' ? ([operation.alpha, operation.beta] as const) : ([0, 0] as const);
  return { words: [KINDS[kind], x.block, y.block], reals, sizes: [x.columns, x.stride, y.columns, y.stride, chunks] };
}

/** Numbers that the operation sums over the rows. */
export function resultsOf(operation: BlockOperation): number {
  if (operation.kind === 'combine') return 0;
  return operation.kind === 'gram' ? operation.x.columns * operation.y.columns : operation.x.columns;
}

/** Multiplications per row. */
export function workPerRow({ kind, x, y }: BlockOperation): number {
  return kind === 'columnDots' ? x.columns : x.columns * y.columns;
}

/** Bytes that `combine` reads C from, and copies rows to. */
export function roomFor(operation: BlockOperation, width: number, chunks: number): number {
  if (operation.kind !== 'combine') return 0;
  const { x, y } = operation;
  return width * (x.columns * y.stride + (x.block === y.block ? 2 * chunks * x.stride : 0));
}

/** Copies C, in the type and with the padding of Y, to where the kernel reads it. */
export function placeFactors(heap: Heap, { x, c, y }: CombineOperation, factors: FloatArray): void {
  const numbers = heap.view(Float64Array, c.block, x.columns * c.stride);
  for (let a = 0; a < x.columns; a++) {
    for (let b = 0; b < y.stride; b++) factors[a * y.stride + b] = b < y.columns ? numbers[a * c.stride + b]! : 0;
  }
}

/** C ← the results, which `gram` computes row by row, or, with a y of one column, column by column: the same. */
export function takeGram(heap: Heap, { x, y, c }: GramOperation, result: (place: number) => number): void {
  const numbers = heap.view(Float64Array, c.block, x.columns * c.stride);
  for (let a = 0; a < x.columns; a++) {
    for (let b = 0; b < y.columns; b++) numbers[a * c.stride + b] = result(a * y.columns + b);
  }
}

/** Columns that fill tiles of all widths, in f64 and f32. */
const WARM_UP_COLUMNS = 28;

/** Rows of the blocks of a warm-up. */
export const WARM_UP_ROWS = 64;

/** Programs that run through all kernels, on blocks. */
export function blockWarmUps(scope: HeapScope, width: number): readonly (readonly BlockOperation[])[] {
  const columns = WARM_UP_COLUMNS;
  const rows = (count: number, bytes: number): RowSpan => {
    const block = scope.array(Uint8Array, count * columns * bytes).fill(0).byteOffset;
    return { block, columns, stride: columns };
  };
  const [x, y, c] = [rows(WARM_UP_ROWS, width), rows(WARM_UP_ROWS, width), rows(columns, 8)];
  const slots = Array.from({ length: columns }, () => scope.alloc(8));
  return [
    [{ kind: 'columnDots', x, y, slots }],
    [{ kind: 'gram', x, y, c }],
    [{ kind: 'combine', alpha: 1, x, c, beta: 0, y }],
  ];
}
