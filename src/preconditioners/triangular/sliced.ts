/** Solves with triangular factors in pieces of a stage, which do not need each other, and in slices of up to four rows (`pieces.ts`). */

import { mismatch } from '../../core/errors.js';
import { assemble } from '../../core/owned.js';
import type { ParameterValues } from '../../core/parameters.js';
import type { Dtype, FloatArray } from '../../core/types.js';
import type { Engine } from '../../engine/engine.js';
import type { TriangularForm } from '../../kernels/abi.js';
import type { HeapScope } from '../../memory/heap.js';
import type { Vector } from '../../memory/vector.js';
import { Preconditioner, type PreconditionerReport, type Preparation } from '../preconditioner.js';
import type { Refactor } from './factors.js';
import { groupTriangles } from './groups.js';
import { chooseOrder, type OrderName } from './order.js';
import { cutIntoPieces, type Pieces } from './pieces.js';
import { type FactorValues, SlicedTriangles } from './sliced-triangles.js';
import { sliceTriangles } from './slices.js';
import { type PlacedTriangle, type Split, splitSymmetric, splitTriangles } from './split.js';
import { Triangles } from './triangles.js';

/** What is computed for a pattern, once. */
interface SlicedPlan {
  /** Of the split and the slices. */
  readonly scope: HeapScope;
  readonly name: OrderName;
  readonly pieces: Pieces;
  readonly split: Split;
  readonly form: TriangularForm;
  readonly refactor: Refactor;
  /** Lᵀ of `cholesky`. */
  readonly turned: PlacedTriangle | undefined;
  readonly solveWith: (dtype: Dtype) => SlicedTriangles;
}

/** Factors in slices, and how they came about. */
interface MadeSlices {
  readonly triangles: SlicedTriangles;
  readonly shift: number;
  /** Why the factors are not stored as asked for. */
  readonly note: string | undefined;
}

const TOO_WIDE = 'f64: the factors have numbers beyond the range of f32';

export class SlicedPreconditioner extends Preconditioner {
  readonly #engine: Engine;
  readonly #plan: SlicedPlan;
  #made: MadeSlices;

  private constructor(
    engine: Engine,
    preparation: Preparation,
    isSymmetric: boolean,
    plan: SlicedPlan,
    made: MadeSlices,
  ) {
    super(engine.space, preparation, isSymmetric);
    this.#engine = engine;
    this.#plan = plan;
    this.#made = made;
  }

  /** @throws SparlaneError `backend` on a device; `heap` if it does not fit; and as `refactor` */
  static make(
    engine: Engine,
    preparation: Preparation,
    { order: wanted, blocks }: ParameterValues,
    { form, isSymmetric, refactor }: { form: TriangularForm; isSymmetric: boolean; refactor: Refactor },
  ): SlicedPreconditioner {
    const { matrix, dtype, spec } = preparation;
    if (engine.space.heap === undefined) throw mismatch('backend', spec, "an engine with device: 'cpu'", engine.device);
    const { name, order: named } = chooseOrder(matrix, wanted as OrderName | 'auto');
    const pieces = cutIntoPieces(matrix, named, blocks as number);
    const { context } = engine;
    return assemble((owned) => {
      const scope = owned.own(context.heap.scope());
      const splitting = { matrix, order: pieces.order, pieces };
      const symmetric = form === 'cholesky' ? splitSymmetric(context, scope, splitting) : undefined;
      const split = symmetric ?? splitTriangles(context, scope, splitting);
      const turned = symmetric?.turned;
      const pattern = {
        ...{ rows: split.rows, order: split.order, lower: split.lower, upper: turned ?? split.upper! },
        ...{ turned: turned?.from, piecePtr: pieces.ptr, placed: pieces.placed },
      };
      const slices = groupTriangles(context, scope, pattern) ?? sliceTriangles(context, scope, pattern);
      const { stages } = pieces;
      const solveWith = (asked: Dtype) => new SlicedTriangles(context, { slices, stages }, asked);
      const plan = { scope, name, pieces, split, form, refactor, turned, solveWith };
      const made = factored(engine, plan, matrix.values, owned.own(solveWith(dtype)));
      return new SlicedPreconditioner(engine, preparation, isSymmetric, plan, made);
    });
  }

