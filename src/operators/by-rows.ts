/**
 * A matrix by rows: each part of the rows is an operator of its own, in a space of its own. x and y are in one space, the
 * first GPU's or the heap. Parts of other spaces get the elements of x that they need and return their rows of y, over the
 * link or the bus, or from memory to memory. GPUs and the CPU compute at once; the parts of several memories one after the other,
 * each on all threads.
 *
 * Source: Abdelfattah, Ltaief, Keyes & Dongarra 2016, §5.6: x is copied to every GPU; a shuffle on the first one puts the
 *   partial y in place.
 * Differs: a part gets only the columns between its first and its last one. If a device can access the memory of the
 *   first one, it writes its rows of y there directly. A part may be the CPU's, or in another memory of the CPU.
 */
import type { PlanReport } from '../backends/plan.js';
import type { CsrMatrix } from '../core/csr.js';
import { assemble, type Owned } from '../core/owned.js';
import type { MatrixInfo } from '../formats/format.js';
import type { Space } from '../memory/space.js';
import { Vector } from '../memory/vector.js';
import { MatrixOperator } from './matrix-operator.js';
import { columnsOf, type Range, type RowPartition, rowsOfPart } from './row-partition.js';
import { Shuffle } from './shuffle.js';

/** The rows of a part and where they are computed. */
export interface RowsPart {
  readonly operator: MatrixOperator;
  /** Its rows, as positions of the partition. */
  readonly rows: Range;
  /** The columns of its entries. */
  readonly columns: Range;
  /** In its own space: all of x, of which only `columns` are copied. Undefined in the space of x. */
  readonly x?: Vector;
  /** In its own space: its rows of y, if it cannot write to y. */
  readonly y?: Vector;
}

/**
 * @param space the space of x and y
 * @param make the operator of the rows of part `p`; owned by the result
 * @throws errors of `make`, and SparlaneError `heap`; nothing stays allocated
 */
export function byRows(
  space: Space,
  matrix: CsrMatrix,
  partition: RowPartition,
  make: (rows: CsrMatrix, p: number) => MatrixOperator,
): ByRowsOperator {
  const start = performance.now();
  return assemble((owned) => {
    const parts = makeParts(space, matrix, partition, make, owned);
    const { order } = partition;
    const shuffled = order && {
      shuffle: owned.own(new Shuffle(space, order)),
      y: owned.own(new Vector(space, parts[0]!.operator.vectorType, matrix.rows)),
    };
    const layout = new RowsLayout(
      matrix,
      partition,
      parts.map(({ operator }) => operator.matrix),
    );
    return new ByRowsOperator(space, layout, parts, shuffled, owned, performance.now() - start);
  });
}

/** y in the order of the parts. */
interface Shuffled {
  readonly shuffle: Shuffle;
  readonly y: Vector;
}

export class ByRowsOperator extends MatrixOperator {
  /** Each over its rows. */
  readonly parts: readonly RowsPart[];
  /** The parts with vectors for blocks of as many columns as were multiplied last, if all are in memories of the CPU. */
  #forBlocks: { readonly columns: number; readonly parts: readonly RowsPart[]; readonly owned: Owned } | undefined;
  readonly #shuffled: Shuffled | undefined;
  readonly #owned: Owned;

  /** Made by `byRows`. */
  constructor(
    space: Space,
    layout: MatrixInfo,
    parts: readonly RowsPart[],
    shuffled: Shuffled | undefined,
    owned: Owned,
    setupMs: number,
  ) {
    const operators = parts.map(({ operator }) => operator);
    super(space, layout, reportOf(operators), { decision: operators[0]!.decision }, setupMs);
    this.parts = parts;
    this.#shuffled = shuffled;
    this.#owned = owned;
  }

  protected override run(x: Vector, y: Vector, alpha: number, beta: number): void {
    const shuffled = this.#shuffled;
    const rows = shuffled?.y ?? y;
    if (beta !== 0) shuffled?.shuffle.gather(y, rows);
    this.#runParts(this.parts, x, rows, alpha, beta);
    shuffled?.shuffle.scatter(rows, y);
  }

  protected override runBlock(x: Vector, y: Vector, alpha: number, beta: number): void {
    if (this.parts.some(({ operator }) => operator.space.heap === undefined)) super.runBlock(x, y, alpha, beta);
    else this.#runParts(this.#partsFor(x.columns), x, y, alpha, beta);
  }

