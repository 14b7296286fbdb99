/**
 * The operators of which Lanczos finds the outer eigenvalues ν, and how these belong to λ of A x = λ B x. Each is symmetric in the inner product uᵀ B w.
 *
 * Source: Ericsson & Ruhe 1980 (shift-and-invert); Bai, Demmel, Dongarra, Ruhe & van der Vorst, Templates for Algebraic Eigenvalue Problems, 2000,
 *   chapters 4 and 5.
 */
import type { Vector } from '../../memory/vector.js';
import type { LinearOperator } from '../../operators/operator.js';
import type { Which } from '../method.js';

/** A vector, and B times it where B is not the identity. */
export interface VectorPair {
  readonly w: Vector;
  readonly image: Vector | undefined;
}

export interface Transformation {
  /** B is that of the inner product, and undefined for the identity. */
  readonly B: LinearOperator | undefined;
  /** Products with A, and solves, of one `apply`. */
  readonly cost: { readonly products: number; readonly solves: number };
  /** to ← the operator times from, for which it may use the image of `from`; that of `to` is undefined then. */
  apply(from: VectorPair, to: VectorPair): void;
  /** λ */
  valueOf(nu: number): number;
  /** ν */
  nuOf(value: number): number;
  /** The less, the more wanted; a difference is that of ν, or of that order. */
  orderOf(nu: number): number;
}

/** ν = λ: A itself, or B⁻¹ A by the factors of B. */
export function plain(
  A: LinearOperator,
  which: Which,
  mass?: { readonly B: LinearOperator; readonly factors: LinearOperator },
): Transformation {
  return {
    B: mass?.B,
    cost: { products: 1, solves: mass === undefined ? 0 : 1 },
    apply(from, to) {
      if (mass === undefined) A.apply(from.w, to.w);
      else {
        A.apply(from.w, to.image!);
        mass.factors.apply(to.image!, to.w);
      }
    },
    valueOf: (nu) => nu,
    nuOf: (value) => value,
    orderOf: (nu) => (which === 'largest' ? -nu : nu),
  };
}

/**
 * ν = 1 / (λ − σ): (A − σ B)⁻¹ B.
 *
 * @param factors of A − σ B
 * @param wish what is wanted: all eigenvalues are above σ, and the least are; or those that are nearest to a shift, of which σ is a neighbour
 */
export function shiftAndInvert(
  factors: Pick<LinearOperator, 'apply'>,
  sigma: number,
  wish: 'smallest' | { readonly near: number },
  B: LinearOperator | undefined,
): Transformation {
  return {
    B,
    cost: { products: 0, solves: 1 },
    apply: (from, to) => factors.apply(from.image ?? from.w, to.w),
    valueOf: (nu) => sigma + 1 / nu,
    nuOf: (value) => 1 / (value - sigma || Number.MIN_VALUE),
    orderOf(nu) {
      if (wish === 'smallest') return -nu;
      const moved = sigma - wish.near;
      return moved === 0 ? -Math.abs(nu) : -1 / Math.abs(1 / nu + moved);
    },
  };
}
