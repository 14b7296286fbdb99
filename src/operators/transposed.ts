/**
 * Transposed operators: y ← α Aᵀ x + β y. By default Aᵀ is laid out like any matrix: its entries are transposed once, by the device or by the
 * team. With `memory: 'shared'` the entries of A are scattered instead, so there is one copy of them. A symmetric matrix needs neither.
 */
import type { Backend } from '../backends/backend.js';
import type { PlanReport } from '../backends/plan.js';
import type { TeamContext } from '../backends/team/backend.js';
import type { Decision } from '../choice/choose.js';
import { type CompressedRows, type CsrMatrix, csrMatrix } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import { type FloatArray, type Symmetry, valueArray } from '../core/types.js';
import type { MatrixInfo, StoredMatrix, SummationOrder } from '../formats/format.js';
import type { Keepable } from '../formats/layout/keep.js';
import { FORMATS } from '../formats/registry.js';
import { storeMatrix } from '../formats/store.js';
import { transposeOnTeam } from '../matrices/transposition.js';
import type { HeapScope } from '../memory/heap.js';
import type { Vector } from '../memory/vector.js';
import { MatrixOperator } from './matrix-operator.js';
import { AUTO, type OperatorOptions } from './operator-options.js';
import type { CheckedTransposeOptions, TransposeOptions } from './transpose-options.js';

/** The origin of an operator that is to be transposed. */
export interface Origin {
  readonly context: TeamContext;
  readonly field: CsrMatrix['field'];
  readonly symmetry: Symmetry;
  /** The options of A. */
  readonly options: OperatorOptions;
  /** The backend of the stored matrix; undefined if there are several. */
  readonly backend: Backend | undefined;
  /** Makes an operator of a matrix that needs no check. */
  readonly operate: (matrix: CsrMatrix, options: OperatorOptions, known: Known) => MatrixOperator;
}

/** What is known of a transpose before it is laid out. */
interface Known {
  /** Arrays that its layout may keep. */
  readonly keepable: Keepable;
  /** The choice for A, if formats were tried. */
  readonly akin: Decision | undefined;
}

/** Makes the transposed operator of `owner`, which must outlive it. */
export function transpose(
  owner: MatrixOperator,
  origin: Origin,
  { memory, ...layout }: CheckedTransposeOptions,
): MatrixOperator {
  const symmetry = owner.matrix.symmetry ?? origin.symmetry;
  if (symmetry !== 'general') return itself(owner, symmetry === 'symmetric' ? 1 : -1);
  return memory === 'shared' ? scattering(owner, origin) : laidOut(owner, origin, layout);
}

/** Aᵀ = ± A. */
function itself(owner: MatrixOperator, sign: 1 | -1): MatrixOperator {
  const multiply: Multiply = (x, y, alpha, beta) => owner.apply(x, y, sign * alpha, beta);
  const { matrix } = owner;
  return new BorrowingOperator(owner, sign === 1 ? matrix : new TransposedInfo(matrix), owner.plan, multiply);
}

function scattering(owner: MatrixOperator, { backend, context }: Origin): MatrixOperator {
  if (backend === undefined) throw mismatch('argument', 'memory', "'own' on several devices", 'shared');
  const stored = owner.matrix as StoredMatrix;
  if (!backend.computes(stored, 'spmv_t')) {
    const able = formatsThatScatter(context, backend).join(', ');
    throw mismatch('argument', 'memory', `'own' with ${stored.spec}; only ${able} scatter`, 'shared');
  }
  const plan = backend.plan(stored, 'spmv_t');
  const multiply: Multiply = (x, y, alpha, beta) => plan.run(x, y, alpha, beta);
  const info = new TransposedInfo(stored, backend.onDevice ? 'chance' : 'parts');
  return new BorrowingOperator(owner, info, plan, multiply, () => plan[Symbol.dispose]());
}

function formatsThatScatter({ heap }: TeamContext, backend: Backend): readonly string[] {
  const one = csrMatrix({ rows: 1, cols: 1, rowPtr: [0, 1], colIdx: [0] });
  const scatters = (name: string) => {
    using stored = storeMatrix(heap, one, name, 'f64');
    return backend.computes(stored, 'spmv_t');
  };
  return FORMATS.map(({ name }) => name).filter(scatters);
}