  /** Queues all parts, those of other spaces first, and waits for these. */
  #runParts(parts: readonly RowsPart[], x: Vector, y: Vector, alpha: number, beta: number): void {
    const far = parts.filter((part) => part.x !== undefined);
    try {
      for (const part of far) this.#runPart(part, x, y, alpha, beta);
      for (const part of parts) if (part.x === undefined) this.#runPart(part, x, y, alpha, beta);
    } finally {
      for (const { operator } of far) this.space.after(operator.space);
    }
  }

  #partsFor(columns: number): readonly RowsPart[] {
    if (this.#forBlocks?.columns === columns) return this.#forBlocks.parts;
    this.#forBlocks?.owned[Symbol.dispose]();
    this.#forBlocks = undefined;
    this.#forBlocks = assemble((owned) => {
      const parts = this.parts.map((part) => ({ ...part, ...vectorsFor(part.operator, this.space, owned, columns) }));
      return { columns, parts, owned };
    });
    return this.#forBlocks.parts;
  }

  /** Computes the rows of part `p` alone, and waits. */
  runAlone(p: number, x: Vector, y: Vector): void {
    const part = this.parts[p]!;
    this.#runPart(part, x, y, 1, 0);
    part.operator.space.synchronize();
  }

  /** Queues a part, with its copies. */
  #runPart(
    { operator, rows, columns, x: own, y: result }: RowsPart,
    x: Vector,
    y: Vector,
    alpha: number,
    beta: number,
  ): void {
    const { space } = this;
    const width = x.type.BYTES_PER_ELEMENT * x.stride;
    if (rows.begin === rows.end) return;
    const [offset, bytes] = [rows.begin * width, (rows.end - rows.begin) * width];
    const first = columns.begin * width;
    own?.space.bring(own.block, first, space, x.block, first, columns.end * width - first);
    if (result !== undefined) {
      if (beta !== 0) result.space.bring(result.block, 0, space, y.block, offset, bytes);
      operator.apply(own ?? x, result, alpha, beta);
      space.bring(y.block, offset, result.space, result.block, 0, bytes);
      return;
    }
    const slice = space.slice(y.block, offset, bytes);
    const target = new Vector(operator.space, y.type, rows.end - rows.begin, slice, y.columns);
    operator.apply(own ?? x, target, alpha, beta);
    space.releaseSlice(slice);
  }

  protected override release(): void {
    this.#forBlocks?.owned[Symbol.dispose]();
    this.#owned[Symbol.dispose]();
  }
}

function makeParts(
  space: Space,
  matrix: CsrMatrix,
  partition: RowPartition,
  make: (rows: CsrMatrix, p: number) => MatrixOperator,
  owned: Owned,
): RowsPart[] {
  return Array.from({ length: partition.bounds.length - 1 }, (_, p): RowsPart => {
    const part = rowsOfPart(matrix, partition, p);
    const operator = owned.own(make(part, p));
    const rows = { begin: partition.bounds[p]!, end: partition.bounds[p + 1]! };
    return { operator, rows, columns: columnsOf(part), ...vectorsFor(operator, space, owned, 1) };
  });
}

/** The vectors of a part in its own space. @param space that of x and y */
function vectorsFor(
  { space: own, vectorType, rows, cols }: MatrixOperator,
  space: Space,
  owned: Owned,
  columns: number,
): Pick<RowsPart, 'x' | 'y'> {
  if (own === space) return {};
  const vector = (length: number) => owned.own(new Vector(own, vectorType, length, undefined, columns));
  // Padding multiplies elements outside of the columns.
  const x = vector(cols).fill(0);
  return own.reaches(space) ? { x } : { x, y: vector(rows) };
}

/** The layouts of all parts together. */
class RowsLayout implements MatrixInfo {
  readonly spec: string;
  readonly dtype: MatrixInfo['dtype'];
  readonly rows: number;
  readonly cols: number;
  readonly nnz: number;
  readonly #partition: RowPartition;
  readonly #parts: readonly MatrixInfo[];

  constructor({ rows, cols, nnz }: CsrMatrix, partition: RowPartition, parts: readonly MatrixInfo[]) {
    this.spec = [...new Set(parts.map(({ spec }) => spec))].join(' + ');
    this.dtype = parts[0]!.dtype;
    this.rows = rows;
    this.cols = cols;
    this.nnz = nnz;
    this.#partition = partition;
    this.#parts = parts;
  }

  get bitsDependOn(): NonNullable<MatrixInfo['bitsDependOn']> {
    return this.#parts[0]!.bitsDependOn ?? 'nothing';
  }

  get multipliesPadding(): boolean {
    return this.#parts.some((part) => part.multipliesPadding);
  }

  get warnings(): readonly string[] {
    return [...new Set(this.#parts.flatMap((part) => part.warnings ?? []))];
  }

  get storedEntries(): number {
    return sum(this.#parts, (part) => part.storedEntries);
  }

  get bytes(): number {
    return sum(this.#parts, (part) => part.bytes);
  }

  forEachEntry(visit: (row: number, col: number, value: number) => void): void {
    const { bounds, order } = this.#partition;
    this.#parts.forEach((part, p) => {
      const begin = bounds[p]!;
      part.forEachEntry((row, col, value) => visit(order?.[begin + row] ?? begin + row, col, value));
    });
  }

  cost(): ReturnType<MatrixInfo['cost']> {
    const costs = this.#parts.map((part) => part.cost());
    return { bytes: sum(costs, ({ bytes }) => bytes), flops: sum(costs, ({ flops }) => flops) };
  }
}

/** The plans of all parts together. */
export function reportOf(operators: readonly MatrixOperator[]): PlanReport {
  const plans = operators.map(({ plan }) => plan);
  const heaps = new Set(operators.map(({ space }) => space.heap));
  const { methods, estimates } = plans[0]!;
  return {
    backend: [...new Set(plans.map(({ backend }) => backend))].join(' + '),
    threads: Math.max(...plans.map(({ threads }) => threads)),
    parts: sum(plans, ({ parts }) => parts),
    setupMs: sum(plans, ({ setupMs }) => setupMs),
    setupBytes: sum(plans, ({ setupBytes }) => setupBytes),
    ...(heaps.size > 1 && !heaps.has(undefined) && { memories: heaps.size }),
    ...(methods && { methods }),
    ...(estimates && { estimates }),
  };
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
