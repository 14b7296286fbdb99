/** What the preconditioners of triangular factors share, and the operator that solves with them in stages. */
import { type Pivots, Triangles } from '../../backends/team/triangles.js';
import type { CsrMatrix } from '../../core/csr.js';
import { mismatch, SparlaneError } from '../../core/errors.js';
import type { ParameterValues } from '../../core/parameters.js';
import type { FloatArray } from '../../core/types.js';
import type { Vector } from '../../memory/vector.js';
import type { Engine } from '../../operators/engine.js';
import { Preconditioner, type PreconditionerReport, type Preparation } from '../preconditioner.js';
import { type Arrangement, arrange } from './arrange.js';
import { fillTriangle, NONE, type Split, splitTriangles } from './split.js';

/** The values of the factors: computed from those of A, in place. Returns the largest shift. */
export type Refactor = (triangles: Triangles, split: Split, values: FloatArray) => number;

/** Solves with triangular factors, stage by stage. */
export class StagedPreconditioner extends Preconditioner {
  readonly #triangles: Triangles;
  readonly #split: Split;
  readonly #arrangement: Arrangement;
  readonly #refactor: Refactor;
  #shift: number;

  private constructor(engine: Engine, preparation: Preparation, isSymmetric: boolean, made: Made) {
    super(engine.space, preparation, isSymmetric);
    this.#triangles = made.triangles;
    this.#split = made.split;
    this.#arrangement = made.arrangement;
    this.#refactor = made.refactor;
    this.#shift = made.shift;
  }

  /** @throws SparlaneError `backend` on a device; `heap` if it does not fit; and as `refactor` */
  static make(
    engine: Engine,
    preparation: Preparation,
    values: ParameterValues,
    { isSymmetric, refactor }: { isSymmetric: boolean; refactor: Refactor },
  ): StagedPreconditioner {
    const { matrix, dtype, spec } = preparation;
    if (engine.space.heap === undefined) throw mismatch('backend', spec, "an engine with device: 'cpu'", engine.device);
    const arrangement = arrange(matrix, values);
    const { order, stages } = arrangement;
    const split = splitTriangles(matrix, order, true);
    const triangles = new Triangles(engine.context, 'lu', { ...split, stages }, dtype);
    try {
      const shift = refactor(triangles, split, matrix.values);
      return new StagedPreconditioner(engine, preparation, isSymmetric, {
        ...{ triangles, split, arrangement, refactor, shift },
      });
    } catch (error) {
      triangles[Symbol.dispose]();
      throw error;
    }
  }

  protected override run(x: Vector, y: Vector, alpha: number, beta: number): void {
    this.#triangles.run(x, y, alpha, beta);
  }

  protected override get isPlanned(): boolean {
    return true;
  }

  protected override refill(values: FloatArray): void {
    this.#shift = this.#refactor(this.#triangles, this.#split, values);
  }

  override get bytes(): number {
    const { order, lower, upper, diagonal } = this.#split;
    const kept = [
      order,
      diagonal,
      ...[lower, upper].flatMap((triangle) => triangle && [triangle.ptr, triangle.idx, triangle.from]),
    ];
    return this.#triangles.bytes + kept.reduce((sum, array) => sum + (array?.byteLength ?? 0), 0);
  }

  override explain(): PreconditionerReport {
    const { spec, rows, bytes, setupMs } = this;
    const { entries } = this.#triangles;
    const { name: order, stages, superRows } = this.#arrangement;
    const more = superRows === undefined ? {} : { superRows };
    return { spec, rows, entries, order, stages: stages.length, ...more, shift: this.#shift, bytes, setupMs };
  }

  protected override release(): void {
    this.#triangles[Symbol.dispose]();
  }
}

interface Made {
  readonly triangles: Triangles;
  readonly split: Split;
  readonly arrangement: Arrangement;
  readonly refactor: Refactor;
  readonly shift: number;
}

/** Incomplete factors without fill-in. @throws SparlaneError `structure` if no shift prevents a breakdown */
export function incompleteFactors(what: string, { rowPtr }: Pick<CsrMatrix, 'rowPtr'>, isDefinite: boolean): Refactor {
  return (triangles, split, values) => {
    const { lower, upper } = split;
    const pivots = (into: Pivots) => fillPivots(rowPtr, split, values, into);
    const shift = triangles.factor(pivots, isDefinite, () => {
      fillTriangle(lower, values, triangles.lower);
      if (upper !== undefined) fillTriangle(upper, values, triangles.upper);
    });
    if (shift !== undefined) return shift;
    const entry = values.findIndex((value) => !Number.isFinite(value));
    const got = entry < 0 ? 'an overflow' : `${values[entry]} as entry ${entry}`;
    const text = `${what}: expected finite numbers that can be factored, got ${got}`;
    throw new SparlaneError('structure', text, { entry });
  };
}

/** In a row without entries the sum is 1: it gets a pivot by a shift. */
function fillPivots(rowPtr: Uint32Array, { rows, order, diagonal }: Split, values: FloatArray, pivots: Pivots): void {
  for (let i = 0; i < rows; i++) {
    const row = order === undefined ? i : order[i]!;
    let sum = 0;
    for (let k = rowPtr[row]!; k < rowPtr[row + 1]!; k++) sum += Math.abs(values[k]!);
    pivots.diagonal[i] = diagonal[i] === NONE ? 0 : values[diagonal[i]!]!;
    pivots.sums[i] = sum === 0 ? 1 : sum;
  }
}