function laidOut(
  { matrix, decision }: MatrixOperator,
  { context, backend, field, options, operate }: Origin,
  given: Omit<TransposeOptions, 'memory'>,
): MatrixOperator {
  // The order of the rows and columns stays that of A.
  const { format: _format, groups: _groups, method: _method, allowPermutation: _order, ...kept } = options;
  const { products: _products, tune: _tune, ...always } = kept;
  const isAuto = (given.format ?? AUTO) === AUTO;
  using scope = context.heap.scope();
  const rows = rowsOf(scope, matrix);
  using onDevice = backend?.transpose?.(scope, rows);
  const transposed = onDevice ?? transposeOnTeam(context, scope, rows);
  const { rowPtr, colIdx, values } = transposed;
  const entries = { rows: matrix.cols, cols: matrix.rows, nnz: matrix.nnz, rowPtr, colIdx, values };
  const wasTried = decision?.chosen.measuredMs !== undefined;
  const known = { keepable: new Set([rowPtr, colIdx, values]), akin: wasTried ? decision : undefined };
  return operate({ ...entries, field, symmetry: 'general' }, { ...(isAuto ? kept : always), ...given }, known);
}

/** The entries by rows, the columns of each in the order of the layout. */
export function rowsOf(scope: HeapScope, matrix: MatrixInfo): CompressedRows {
  const { rows, cols, nnz, entries } = matrix;
  if (entries !== undefined) return { rows, cols, nnz, ...entries };
  const rowPtr = scope.array(Uint32Array, rows + 1).fill(0);
  const colIdx = scope.array(Uint32Array, nnz);
  const values = scope.array<FloatArray>(valueArray(matrix.dtype), nnz);
  let k = 0;
  let last = 0;
  let isOrdered = true;
  matrix.forEachEntry((row, col, value) => {
    if (row < last) isOrdered = false;
    last = row;
    rowPtr[row + 1]!++;
    colIdx[k] = col;
    values[k++] = value;
  });
  for (let i = 0; i < rows; i++) rowPtr[i + 1]! += rowPtr[i]!;
  if (!isOrdered) {
    const next = rowPtr.slice(0, rows);
    matrix.forEachEntry((row, col, value) => {
      const at = next[row]!++;
      colIdx[at] = col;
      values[at] = value;
    });
  }
  return { rows, cols, nnz, rowPtr, colIdx, values };
}

type Multiply = (x: Vector, y: Vector, alpha: number, beta: number) => void;

/** An operator over the matrix of another one, which it does not dispose. */
class BorrowingOperator extends MatrixOperator {
  readonly #multiply: Multiply;
  readonly #free: () => void;

  constructor(owner: MatrixOperator, matrix: MatrixInfo, plan: PlanReport, multiply: Multiply, free = () => {}) {
    super(owner.space, matrix, plan, owner, plan === owner.plan ? 0 : plan.setupMs);
    this.#multiply = multiply;
    this.#free = free;
  }

  protected override run(x: Vector, y: Vector, alpha: number, beta: number): void {
    this.#multiply(x, y, alpha, beta);
  }

  protected override release(): void {
    this.#free();
  }
}

/** A matrix as its transpose; the memory is that of the matrix. */
export class TransposedInfo implements MatrixInfo {
  readonly #matrix: MatrixInfo;
  readonly bitsDependOn: SummationOrder;

  constructor(matrix: MatrixInfo, bitsDependOn: SummationOrder = 'parts') {
    this.#matrix = matrix;
    this.bitsDependOn = bitsDependOn;
  }

  get spec(): string {
    return this.#matrix.spec;
  }

  get multipliesPadding(): boolean {
    return this.#matrix.multipliesPadding ?? false;
  }

  get warnings(): readonly string[] {
    return this.#matrix.warnings ?? [];
  }

  get symmetry(): Symmetry {
    return this.#matrix.symmetry ?? 'general';
  }

  get dtype(): MatrixInfo['dtype'] {
    return this.#matrix.dtype;
  }

  get rows(): number {
    return this.#matrix.cols;
  }

  get cols(): number {
    return this.#matrix.rows;
  }

  get nnz(): number {
    return this.#matrix.nnz;
  }

  get storedEntries(): number {
    return this.#matrix.storedEntries;
  }

  get bytes(): number {
    return this.#matrix.bytes;
  }

  forEachEntry(visit: (row: number, col: number, value: number) => void): void {
    this.#matrix.forEachEntry((row, col, value) => visit(col, row, value));
  }

  cost(): ReturnType<MatrixInfo['cost']> {
    return this.#matrix.cost();
  }
}
