/**
 * The interface of a preconditioner. A new one is a file in this folder and its line in `registry.ts`; no other code names one
 * (`docs/adding-a-preconditioner.md`).
 *
 * M approximates A, and z ← M⁻¹ r is cheap. It is an operator like any other: `apply(r, z)`.
 */
import { asFloats, type NumberArray } from '../core/arrays.js';
import type { CsrMatrix } from '../core/csr.js';
import { drain } from '../core/drain.js';
import { mismatch } from '../core/errors.js';
import type { Parameters, ParameterValues } from '../core/parameters.js';
import { type Dtype, type FloatArray, vectorArray } from '../core/types.js';
import type { FactorStep } from '../direct/method.js';
import type { Engine } from '../engine/engine.js';
import type { Space } from '../memory/space.js';
import { LinearOperator } from '../operators/operator.js';

/** What was made, and what it took. Members that do not apply are absent. */
export interface PreconditionerReport {
  /** Kind and parameters that differ from their defaults: `ic0?blocks=4096`. */
  readonly spec: string;
  readonly rows: number;
  /** Stored numbers, such as those of the factors. */
  readonly entries: number;
  /** The order of the rows in which it is computed: `natural`, `rcm`, `sts`; of factors `amd`, `nd` … */
  readonly order?: string;
  /** Rows that were moved so that numbers other than 0 are on the diagonal. */
  readonly movedRows?: number;
  /** Blocks of consecutive rows, coupled by their borders; of `block-jacobi` dense blocks without anything between them. */
  readonly blocks?: number;
  /** Rows of a block. Of multigrid: the unknowns of a node, if it has several. */
  readonly blockRows?: number;
  /** The borders: rows with entries in an earlier block, which are solved in stages of their own. */
  readonly borderRows?: number;
  /** Entries of A between two borders of one stage, which it ignores. */
  readonly dropped?: number;
  /** How the factors are stored; `mixed`: in f32, for vectors of f64. */
  readonly dtype?: Dtype;
  /** Why they are not stored as asked for. */
  readonly note?: string;
  /** Stages of a triangular solve, one after the other: level sets or packs. */
  readonly stages?: number;
  /** Jacobi sweeps in place of each triangular solve. */
  readonly sweeps?: number;
  /** Rows that are solved together, if stages consist of them. */
  readonly superRows?: number;
  /** The largest multiple of the row sums that was added to the diagonal to avoid a breakdown; 0: none. */
  readonly shift?: number;
  /** Of multigrid: from A to the coarsest level. */
  readonly levels?: readonly LevelReport[];
  /** Of multigrid: the rows of all levels over those of A. Vectors of a cycle take this many times the memory of those of one level. */
  readonly gridComplexity?: number;
  /** Of multigrid: the entries of all levels over those of A. The products of a cycle take this many times the time of those with A. */
  readonly operatorComplexity?: number;
  /** Of a saddle point: the rows of its first field. */
  readonly firstRows?: number;
  /** The interval in which the eigenvalues of D⁻¹ A are expected. */
  readonly bounds?: readonly [number, number];
  /** Memory in addition to the matrix of the caller. */
  readonly bytes: number;
  readonly setupMs: number;
}

/** The matrix of a level of multigrid. */
export interface LevelReport {
  readonly rows: number;
  readonly nnz: number;
}

/** Vectors that A maps to almost 0, one in each column. */
export interface NearNullSpace {
  /** The number of columns. */
  readonly modes: number;
  /** The vectors row by row: rows × modes. */
  readonly numbers: Float64Array;
}

/** What a preconditioner is made of. */
export interface Preparation {
  /** Square; its arrays are those of the caller, if these are canonical. */
  readonly matrix: CsrMatrix;
  readonly dtype: Dtype;
  readonly spec: string;
  /** The caller's, for kinds that use one. */
  readonly nearNullSpace?: NearNullSpace;
  /** The caller knows that the matrix is symmetric up to rounding. Default: nothing is known. */
  readonly isKnownSymmetric?: true;
  /** When the set-up began, by `performance.now()`. */
  readonly start: number;
}

/** What is known of a preconditioner's matrix when it is made. */
export interface Made extends Omit<Preparation, 'matrix' | 'isKnownSymmetric'> {
  readonly matrix: Pick<CsrMatrix, 'rows' | 'cols' | 'nnz'>;
}

/** How far a set-up has come. */
export interface SetupStep {
  /** That of multigrid has `levels`, `smoothers`, and then the stages of the factors of the coarsest level. */
  readonly stage: FactorStep['stage'] | 'levels' | 'smoothers';
  /** Share of the stage's work that is done, 0 … 1. */
  readonly done: number;
}

