/** Makes a distributed operator of the rows that each rank has. */

import { runOnTeam } from '../backends/team/run-loop.js';
import type { IndexArray, NumberArray } from '../core/arrays.js';
import { integer, knownKeys } from '../core/checks.js';
import { type CsrMatrix, inspectedMatrix } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import { Owned } from '../core/owned.js';
import { trust } from '../core/trusted.js';
import type { Dtype, Field, Symmetry } from '../core/types.js';
import type { Engine } from '../engine/engine.js';
import type { Keepable } from '../formats/layout/keep.js';
import { workspaceFor } from '../formats/layout/workspace.js';
import { inHeap } from '../matrices/stage.js';
import { Vector } from '../memory/vector.js';
import type { MatrixOperator } from '../operators/matrix-operator.js';
import type { OperatorOptions } from '../operators/operator-options.js';
import { AtPlaces } from './at-places.js';
import { compare } from './comparison.js';
import { besideOf, DistributedOperator, type DistributionReport } from './distributed-operator.js';
import { type DividedRows, type DividedSizes, divideRows } from './division.js';
import { exchangeOf } from './element-exchange.js';
import { type Bounds, columnBounds, ghostsByOwner, type HaloPlan, rangesOfOwners } from './halo.js';
import type { Meeting } from './meeting.js';

/** The rows of one rank, in CSR with the columns of the whole matrix. */
export interface RankRows {
  /** The first of them in the whole matrix. The rows of rank 0 come first, then those of rank 1, … */
  readonly firstRow: number;
  /** Rows of this rank; may be 0. */
  readonly rows: number;
  /** Columns of the whole matrix. */
  readonly cols: number;
  /** Length rows + 1. */
  readonly rowPtr: IndexArray;
  readonly colIdx: IndexArray;
  /** One per entry. If omitted, every entry is 1. */
  readonly values?: NumberArray;
  readonly field?: Field;
  /** Of the whole matrix, which must then be square. Default `general`. */
  readonly symmetry?: Symmetry;
}

/** `distribute` takes these options. */
export interface DistributedOptions {
  /** The format of the part of a rank's own columns. Default `auto`. */
  readonly format?: string;
  /** The format of the part of ghost columns. Default `auto`. */
  readonly ghostFormat?: string;
  /** Default `f64`. */
  readonly dtype?: Dtype;
  /** As of `engine.operator`, for `auto`. */
  readonly products?: OperatorOptions['products'];
}

const ROWS = {
  firstRow: true,
  rows: true,
  cols: true,
  rowPtr: true,
  colIdx: true,
  values: true,
  field: true,
  symmetry: true,
} satisfies Record<keyof RankRows, true>;
const OPTIONS = { format: true, ghostFormat: true, dtype: true, products: true } satisfies Record<
  keyof DistributedOptions,
  true
>;

/** The shape of a matrix, and the bounds of every rank's rows and columns. */
export interface RankedShape {
  readonly rows: number;
  readonly cols: number;
  readonly nnz: number;
  readonly rowBounds: Bounds;
  readonly colBounds: Bounds;
  /** Entries of each rank. */
  readonly entries: readonly number[];
}

/** @throws as `Communicator.operator` */
export function distribute(
  meeting: Meeting,
  engine: Engine,
  given: RankRows,
  options: DistributedOptions,
): DistributedOperator {
  const start = performance.now();
  const { rank } = meeting.transport;
  using staged = new Owned();
  const { matrix, firstRow } = meeting.together(
    () => checkRows(engine, given, options, staged),
    () => {},
  );
  const name = meeting.transport.calls.name('operator');
  compare(meeting, name, { dtype: options.dtype ?? 'f64', symmetry: given.symmetry ?? 'general' });
  const shape = shapeOf(meeting, matrix, firstRow);
  const whole = { ...matrix, symmetry: symmetryOf(given, shape) };
  const { heap } = engine.context;
  using workspace = workspaceFor(heap, matrix, runOnTeam(engine.context));
  const divided = divideRows(whole, rank, shape.colBounds, workspace);
  const { rowPtr, colIdx, values } = trust(divided.own);
  trust(divided.ghost);
  const keepable = heap.owns(rowPtr) ? new Set([rowPtr, colIdx, values]) : undefined;
  return operatorOf(meeting, engine, { name, shape, divided, start }, storing(engine, divided, options, keepable));
}

