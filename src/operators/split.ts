/**
 * A matrix over several GPUs, or over a GPU and the CPU. Its rows are partitioned. Each device stores its rows as a
 * separate matrix, and gets the elements of x that it needs.
 *
 * Source: Abdelfattah, Ltaief, Keyes & Dongarra 2016, §5.6: block rows sorted by length are assigned cyclically to the
 *   GPUs (`cyclic`); a shuffle on the first GPU puts the partial y in place.
 * Differs: rows instead of block rows. `block`, the default: contiguous ranges of equal work in the order of the
 *   matrix. Each GPU then has one contiguous part of y and writes it to its final place, over the link. Of x, it gets
 *   only the columns between its first and its last one.
 */
import { type CudaDevice, type CudaPlan, type CudaPlanOptions, planCuda, runFromHeap } from '../backends/cuda.js';
import type { CsrMatrix } from '../core/csr.js';
import { assemble, type Owned } from '../core/owned.js';
import { type Dtype, type FloatArray, type FloatArrayConstructor, vectorArray } from '../core/types.js';
import { type Divisible, partition } from '../execution/partition.js';
import type { Cost, Stage, StoredMatrix, SummationOrder } from '../formats/format.js';
import type { Heap } from '../memory/heap.js';
import { Vector } from '../memory/vector.js';
import { byRowLength } from '../reorder/by-length.js';
import { inversePermutation } from '../reorder/permutation.js';

/** The partition of rows: contiguous blocks of equal work, or cyclic by length. */
export type Distribution = 'block' | 'cyclic';

export interface RowPartition {
  /** Rows of part p: bounds[p] … bounds[p + 1] − 1, as positions in `order` if it is defined. */
  readonly bounds: Uint32Array;
  /** The row at each position. Undefined: the order of the matrix. */
  readonly order: Uint32Array | undefined;
}

/** Work of a row in addition to its entries, in units of one entry. */
const ROW_WORK = 2;

/** The rows of a matrix, divisible by work. */
export function divisibleRows({ rows, rowPtr }: CsrMatrix): Divisible {
  return { units: rows, workBefore: (row) => rowPtr[row]! - rowPtr[0]! + ROW_WORK * row };
}

export function partitionRows(matrix: CsrMatrix, parts: number, distribution: Distribution): RowPartition {
  if (distribution === 'cyclic') return partitionCyclically(matrix, parts);
  return { bounds: partition(divisibleRows(matrix), parts), order: undefined };
}

/** Assigns the longest row to the first part, the next one to the second, and so on. */
function partitionCyclically(matrix: CsrMatrix, parts: number): RowPartition {
  const { rowOrder } = byRowLength(matrix);
  const { rows } = matrix;
  const begin = (part: number) => part * Math.floor(rows / parts) + Math.min(part, rows % parts);
  const bounds = Uint32Array.from({ length: parts + 1 }, (_, part) => begin(part));
  const order = new Uint32Array(rows);
  for (let place = 0; place < rows; place++)
    order[bounds[place % parts]! + Math.floor(place / parts)] = rowOrder[place]!;
  return { bounds, order };
}

/** The rows begin … end − 1 of a matrix, or of an order of its rows. */
function rowsOf(matrix: CsrMatrix, { order }: RowPartition, begin: number, end: number): CsrMatrix {
  const { cols, field, rowPtr, colIdx, values } = matrix;
  const rows = end - begin;
  const row = (i: number) => order?.[begin + i] ?? begin + i;
  const ptr = new Uint32Array(rows + 1);
  for (let i = 0; i < rows; i++) ptr[i + 1] = ptr[i]! + rowPtr[row(i) + 1]! - rowPtr[row(i)]!;
  const nnz = ptr[rows]!;
  const columns = new Uint32Array(nnz);
  const numbers: FloatArray = values instanceof Float32Array ? new Float32Array(nnz) : new Float64Array(nnz);
  for (let i = 0; i < rows; i++) {
    const [first, last] = [rowPtr[row(i)]!, rowPtr[row(i) + 1]!];
    columns.set(colIdx.subarray(first, last), ptr[i]!);
    numbers.set(values.subarray(first, last), ptr[i]!);
  }
  return { rows, cols, nnz, rowPtr: ptr, colIdx: columns, values: numbers, field, symmetry: 'general' };
}

