/** Preconditioners that multiply by a diagonal matrix: z ← d ∘ r, in any space. */
import { NO_ENTRY } from '../algebra/diagonal.js';
import { SparlaneError } from '../core/errors.js';
import type { FloatArray } from '../core/types.js';
import type { Space } from '../memory/space.js';
import { Vector } from '../memory/vector.js';
import { ComposedPreconditioner } from './composed.js';
import type { Made, PreconditionerReport } from './preconditioner.js';

/** d, from the values of the entries. */
export type ComputeDiagonal = (values: FloatArray) => Float64Array;

/** y ← d ∘ x */
export class DiagonalPreconditioner extends ComposedPreconditioner {
  readonly #compute: ComputeDiagonal;
  readonly #d: Vector;
  /** d in every column, for blocks of as many columns as the latest one; made once. */
  #repeated: Vector | undefined;

  /** @param d the first diagonal, by `compute` */
  constructor(space: Space, made: Made, compute: ComputeDiagonal, d: Float64Array) {
    super(space, made, true);
    this.#compute = compute;
    this.#d = new Vector(space, this.vectorType, d.length).set(d);
  }

  protected override compute(x: Vector, y: Vector): void {
    y.multiply(this.#d, x);
  }

  protected override runBlock(x: Vector, y: Vector, alpha: number, beta: number): void {
    if (alpha === 1 && beta === 0) y.multiply(this.#block(x.columns), x);
    else super.runBlock(x, y, alpha, beta);
  }

  #block(columns: number): Vector {
    if (this.#repeated?.columns !== columns) {
      this.#repeated?.dispose();
      this.#repeated = undefined;
      const block = new Vector(this.space, this.vectorType, this.rows, undefined, columns);
      for (let j = 0; j < columns; j++) block.setColumn(j, this.#d);
      this.#repeated = block;
    }
    return this.#repeated;
  }

  protected override refill(values: FloatArray): void {
    this.#d.set(this.#compute(values));
    this.#repeated?.dispose();
    this.#repeated = undefined;
  }

  override get bytes(): number {
    return this.#d.byteLength + (this.#repeated?.byteLength ?? 0);
  }

  override explain(): PreconditionerReport {
    const { spec, rows, bytes, setupMs } = this;
    return { spec, rows, entries: rows, bytes, setupMs };
  }

  protected override release(): void {
    super.release();
    this.#d.dispose();
    this.#repeated?.dispose();
  }
}

/** Returns the diagonal, whose entries have these places among the values. @throws SparlaneError `structure` if one is absent, 0 or not finite */
export function invertibleDiagonal(what: string, places: Uint32Array, values: FloatArray): Float64Array {
  const diagonal = new Float64Array(places.length);
  for (let i = 0; i < places.length; i++) diagonal[i] = pivotOf(what, places, values, i);
  return diagonal;
}

/** Returns the reciprocals of the diagonal, whose entries have these places among the values. @throws SparlaneError `structure` if one is absent, 0 or not finite */
export function reciprocalDiagonal(what: string, places: Uint32Array, values: FloatArray): Float64Array {
  const inverse = new Float64Array(places.length);
  for (let i = 0; i < places.length; i++) inverse[i] = 1 / pivotOf(what, places, values, i);
  return inverse;
}

function pivotOf(what: string, places: Uint32Array, values: FloatArray, row: number): number {
  const place = places[row]!;
  const value = place === NO_ENTRY ? 0 : values[place]!;
  if (value !== 0 && Number.isFinite(value)) return value;
  const text = `${what}: expected a diagonal of finite numbers other than 0, got ${value} in row ${row}`;
  throw new SparlaneError('structure', text, { row });
}

/** Returns the reciprocals of the diagonal, whose entries have these places among the values. @throws SparlaneError `structure` if one is not positive, or not finite */
export function reciprocalPositiveDiagonal(places: Uint32Array, values: FloatArray): Float64Array {
  const inverse = reciprocalDiagonal('matrix', places, values);
  const row = inverse.findIndex((value) => value < 0);
  if (row < 0) return inverse;
  const text = `matrix: expected a positive diagonal, got ${values[places[row]!]} in row ${row}`;
  throw new SparlaneError('structure', text, { row });
}

/** Returns 1 / xᵢ for each positive xᵢ, and 0 for each other one. */
export function reciprocalsOfPositive(x: FloatArray): Float64Array {
  const inverse = new Float64Array(x.length);
  for (let i = 0; i < x.length; i++) if (x[i]! > 0) inverse[i] = 1 / x[i]!;
  return inverse;
}

/** The error for values of which one is not finite: it names the first. */
export function notFinite(values: FloatArray): SparlaneError {
  const entry = values.findIndex((value) => !Number.isFinite(value));
  return new SparlaneError('structure', `matrix: expected finite numbers, got ${values[entry]} as entry ${entry}`, {
    entry,
  });
}
