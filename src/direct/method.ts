/**
 * The interface of a direct method: it analyses a pattern once, factors A, and solves with the factors. A new one is a file in a folder here and its
 * line in `methods.ts`.
 *
 * Analysis and factorization are generators: they yield every few milliseconds, or some 40 where threads share the work, so a caller can show
 * progress, abort, or let the event loop turn. Abandoning one (`return()`) frees what it had allocated.
 */
import type { CsrMatrix } from '../core/csr.js';
import type { FloatArray } from '../core/types.js';
import type { Engine } from '../engine/engine.js';
import type { FactorDtype } from '../kernels/abi.js';

/** The kernels solve this many columns of X in one pass over the factors (`assembly/direct/`). */
export const SOLVED_TOGETHER = 4;

/** A backward error, or a correction relative to x, is rounding up to here: some units in the last place. */
export const ROUNDING = 1e-15;

/** A factorization does this many multiplications and additions in a nanosecond, on one thread; fitted as `solvers/times.ts` says. */
export const FLOPS_PER_NS = { symmetric: 8, lu: 2 } as const;

/**
 * Nested dissection takes this time for each row, rounded up: 7,000 ns on 7-point 40³, 5,500 on 5-point 300², 6,400 on 9-point 350². (CPU time of one thread,
 * Intel Xeon, Node 20, 27 November 2026.)
 */
export const DISSECTED_ROW_NS = 10_000;

/** Nested dissection may save this share of the operations: it saves 0.4 on 7-point 40³, 0.55 on 9-point 350², nothing on 5-point 300². */
const SAVED_BY_DISSECTION = 0.4;

/**
 * Whether nested dissection is tried after a minimum degree: if it may save more of one factorization than it takes. On 9-point 350² it takes 0.8 s, and
 * all of the factorization without it 1.0 s.
 *
 * @param flops with the order of minimum degree
 */
export function isWorthDissecting(flops: number, rows: number, kind: keyof typeof FLOPS_PER_NS): boolean {
  return (SAVED_BY_DISSECTION * flops) / FLOPS_PER_NS[kind] > DISSECTED_ROW_NS * rows;
}

/** A direct method. */
export type DirectName = 'cholesky' | 'ldlt' | 'lu';
/** An order of the unknowns that keeps factors sparse: approximate minimum degree, nested dissection, or the better one of them. */
export type FillOrder = 'auto' | 'amd' | 'nd';

/** What an analysis is asked for. */
export interface FactorWish {
  /** Of the rows; `auto` chooses. */
  readonly order: FillOrder;
  /** How the numbers of the factors are stored, if the method can; `fitting`: as f64 if there is room, else as f32. */
  readonly stored: FactorDtype | 'fitting';
}

/** Where an analysis or a factorization is. */
export interface FactorStep {
  readonly stage: 'order' | 'analysis' | 'factor';
  /** Share of the stage's work that is done, 0 … 1. */
  readonly done: number;
}

/** What the analysis of a pattern says before memory is taken for numbers. */
export interface Prediction {
  readonly method: DirectName;
  /** The order that was taken: `amd`, `nd`, `colamd`, `btf+amd` … */
  readonly order: string;
  /** How they are stored. */
  readonly stored: FactorDtype;
  /** Numbers in the factors; of `lu` an estimate, since pivots decide. */
  readonly entries: number;
  /** Memory of factors and work space. */
  readonly bytes: number;
  /** Multiplications and additions of the numeric factorization. */
  readonly flops: number;
}

/** An analysed pattern. */
export interface Analysis {
  readonly prediction: Prediction;
  /**
   * @param values those of the matrix, in the order of its rows with ascending columns
   * @throws SparlaneError `structure` if A is singular (which column), or not of the kind that the method needs; `heap` if memory does not
   *   suffice. Nothing stays allocated
   */
  factor(engine: Engine, values: FloatArray): Generator<FactorStep, Factors>;
}

/** The factors of one matrix. */
export interface Factors extends Disposable {
  readonly entries: number;
  readonly bytes: number;
  /** Multiplications and additions that the factorization took. */
  readonly flops: number;
  /** Pivots that were not taken from the diagonal, of 2 × 2, or perturbed. */
  readonly pivots: { readonly offDiagonal: number; readonly twoByTwo: number; readonly perturbed: number };
  /** The numbers of positive, negative and zero eigenvalues; undefined for a matrix that is not symmetric. Pivots that were replaced count as zero: their sign is unknown. */
  readonly inertia?: { readonly positive: number; readonly negative: number; readonly zero: number } | undefined;
  /** log |det A| and the sign of det A. */
  readonly logDeterminant: { readonly log: number; readonly sign: number };
  /** Factors the same pattern with other values. After an error it must be called again before `solve`. */
  refactor(values: FloatArray): Generator<FactorStep, void>;
  /** X ← A⁻¹ X in place, of `columns` columns one after the other, in the heap. Without refinement. A column has the bits that it has alone. */
  solve(x: Float64Array, columns: number): void;
}

export interface DirectMethod {
  readonly name: DirectName;
  readonly summary: string;
  readonly source: string;
  analyse(engine: Engine, matrix: CsrMatrix, wish: FactorWish): Generator<FactorStep, Analysis>;
}