interface ColumnRange {
  readonly begin: number;
  readonly end: number;
}

function columnsOf({ rows, rowPtr, colIdx }: CsrMatrix): ColumnRange {
  let begin = Number.POSITIVE_INFINITY;
  let end = 0;
  for (let i = 0; i < rows; i++) {
    if (rowPtr[i] === rowPtr[i + 1]) continue;
    begin = Math.min(begin, colIdx[rowPtr[i]!]!);
    end = Math.max(end, colIdx[rowPtr[i + 1]! - 1]! + 1);
  }
  return { begin: Math.min(begin, end), end };
}

/** The parts of a matrix, each stored separately. Together they are a stored matrix. */
export class SplitMatrix implements StoredMatrix {
  readonly spec: string;
  /** Empty here: the parts have the arrays. */
  readonly stages: readonly Stage[] = [];
  readonly dtype: Dtype;
  readonly rows: number;
  readonly cols: number;
  readonly nnz: number;
  readonly parts: readonly StoredMatrix[];
  /** For each part, the range [begin, end) that contains all columns of its entries. */
  readonly columns: readonly ColumnRange[];
  readonly rowPartition: RowPartition;

  /**
   * @param store stores the rows of part `p`
   * @throws errors of `store`; nothing stays allocated
   */
  constructor(matrix: CsrMatrix, rowPartition: RowPartition, store: (rows: CsrMatrix, p: number) => StoredMatrix) {
    const { bounds } = rowPartition;
    const parts: StoredMatrix[] = [];
    const columns: ColumnRange[] = [];
    try {
      for (let p = 0; p + 1 < bounds.length; p++) {
        const rows = rowsOf(matrix, rowPartition, bounds[p]!, bounds[p + 1]!);
        columns.push(columnsOf(rows));
        parts.push(store(rows, p));
      }
    } catch (error) {
      for (const part of parts) part[Symbol.dispose]();
      throw error;
    }
    this.parts = parts;
    this.columns = columns;
    this.rowPartition = rowPartition;
    this.spec = [...new Set(parts.map(({ spec }) => spec))].join(' + ');
    this.dtype = parts[0]!.dtype;
    this.rows = matrix.rows;
    this.cols = matrix.cols;
    this.nnz = matrix.nnz;
  }

  get bitsDependOn(): SummationOrder {
    return this.parts[0]!.bitsDependOn ?? 'nothing';
  }

  get multipliesPadding(): boolean {
    return this.parts.some((part) => part.multipliesPadding);
  }

  get warnings(): readonly string[] {
    return [...new Set(this.parts.flatMap((part) => part.warnings ?? []))];
  }

  get storedEntries(): number {
    return sum(this.parts, (part) => part.storedEntries);
  }

  get bytes(): number {
    return sum(this.parts, (part) => part.bytes);
  }

  forEachEntry(visit: (row: number, col: number, value: number) => void): void {
    const { bounds, order } = this.rowPartition;
    this.parts.forEach((part, p) => {
      const begin = bounds[p]!;
      part.forEachEntry((row, col, value) => visit(order?.[begin + row] ?? begin + row, col, value));
    });
  }

  cost(): Cost {
    const costs = this.parts.map((part) => part.cost());
    return { bytes: sum(costs, ({ bytes }) => bytes), flops: sum(costs, ({ flops }) => flops) };
  }

