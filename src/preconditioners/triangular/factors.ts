/** What the preconditioners of triangular factors share, and the operator that solves with them in stages. */
import type { TeamContext } from '../../backends/team/backend.js';
import { mismatch, SparlaneError } from '../../core/errors.js';
import { assemble } from '../../core/owned.js';
import type { ParameterValues } from '../../core/parameters.js';
import type { FloatArray } from '../../core/types.js';
import type { Engine } from '../../engine/engine.js';
import type { HeapScope } from '../../memory/heap.js';
import type { Vector } from '../../memory/vector.js';
import { Preconditioner, type PreconditionerReport, type Preparation } from '../preconditioner.js';
import { arrange, type TriangleArrangement } from './arrange.js';
import { fillPivots, gather, placedNumbers } from './gather.js';
import { type Split, splitTriangles } from './split.js';
import { Triangles } from './triangles.js';

/** The values of the factors: computed from those of A, in place. Returns the largest shift. */
export type Refactor = (triangles: Triangles, split: Split, values: FloatArray) => number;

/** Solves with triangular factors, stage by stage. */
export class StagedPreconditioner extends Preconditioner {
  readonly #triangles: Triangles;
  readonly #scope: HeapScope;
  readonly #split: Split;
  readonly #arrangement: TriangleArrangement;
  readonly #refactor: Refactor;
  #shift: number;

  private constructor(engine: Engine, preparation: Preparation, isSymmetric: boolean, made: MadeFactors) {
    super(engine.space, preparation, isSymmetric);
    this.#triangles = made.triangles;
    this.#scope = made.scope;
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
    const { context } = engine;
    return assemble((owned) => {
      const scope = owned.own(context.heap.scope());
      const split = splitTriangles(context, scope, { matrix, order });
      const triangles = owned.own(new Triangles(context, 'lu', { ...split, stages }, dtype));
      const shift = refactor(triangles, split, matrix.values);
      const made = { scope, triangles, split, arrangement, refactor, shift };
      return new StagedPreconditioner(engine, preparation, isSymmetric, made);
    });
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
    return this.#triangles.bytes + this.#scope.bytes;
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
    this.#scope[Symbol.dispose]();
  }
}

interface MadeFactors {
  /** Of the split. */
  readonly scope: HeapScope;
  readonly triangles: Triangles;
  readonly split: Split;
  readonly arrangement: TriangleArrangement;
  readonly refactor: Refactor;
  readonly shift: number;
}

/** Incomplete factors without fill-in. @throws SparlaneError `structure` if no shift prevents a breakdown */
export function incompleteFactors(context: TeamContext, what: string, isDefinite: boolean): Refactor {
  return (triangles, split, values) => {
    using work = context.heap.scope();
    const placed = placedNumbers(work, values);
    const { lower, upper } = split;
    const shift = triangles.factor(
      (pivots) => fillPivots(context, split, placed, pivots),
      isDefinite,
      () => {
        gather(context, lower.from, placed, triangles.lower);
        if (upper !== undefined) gather(context, upper.from, placed, triangles.upper);
      },
    );
    if (shift !== undefined) return shift;
    const entry = values.findIndex((value) => !Number.isFinite(value));
    const got = entry < 0 ? 'an overflow' : `${values[entry]} as entry ${entry}`;
    const text = `${what}: expected finite numbers that can be factored, got ${got}`;
    throw new SparlaneError('structure', text, { entry });
  };
}