/** What an operator is made of, with a name and a shape that are the same on all ranks. */
export interface NamedRows {
  readonly name: string;
  readonly shape: RankedShape;
  readonly divided: DividedSizes;
  /** By `performance.now()`. */
  readonly start: number;
}

/** Makes the operators of the two parts of a rank's rows. `owned` gets each as soon as it is there. */
export type StoreParts = (owned: Owned) => { readonly own: MatrixOperator; readonly ghost: MatrixOperator };

/** Called by all ranks. @throws as `Communicator.operator` for what does not fit */
export function operatorOf(
  meeting: Meeting,
  engine: Engine,
  { name, shape, divided, start }: NamedRows,
  store: StoreParts,
): DistributedOperator {
  const plan = planHalo(meeting, divided.ghosts, shape.colBounds);
  const owned = new Owned();
  const parts = meeting.together(
    () => storeParts(engine, divided, store, owned),
    () => owned[Symbol.dispose](),
  );
  const { own, ghost, ghostX } = parts;
  const exchange = owned.own(exchangeOf(meeting, engine, plan, ghostX, ['product', name]));
  const [most, total] = [Float64Array.of(divided.ghosts.length), Float64Array.of(divided.ghosts.length)];
  meeting.reduce('max', most);
  meeting.reduce('sum', total);
  const halo = { own: divided.ghosts.length, most: most[0]!, total: total[0]! };
  const report = reportOf(meeting, shape, { divided, plan, halo, formats: [own.format, ghost.format], start });
  const { boundaryRows, ghosts } = divided;
  const firstCol = shape.colBounds[meeting.transport.rank]!;
  return new DistributedOperator(
    { ...parts, name, engine, meeting, boundaryRows, firstCol, ghosts, plan, exchange, report },
    owned,
  );
}

interface CheckedRows {
  readonly matrix: CsrMatrix;
  readonly firstRow: number;
}

/** Rows are copied only where the heap has free memory for them and for the parts into which they are divided. */
const COPY_AND_PARTS = 2;

/** The rows of a large part are checked by the team. @param staged owns what is copied for it */
function checkRows(engine: Engine, given: RankRows, options: DistributedOptions, staged: Owned): CheckedRows {
  knownKeys('rows', given, ROWS);
  knownKeys('options', options, OPTIONS);
  const { firstRow, symmetry: _, ...arrays } = given;
  const { context } = engine;
  context.team.muster();
  const staging = inHeap(staged.own(context.heap.scope()), runOnTeam(context), COPY_AND_PARTS);
  const checked = inspectedMatrix(arrays, staging);
  return { matrix: staging.place(checked), firstRow: integer('firstRow', firstRow) };
}

/** The symmetry of the whole matrix. @throws SparlaneError `shape` if that has one and is not square */
export function symmetryOf<S extends string>(
  { symmetry = 'general' as S }: { readonly symmetry?: S },
  { rows, cols }: RankedShape,
): S {
  if (symmetry !== 'general' && rows !== cols)
    throw mismatch('shape', 'symmetry', "'general' for a matrix that is not square", symmetry, { rows, cols });
  return symmetry;
}

/** @throws SparlaneError `shape`, on every rank, if the rows of the ranks do not follow each other or their columns differ */
export function shapeOf(
  meeting: Meeting,
  { rows, cols, nnz }: Pick<CsrMatrix, 'rows' | 'cols' | 'nnz'>,
  firstRow: number,
): RankedShape {
  const { size } = meeting.transport;
  const of = meeting.meet('shape', [firstRow, rows, cols, nnz]);
  const rowBounds = new Float64Array(size + 1);
  for (let rank = 0; rank < size; rank++) {
    if (of(rank, 0) !== rowBounds[rank])
      throw mismatch(
        'shape',
        `firstRow of rank ${rank}`,
        `${rowBounds[rank]}, the rows of the ranks before`,
        of(rank, 0),
        { rank },
      );
    if (of(rank, 2) !== of(0, 2))
      throw mismatch('shape', `cols of rank ${rank}`, `${of(0, 2)}, as on rank 0`, of(rank, 2), { rank });
    rowBounds[rank + 1] = rowBounds[rank]! + of(rank, 1);
  }
  const allRows = rowBounds[size]!;
  const colBounds = columnBounds(rowBounds, cols);
  const entries = Array.from({ length: size }, (_, rank) => of(rank, 3));
  return { rows: allRows, cols, nnz: entries.reduce((sum, count) => sum + count, 0), rowBounds, colBounds, entries };
}