  protected override run(x: Vector, y: Vector, alpha: number, beta: number): void {
    this.#made.triangles.run(x, y, alpha, beta);
  }

  protected override get isPlanned(): boolean {
    return true;
  }

  protected override refill(values: FloatArray): void {
    this.#made = factored(this.#engine, this.#plan, values, this.#made.triangles, this.#made.note);
  }

  override get bytes(): number {
    return this.#made.triangles.bytes + this.#plan.scope.bytes + (this.#plan.pieces.order?.byteLength ?? 0);
  }

  override explain(): PreconditionerReport {
    const { spec, rows, bytes, setupMs } = this;
    const { name: order, pieces, split, turned } = this.#plan;
    const { blocks, blockRows, borderRows } = pieces;
    const { triangles, shift, note } = this.#made;
    const entries = split.lower.idx.length + (turned === undefined ? split.upper!.idx.length : 0) + rows;
    const how = { dtype: triangles.dtype, ...(note !== undefined && { note }) };
    return {
      spec,
      rows,
      entries,
      order,
      blocks,
      blockRows,
      borderRows,
      dropped: split.dropped,
      shift,
      ...how,
      bytes,
      setupMs,
    };
  }

  protected override release(): void {
    this.#made.triangles[Symbol.dispose]();
    this.#plan.scope[Symbol.dispose]();
  }
}

/** Factors of other values. Those that do not fit into `into` replace it. */
function factored(
  { context }: Engine,
  plan: SlicedPlan,
  values: FloatArray,
  into: SlicedTriangles,
  note?: string,
): MadeSlices {
  const { form, split, refactor, turned, solveWith } = plan;
  using factors = new Triangles(context, form, split, 'f64');
  const shift = refactor(factors, split, values);
  const numbers = turned === undefined ? scaledFactors(split, factors) : symmetricFactors(factors);
  if (into.fill(numbers) || into.dtype !== 'mixed') return { triangles: into, shift, note };
  const wide = solveWith('f64');
  into[Symbol.dispose]();
  wide.fill(numbers);
  return { triangles: wide, shift, note: TOO_WIDE };
}

/** M = E (I + L) (I + L)ᵀ E: both triangles have the values of L. */
function symmetricFactors({ lower, inverse }: Triangles): FactorValues {
  return { lower, upper: lower, before: inverse, after: inverse };
}

/**
 * M = (I + L) D (I + U) as S σ (I + L') (I + U') S, with S² = |D| and the signs σ of D: l'ᵢⱼ = σᵢ σⱼ lᵢⱼ sⱼ / sᵢ and u'ᵢⱼ = uᵢⱼ sᵢ / sⱼ.
 * In place.
 */
function scaledFactors(split: Split, { lower, upper, inverse }: Triangles): FactorValues {
  const [before, after] = [new Float64Array(inverse.length), new Float64Array(inverse.length)];
  for (let i = 0; i < inverse.length; i++) {
    const value = inverse[i]!;
    after[i] = Math.sqrt(Math.abs(value));
    before[i] = value < 0 ? -after[i]! : after[i]!;
  }
  const [L, U] = [split.lower, split.upper!];
  for (let i = 0; i < inverse.length; i++) {
    for (let k = L.ptr[i]!, end = L.ptr[i + 1]!; k < end; k++) lower[k]! *= before[i]! / before[L.idx[k]!]!;
    for (let k = U.ptr[i]!, end = U.ptr[i + 1]!; k < end; k++) upper[k]! *= after[U.idx[k]!]! / after[i]!;
  }
  return { lower, upper, before, after };
}