  [Symbol.dispose](): void {
    for (const part of this.parts) part[Symbol.dispose]();
  }
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

/**
 * A plan of products with x and y on the first device. If another device cannot access it over a link, its part of y is
 * copied.
 *
 * @throws SparlaneError as `planCuda`; nothing stays allocated
 */
export function planSplit(
  devices: readonly CudaDevice[],
  heap: Heap,
  matrix: SplitMatrix,
  options: CudaPlanOptions,
): CudaPlan {
  const start = performance.now();
  return assemble((owned) => {
    const plans = matrix.parts.map((part, p) => owned.own(planCuda(devices[p]!, heap, part, options)));
    const queueBlocks = placeParts(devices, matrix, plans, owned);
    const [first] = devices as [CudaDevice];
    const queue = (x: Vector, y: Vector, alpha: number, beta: number) => queueBlocks(x.block, y.block, alpha, beta);
    return {
      backend: 'cuda',
      threads: 1,
      parts: plans.length,
      setupMs: performance.now() - start,
      setupBytes: sum(plans, ({ setupBytes }) => setupBytes),
      space: first,
      methods: plans[0]!.methods,
      queue,
      queueBlocks,
      run: runFromHeap(first, heap, matrix, owned, queueBlocks),
      time: (x, y, repetitions, cold) => first.time(() => queue(x, y, 1, 0), repetitions, cold),
      [Symbol.dispose]: () => owned[Symbol.dispose](),
    };
  });
}

type Queue = (x: number, y: number, alpha: number, beta: number) => void;

/** The locations of the parts of x and y, and the products over them. One call queues all of it. */
function placeParts(
  devices: readonly CudaDevice[],
  matrix: SplitMatrix,
  plans: readonly CudaPlan[],
  owned: Owned,
): Queue {
  const { cols, dtype, parts, rowPartition } = matrix;
  const { bounds, order } = rowPartition;
  const type = vectorArray(dtype);
  const width = type.BYTES_PER_ELEMENT;
  const [first, ...others] = devices as [CudaDevice, ...CudaDevice[]];
  const { addon, context } = first;
  const remote = others.map((device, k) => {
    const part = parts[k + 1]!;
    const { begin, end } = matrix.columns[k + 1]!;
    const x = owned.own(new Vector(device, type, cols)).fill(0);
    const y = addon.link(device.context, context) ? undefined : owned.own(new Vector(device, type, part.rows));
    return { device, plan: plans[k + 1]!, x, y, offset: begin * width, bytes: (end - begin) * width };
  });
  const shuffle = order && createShuffle(first, type, order, owned);
  return (x, y, alpha, beta) => {
    const target = shuffle?.gathered ?? y;
    if (beta !== 0) shuffle?.gather(y);
    const slices = parts.map((part, p) => addon.slice(target, bounds[p]! * width, part.rows * width));
    for (const { x: own, offset, bytes } of remote) addon.copy(own.block, offset, x, offset, bytes);
    plans[0]!.queueBlocks(x, slices[0]!, alpha, beta);
    remote.forEach(({ device, plan, x: own, y: result }, k) => {
      const slice = slices[k + 1]!;
      const bytes = parts[k + 1]!.rows * width;
      if (result !== undefined && beta !== 0) addon.copy(result.block, 0, slice, 0, bytes);
      plan.queueBlocks(own.block, result?.block ?? slice, alpha, beta);
      if (result !== undefined) addon.copy(slice, 0, result.block, 0, bytes);
      else addon.after(context, device.context);
    });
    for (const slice of slices) addon.release(slice);
    shuffle?.scatter(y);
  };
}

/** y in the order of the parts, on the device. */
function createShuffle(device: CudaDevice, type: FloatArrayConstructor, order: Uint32Array, owned: Owned) {
  const { addon } = device;
  const { length } = order;
  const width = type.BYTES_PER_ELEMENT;
  const place = (numbers: Uint32Array) => {
    const block = device.allocate(numbers.byteLength);
    owned.own({ [Symbol.dispose]: () => device.release(block) });
    device.upload(block, 0, numbers);
    return block;
  };
  const gathered = owned.own(new Vector(device, type, length)).block;
  const [forth, back] = [place(order), place(inversePermutation(order))];
  return {
    gathered,
    gather: (y: number) => addon.scatter(width, length, gathered, y, back),
    scatter: (y: number) => addon.scatter(width, length, y, gathered, forth),
  };
}
