/**
 * Triangular solves on a device, in stages: level sets, or packs of super-rows. The factors are computed in the heap, and stay on the
 * device alone. Kernel: `cuda/triangles.cu`.
 */
import type { DeviceBackend } from '../../backends/backend.js';
import type { Plan } from '../../backends/plan.js';
import { mismatch } from '../../core/errors.js';
import type { ParameterValues } from '../../core/parameters.js';
import type { FloatArray } from '../../core/types.js';
import type { Engine } from '../../engine/engine.js';
import type { Stage } from '../../formats/format.js';
import type { HeapScope } from '../../memory/heap.js';
import type { Vector } from '../../memory/vector.js';
import { Preconditioner, type PreconditionerReport, type Preparation } from '../preconditioner.js';
import { arrange, type TriangleArrangement } from './arrange.js';
import type { Refactor } from './factors.js';
import { splitTriangles } from './split.js';
import { Triangles } from './triangles.js';

interface Factors {
  /** y ← α M⁻¹ x + β y */
  readonly plan: Plan;
  readonly entries: number;
  readonly shift: number;
}

export class DeviceTriangularPreconditioner extends Preconditioner {
  readonly #arrangement: TriangleArrangement;
  /** Of the split. */
  readonly #scope: HeapScope;
  readonly #compute: (values: FloatArray) => Factors;
  #factors: Factors;

  /** @throws SparlaneError `heap` if it does not fit; `kernel` if the device has no such kernel; and as `refactor` */
  constructor(
    engine: Engine,
    preparation: Preparation,
    values: ParameterValues,
    isSymmetric: boolean,
    refactor: Refactor,
  ) {
    const { matrix, dtype, spec } = preparation;
    const { rows } = matrix;
    const [backend] = engine.gpus;
    if (backend === undefined) throw mismatch('backend', spec, 'an engine with a device', engine.device);
    const arrangement = arrange(matrix, values, true);
    const { order, stages } = arrangement;
    const { context } = engine;
    const made = context.heap.build((scope) => {
      const split = splitTriangles(context, scope, { matrix, order });
      const compute = (numbers: FloatArray): Factors => {
        using triangles = new Triangles(context, 'lu', { ...split, stages, onDevice: true }, dtype);
        const shift = refactor(triangles, split, numbers);
        return { plan: planSolve(backend, triangles.header, rows, dtype), entries: triangles.entries, shift };
      };
      return { scope, compute, factors: compute(matrix.values) };
    });
    super(engine.space, preparation, isSymmetric);
    this.#arrangement = arrangement;
    this.#scope = made.scope;
    this.#compute = made.compute;
    this.#factors = made.factors;
  }

  protected override run(x: Vector, y: Vector, alpha: number, beta: number): void {
    this.#factors.plan.run(x, y, alpha, beta);
  }

  protected override get isPlanned(): boolean {
    return true;
  }

  protected override refill(values: FloatArray): void {
    const factors = this.#compute(values);
    this.#factors.plan[Symbol.dispose]();
    this.#factors = factors;
  }

  override get bytes(): number {
    return this.#factors.plan.setupBytes + this.#scope.bytes;
  }

  override explain(): PreconditionerReport {
    const { spec, rows, bytes, setupMs } = this;
    const { name: order, stages, superRows } = this.#arrangement;
    const { entries, shift } = this.#factors;
    const more = superRows === undefined ? {} : { superRows };
    return { spec, rows, entries, order, stages: stages.length, ...more, shift, bytes, setupMs };
  }

  protected override release(): void {
    this.#factors.plan[Symbol.dispose]();
    this.#scope[Symbol.dispose]();
  }
}

/** A solve as the product of an operator, M⁻¹. The arrays of the header are copied to the device. */
function planSolve(backend: DeviceBackend, header: number, rows: number, dtype: Preparation['dtype']): Plan {
  const solve: Stage = { kernel: { base: 'triangles', verb: 'trsv' }, header, units: rows, workBefore: (row) => row };
  return backend.plan({ rows, cols: rows, dtype, stages: { spmv: [solve] } }, 'spmv');
}
