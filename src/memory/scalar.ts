/** Scalars in the space of the vectors, so a solver's coefficients need no round trip to the host. */
import { finite } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import { ThreadBound } from '../core/thread-bound.js';
import type { Coefficient, ScalarOperation, Space } from './space.js';

/**
 * Added to divisors: 0 / 0 becomes 0, and no other quotient changes. So a step after the exact solution, which a device runs before it is
 * asked for the residual, changes nothing.
 */
export const TINY: number = Number.MIN_VALUE;

/** The factor of a vector: a number, a scalar of the vector's space, or `scalar.times(-1)`. */
export type Factor = number | Scalar | ScaledScalar;

const WIDTH: number = Float64Array.BYTES_PER_ELEMENT;

/** A scalar times a number. */
export interface ScaledScalar {
  readonly scalar: Scalar;
  readonly times: number;
}

/**
 * A number in a space, f64 whatever the vectors' type. On a device, operations that set it are queued; only `value` waits.
 *
 * @example
 * alpha.setQuotient(rr, pq); // α ← (r, r) / (p, A p)
 * x.axpy(alpha, p); // x ← x + α p
 * r.axpy(alpha.times(-1), q); // r ← r − α q
 */
export class Scalar extends ThreadBound implements Disposable {
  readonly space: Space;
  /** The block of its neighbours, and its place there. */
  readonly #place: { readonly block: number; readonly index: number } | undefined;
  #block: number | undefined;

  /**
   * @param place in a block of several, which the caller owns
   * @throws SparlaneError `heap` if it does not fit
   */
  constructor(space: Space, value = 0, place?: { readonly block: number; readonly index: number }) {
    super('scalar');
    finite('value', value);
    this.space = space;
    this.#place = place;
    this.#block = place === undefined ? space.allocate(WIDTH) : space.slice(place.block, WIDTH * place.index, WIDTH);
    this.set(value);
  }

  /** Its block in the space. */
  get block(): number {
    if (this.#block === undefined) throw mismatch('argument', 'scalar', 'one that is in use', 'a disposed scalar');
    return this.#block;
  }

  /** The number. On a device it waits for all earlier operations. @throws SparlaneError `argument` while the space records */
  get value(): number {
    const value = new Float64Array(1);
    this.space.download(this.block, 0, value);
    return value[0]!;
  }

  /** @throws SparlaneError `argument` while the space records */
  set(value: number): this {
    this.space.upload(this.block, 0, Float64Array.of(finite('value', value)));
    return this;
  }

  /** This number times another one, as a factor. Nothing is computed here. */
  times(factor: number): ScaledScalar {
    return { scalar: this, times: finite('factor', factor) };
  }

  /** this ← a + b */
  setSum(a: Factor, b: Factor): this {
    return this.#compute('add', a, b);
  }

  /** this ← a − b */
  setDifference(a: Factor, b: Factor): this {
    return this.#compute('subtract', a, b);
  }

  /** this ← a b */
  setProduct(a: Factor, b: Factor): this {
    return this.#compute('multiply', a, b);
  }

  /** this ← a / b */
  setQuotient(a: Factor, b: Factor): this {
    return this.#compute('divide', a, b);
  }

  /** this ← √a */
  setRoot(a: Factor): this {
    return this.#compute('root', a, 0);
  }

  #compute(operation: ScalarOperation, a: Factor, b: Factor): this {
    const { space, block } = this;
    space.compute(operation, coefficient('a', a, space), coefficient('b', b, space), block);
    return this;
  }

  /** Frees the memory. A second call has no effect. */
  dispose(): void {
    if (this.#block === undefined) return;
    if (this.#place === undefined) this.space.release(this.#block);
    else this.space.releaseSlice(this.#block);
    this.#block = undefined;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** The numbers of several scalars. On a device, those of one `ScalarGroup` take one wait. @throws as `value` */
  static values(scalars: readonly Scalar[]): number[] {
    const blockOf = (scalar: Scalar | undefined) => (scalar === undefined ? undefined : scalar.#place?.block);
    const [first] = scalars;
    const block = blockOf(first);
    if (block === undefined || !scalars.every((one) => one.space === first!.space && blockOf(one) === block))
      return scalars.map(({ value }) => value);
    const places = scalars.map((scalar) => scalar.#place!.index);
    const begin = Math.min(...places);
    const numbers = new Float64Array(Math.max(...places) + 1 - begin);
    first!.space.download(block, WIDTH * begin, numbers);
    return places.map((place) => numbers[place - begin]!);
  }
}

/** Scalars that are used together. On a device they are neighbours in memory. */
export class ScalarGroup implements Disposable {
  readonly scalars: readonly Scalar[];
  readonly #space: Space;
  readonly #block: number | undefined;

  /** @throws SparlaneError `heap` if they do not fit */
  constructor(space: Space, count: number) {
    const block = space.heap === undefined ? space.allocate(WIDTH * count) : undefined;
    [this.#space, this.#block] = [space, block];
    this.scalars = Array.from(
      { length: count },
      (_, index) => new Scalar(space, 0, block === undefined ? undefined : { block, index }),
    );
  }

  [Symbol.dispose](): void {
    for (const scalar of this.scalars) scalar.dispose();
    if (this.#block !== undefined) this.#space.release(this.#block);
  }
}

/** A factor in the form that spaces take. @throws SparlaneError `argument` for a wrong factor, or a scalar of another space */
export function coefficient(name: string, factor: Factor, space: Space): Coefficient {
  if (typeof factor === 'number') return { slot: undefined, times: finite(name, factor) };
  const { scalar, times } = factor instanceof Scalar ? { scalar: factor, times: 1 } : (factor ?? {});
  if (!(scalar instanceof Scalar)) throw mismatch('argument', name, 'a number or a scalar', factor);
  if (scalar.space !== space) throw mismatch('argument', name, 'a scalar of the same space', 'one of another');
  return { slot: scalar.block, times: finite(name, times!) };
}