/** Who sends what to whom: each rank asks the owners of its ghosts. */
export function planHalo(meeting: Meeting, ghosts: Uint32Array, columns: Bounds): HaloPlan {
  const { rank: mine } = meeting.transport;
  const sends = meeting.allToAll(ghostsByOwner(ghosts, columns)).map((asked, rank) => {
    return { rank, places: Uint32Array.from(asked, (column) => column - columns[mine]!) };
  });
  return { sends: sends.filter(({ places }) => places.length > 0), receives: rangesOfOwners(ghosts, columns) };
}

/** Stores real parts. @param keepable arrays of the own part that its layout may keep; the caller releases them */
export function storing(
  engine: Engine,
  divided: DividedRows,
  options: DistributedOptions,
  keepable?: Keepable,
): StoreParts {
  const { format, ghostFormat, dtype, products } = options;
  const choice = (spec: string | undefined): OperatorOptions =>
    spec === undefined || spec === 'auto'
      ? { tune: false, ...(products !== undefined && { products }) }
      : { format: spec };
  const type = dtype === undefined ? {} : { dtype };
  return (owned) => {
    const own = owned.own(engine.operatorOn(undefined, divided.own, { ...choice(format), ...type }, keepable));
    const ghost = owned.own(engine.operatorOn(besideOf(engine), divided.ghost, { ...choice(ghostFormat), ...type }));
    return { own, ghost };
  };
}

function storeParts(engine: Engine, { ghosts, boundaryRows }: DividedSizes, store: StoreParts, owned: Owned) {
  try {
    const { own, ghost } = store(owned);
    const ghostX = owned.own(new Vector(ghost.space, own.vectorType, ghosts.length));
    // In the heap what ghosts add to all rows is added at once.
    const isAdded = engine.space.heap !== undefined && ghost.rows === own.rows;
    const ghostY = owned.own(new Vector(ghost.space, own.vectorType, isAdded ? 0 : ghost.rows));
    const boundary = owned.own(new AtPlaces(ghost.space, boundaryRows));
    return { own, ghost, ghostX, ghostY, boundary };
  } catch (error) {
    owned[Symbol.dispose]();
    throw error;
  }
}

interface MadeRows {
  readonly divided: DividedSizes;
  readonly plan: HaloPlan;
  readonly halo: DistributionReport['halo'];
  readonly formats: readonly [own: string, ghost: string];
  /** By `performance.now()`. */
  readonly start: number;
}

function reportOf(
  meeting: Meeting,
  shape: RankedShape,
  { divided, plan, halo, formats, start }: MadeRows,
): DistributionReport {
  const { rank, size } = meeting.transport;
  const { own, ghost, ghosts, boundaryRows } = divided;
  const neighbours = [...new Set([...plan.sends, ...plan.receives].map((one) => one.rank))].sort((a, b) => a - b);
  return {
    ...{ rank, ranks: size, rows: shape.rows, cols: shape.cols, nnz: shape.nnz },
    ...{ firstRow: shape.rowBounds[rank]!, ownRows: own.rows },
    own: { nnz: own.nnz, format: formats[0] },
    ghost: { nnz: ghost.nnz, format: formats[1], rows: boundaryRows.length, columns: ghosts.length },
    neighbours: neighbours.map((other) => {
      const from = plan.receives.find((one) => one.rank === other);
      const sends = plan.sends.find((one) => one.rank === other)?.places.length ?? 0;
      return { rank: other, sends, receives: from === undefined ? 0 : from.end - from.begin };
    }),
    halo,
    imbalance: shape.nnz === 0 ? 1 : (Math.max(...shape.entries) * size) / shape.nnz,
    setupMs: performance.now() - start,
  };
}