/** A kind of preconditioner, with its parameters. */
export interface PreconditionerKind {
  readonly name: string;
  /** One line that describes it. */
  readonly summary: string;
  /** Paper and section. */
  readonly source: string;
  /** The matrices that it suits. */
  readonly suits: string;
  readonly parameters: Parameters;
  /** The matrices that it approximates: symmetric positive definite ones, or square ones. */
  readonly matrices: 'definite' | 'square';
  /** Whether M, with the default parameters, is symmetric if A is, as cg and minres require. */
  readonly isSymmetric: boolean;
  /** Whether M depends on nothing but the diagonal of A, so that it is the same on any number of ranks. Default false. */
  readonly isOfDiagonal?: boolean;
  /** Whether it uses a near-null space. Default: it does not. */
  readonly usesNearNullSpace?: (values: ParameterValues) => boolean;
  /** Whether it tells the rows of a matrix apart by their places, so that `solve` must not reorder them. Default: it does not. */
  readonly knowsPlaces?: (values: ParameterValues, matrix: CsrMatrix) => boolean;
  /** The dtype if the caller names none. Default `f64`. */
  readonly dtypeFor?: (engine: Engine, values: ParameterValues) => Dtype;
  /**
   * @param values all parameters, checked
   * @throws SparlaneError `structure` for a matrix that it cannot be made of; `heap` if it does not fit; `backend` if the engine cannot
   *   compute it. Nothing stays allocated
   */
  prepare(engine: Engine, preparation: Preparation, values: ParameterValues): Preconditioner;
  /** `prepare` step by step, of a kind whose set-up takes long. Abandoning the steps (`return()`) frees what they had allocated. Default: one step. */
  steps?(engine: Engine, preparation: Preparation, values: ParameterValues): Generator<SetupStep, Preconditioner>;
}

/** The set-up of a kind that has steps. */
export function inSteps(
  steps: NonNullable<PreconditionerKind['steps']>,
): Required<Pick<PreconditionerKind, 'prepare' | 'steps'>> {
  return { steps, prepare: (engine, preparation, values) => drain(steps(engine, preparation, values)) };
}

/** `prepare` of any kind step by step. @throws as `prepare` */
export function* preparing(
  kind: PreconditionerKind,
  engine: Engine,
  preparation: Preparation,
  values: ParameterValues,
): Generator<SetupStep, Preconditioner> {
  if (kind.steps === undefined) return kind.prepare(engine, preparation, values);
  return yield* kind.steps(engine, preparation, values);
}

/** z ← M⁻¹ r. Made by `precondition`. */
export abstract class Preconditioner extends LinearOperator {
  /** Kind and parameters that differ from their defaults. */
  readonly spec: string;
  /** Whether M is symmetric if A is, as cg and minres require. */
  readonly isSymmetric: boolean;
  /** Time of the first set-up. */
  readonly setupMs: number;
  readonly #nnz: number;

  /** Called when the work of the set-up is done. */
  protected constructor(space: Space, { matrix, dtype, spec, start }: Made, isSymmetric: boolean) {
    super(space, matrix.rows, matrix.cols, vectorArray(dtype));
    this.spec = spec;
    this.isSymmetric = isSymmetric;
    this.setupMs = performance.now() - start;
    this.#nnz = matrix.nnz;
  }

  /** Memory in addition to the matrix of the caller. */
  abstract get bytes(): number;

  /** What was chosen, as a plain object. */
  abstract explain(): PreconditionerReport;

  /** Computes it from other values; their length was checked. */
  protected abstract refill(values: FloatArray): void;

  /**
   * Computes it again for a matrix of the same pattern with other numbers, as in time steps and Newton's method. Order, blocks and
   * memory stay.
   *
   * @param values length nnz, in the order of the matrix's rows with ascending columns (`csrMatrix`)
   * @throws SparlaneError `argument` or `shape` for wrong values; `structure` as when it was made: it must then be updated before it is
   *   used again
   */
  update(values: NumberArray): void {
    this.refill(this.checkValues(values));
  }

  /** @throws as `update`, for values that it does not take */
  protected checkValues(given: NumberArray): FloatArray {
    if (this.disposed) throw mismatch('argument', 'preconditioner', 'one that is in use', 'a disposed one');
    const values = asFloats('values', given);
    const { length } = values;
    if (length !== this.#nnz) throw mismatch('shape', 'values', `length nnz = ${this.#nnz}`, length, { length });
    this.space.refuseRecording('an update');
    return values;
  }

  /** One line: `Preconditioner (ic0, 1000 × 1000)`. */
  override toString(): string {
    return `Preconditioner (${this.spec}, ${this.rows} × ${this.cols})`;
  }
}
