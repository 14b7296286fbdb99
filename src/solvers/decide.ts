/** Chooses a method and preconditioners for a matrix, by shape, symmetry, diagonal and size. One pass over the entries. */
import { diagonalFrom } from '../algebra/diagonal.js';
import { normsOf } from '../algebra/rows.js';
import type { CsrMatrix } from '../core/csr.js';
import { equalsTranspose, firstAsymmetry, likenessOfTranspose, symmetrizingSigns } from '../core/symmetry.js';

/** The name of no preconditioner. */
export const NO_PRECONDITIONER = 'none';

/** Preconditioners by the kind of the matrix, best first: one that refuses the matrix or the engine is passed over. */
const PREFERRED = { definite: ['ic0', 'jacobi'], general: ['ilu0', 'jacobi'] } as const;

/** The signs of a diagonal. `zeros`: with zeros or missing entries, or numbers that are not finite. */
export type DiagonalSigns = 'positive' | 'nonzero' | 'zeros';

/** What `solve` knows of a matrix when it chooses a method. */
export interface SystemFacts {
  readonly rows: number;
  readonly cols: number;
  readonly symmetric: boolean;
  /** Symmetric with numbers that differ from those across the diagonal by rounding errors. */
  readonly roundedSymmetry?: boolean;
  /** Symmetric with other signs of some columns, but not as it is: its factors are symmetric. */
  readonly signedSymmetry?: boolean;
  /** The real equivalent of a complex symmetric matrix, Aᵀ = A, that is not real. */
  readonly complexSymmetric?: boolean;
  readonly diagonal: DiagonalSigns;
  /** The greatest norm of a column over the least, without columns of zeros. Only if there are more rows than columns. */
  readonly columnRatio?: number;
}

/** A method, and the preconditioners to try before none. */
export interface SolvePlan {
  readonly method: string;
  readonly preconditioners: readonly string[];
  readonly why: string;
}

/** Up to this size, gmres keeps a basis of the whole space: it needs no restart, and ends. */
const FULL_BASIS = 300;
/** For matrices on which bicgstab fails: the more vectors, the fewer stall. */
const LONG_RESTART = 100;

/** From this ratio on, the columns of least squares are scaled. */
const COLUMN_RATIO = 10;

/** @param isComplex whether the matrix is the real equivalent of a complex one */
export function factsOf(matrix: CsrMatrix, isComplex = false): SystemFacts {
  const { rows, cols } = matrix;
  const columnRatio = rows > cols ? { columnRatio: ratioOf(normsOf(matrix, 'columns')) } : {};
  const likeness = likenessOfTranspose(matrix);
  const symmetry = { symmetric: likeness !== 'none', ...(likeness === 'rounded' && { roundedSymmetry: true }) };
  const signed = likeness === 'none' ? signedSymmetryOf(matrix, isComplex) : {};
  return { rows, cols, ...symmetry, ...signed, diagonal: signsOf(matrix), ...columnRatio };
}

function signedSymmetryOf(
  matrix: CsrMatrix,
  isComplex: boolean,
): Pick<SystemFacts, 'signedSymmetry' | 'complexSymmetric'> {
  const { colIdx, values } = matrix;
  if (!equalsTranspose(matrix, 'pattern') || symmetrizingSigns(matrix, values) === undefined) return {};
  if (!isComplex) return { signedSymmetry: true };
  // Aᵀ = A where [re im; im −re] is symmetric, a column of other signs for each imaginary part.
  const conjugated = values.map((value, k) => (colIdx[k]! % 2 === 0 ? value : -value));
  return { signedSymmetry: true, ...(firstAsymmetry(matrix, conjugated) === undefined && { complexSymmetric: true }) };
}

function signsOf(matrix: CsrMatrix): DiagonalSigns {
  let arePositive = true;
  for (const value of diagonalFrom(matrix)) {
    if (value === 0 || !Number.isFinite(value)) return 'zeros';
    if (value < 0) arePositive = false;
  }
  return arePositive ? 'positive' : 'nonzero';
}

function ratioOf(norms: Float64Array): number {
  const known = norms.filter((norm) => norm > 0);
  return known.length === 0 ? 1 : known.reduce((a, b) => Math.max(a, b)) / known.reduce((a, b) => Math.min(a, b));
}

/** Of a method of least squares. A wide matrix is not scaled: many x solve it, and the shortest one is found. */
export function columnScaling({ columnRatio = 1 }: SystemFacts): readonly string[] {
  return columnRatio >= COLUMN_RATIO ? ['jacobi'] : [];
}

/** The method to begin with, and those to go on with if a method finds that it cannot solve the system. */
export function plansFor(facts: SystemFacts): readonly [SolvePlan, ...SolvePlan[]] {
  const { rows, cols, symmetric, diagonal } = facts;
  if (rows !== cols)
    return [{ method: 'lsmr', preconditioners: columnScaling(facts), why: `${rows} × ${cols}: least squares` }];
  if (!symmetric) {
    const preconditioners = diagonal === 'zeros' ? PREFERRED.general.slice(0, 1) : PREFERRED.general;
    const restart = Math.min(Math.max(rows, 1), rows <= FULL_BASIS ? FULL_BASIS : LONG_RESTART);
    const gmres = { method: `gmres?restart=${restart}`, preconditioners };
    if (rows <= FULL_BASIS)
      return [{ ...gmres, why: `not symmetric, and at most ${FULL_BASIS} rows: a basis of the whole space fits` }];
    const rest = { ...gmres, why: 'bicgstab failed' };
    if (facts.complexSymmetric)
      return [
        { method: 'cocg', preconditioners, why: 'complex symmetric' },
        { method: 'bicgstab', preconditioners, why: 'cocg failed' },
        rest,
      ];
    return [{ method: 'bicgstab', preconditioners, why: 'not symmetric' }, rest];
  }
  if (diagonal !== 'positive')
    return [
      { method: 'minres', preconditioners: [], why: 'symmetric, and not definite: the diagonal is not positive' },
    ];
  return [
    { method: 'cg', preconditioners: PREFERRED.definite, why: 'symmetric with a positive diagonal' },
    { method: 'minres', preconditioners: PREFERRED.definite.slice(-1), why: 'cg found that A is not definite' },
  ];
}
