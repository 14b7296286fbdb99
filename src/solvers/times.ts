/**
 * The time that a plan is expected to take, on one thread: by counts and bytes, not by a clock, so the same system has the same choice on every run.
 *
 * Source: fitted to the CPU time of one thread of an AMD EPYC at 2 cores, f64, Node 20, November 2026, on the systems with `fitted` of
 * `bench/solve/choice-problems.mjs`; judged on the others.
 */
import type { CsrMatrix } from '../core/csr.js';
import { stretches } from '../core/stretches.js';
import { DISSECTED_ROW_NS, FLOPS_PER_NS, isWorthDissecting } from '../direct/method.js';
import type { MatrixOperator } from '../operators/matrix-operator.js';
import { FOR_JUMPS } from './elliptic.js';

/** The places of the entries of A. */
type Pattern = Pick<CsrMatrix, 'rows' | 'rowPtr' | 'colIdx'>;

/** The sizes of A as it is stored, which say what a product reads. */
export interface StoredSizes {
  readonly rows: number;
  readonly cols: number;
  readonly nnz: number;
  readonly bytes: number;
  readonly storedEntries: number;
  readonly numberBytes: number;
}

export function sizesOf({ rows, cols, nnz, vectorType, matrix }: MatrixOperator): StoredSizes {
  const { bytes, storedEntries } = matrix;
  return { rows, cols, nnz, bytes, storedEntries, numberBytes: vectorType.BYTES_PER_ELEMENT };
}

/** The sizes that a matrix has when it is stored in `csr`, in f64. */
export function sizesInCsr({ rows, cols, nnz }: Pick<CsrMatrix, 'rows' | 'cols' | 'nnz'>): StoredSizes {
  return { rows, cols, nnz, bytes: 4 * rows + 12 * nnz, storedEntries: nnz, numberBytes: 8 };
}

/** A solve with the factors, per entry of A off the diagonal: of rows in groups, and in slices of four rows or of one. */
const GROUPED_ENTRY_NS = 0.5;
const ENTRY_NS = 0.9;

/** Rows of a group, as in `preconditioners/triangular/groups.ts`: on average at least, and at most. */
const LEAST_ROWS = 2.5;
const MOST_ROWS = 4;

/** A step of cg with jacobi reads and writes so many vectors, of which so many are different, and A. */
const VECTORS = 14;
const DIFFERENT_VECTORS = 5;

/** Of a step on one thread, if what it reads stays in the cache or does not. */
const CACHE_BYTES = 16e6;
const BYTES_PER_NS = { cache: 45, memory: 25 } as const;

/** A product by indices, per entry; by diagonals it is limited by memory. */
const INDEXED_ENTRY_NS = 0.6;

/** A stored entry with an index takes this many bytes more than its number, at least. */
const INDEX_BYTES = 1;

/** Beside products and vectors, each step. */
const STEP_NS = 10_000;

/** Incomplete factors take as long to make as so many solves with them. */
const SETUP_SOLVES = 40;

/**
 * The set-up of multigrid takes this time for each entry of A if a row has five of them, and more in proportion to the length of longer rows, whose coarse levels fill in: 94 to 108 ns with
 * 5 points (300², 500² and 1000²), 137 with 7 points (100³), 252 with tetrahedra (14 in a row). One thread of an AMD EPYC, 2026-11-26.
 */
const MULTIGRID_ENTRY_NS = 100;
const MULTIGRID_ROW = 5;

/** The set-up of `classical-amg` takes this many times that of `amg`: 1.1 where coefficients jump, 1.5 in layers; 2.3 to 2.7 on grids and tetrahedra, for which it is not taken. */
const CLASSICAL_SETUPS = 1.5;

/**
 * A step with multigrid is expected to take this many times one of cg without M. Chosen: on three of these grids cg takes 5.3 to 6.5 times what is expected of one; bicgstab has two
 * cycles, smoothed by `ilu0`: 13 times on convection 500².
 */
const MULTIGRID_STEPS: Readonly<Record<string, number>> = { cg: 5, bicgstab: 13 };

/** Of a matrix that is not symmetric, whose levels have factors of `ilu0`, the set-up takes this many times as long: 2.2 on convection 500². */
const UNSYMMETRIC_SETUPS = 2.2;

/** Steps of other methods over those of cg, without M. That of minres was fitted before its steps were recorded; bicgstab has two products; cocg takes 0.67 of bicgstab's on complex 5-point 200² (AMD EPYC, one thread, Node 20, 2026-11-26). */
const STEPS_OF_CG: Readonly<Record<string, number>> = {
  cg: 1,
  minres: 2,
  cocg: 1.5,
  bicgstab: 2.2,
  gmres: 4,
  lsmr: 2.2,
};
const SOLVES_OF_M: Readonly<Record<string, number>> = { bicgstab: 2 };

/** Order and analysis, per row and per entry: 500 to 1200 ns per row of grids in all, 470 to 1600 of circuits. Seen on fitted and on other systems, unlike the rest here. */
const DIRECT_ROW_NS = 600;
const DIRECT_ENTRY_NS = 35;

/**
 * Iterations with jacobi over those with ic0: 2.5 to 3.6 up to 500 of them (Laplacians, elasticity); more where jacobi takes more: 5 on meshes, 12 with
 * jumping coefficients, 22 on plates.
 */
const GAIN = 3;
const GAIN_ITERATIONS = 500;

export class Times {
  readonly #A: StoredSizes;
  readonly #isSymmetric: boolean;
  readonly #cgNs: number;
  readonly #solveNs: number;

  constructor(A: StoredSizes, pattern: Pattern, isSymmetric: boolean) {
    this.#A = A;
    this.#isSymmetric = isSymmetric;
    const { nnz, bytes: stored, storedEntries, numberBytes } = A;
    // Of least squares, some vectors are like b and some like x.
    const rows = (A.rows + A.cols) / 2;
    // Half of a symmetric matrix takes as long as all of it.
    const bytes = Math.max(stored, numberBytes * nnz);
    const isCached = bytes + DIFFERENT_VECTORS * 8 * rows <= CACHE_BYTES;
    const bytesPerNs = BYTES_PER_NS[isCached ? 'cache' : 'memory'];
    const hasIndices = stored >= (numberBytes + INDEX_BYTES) * storedEntries;
    const product = Math.max(bytes / bytesPerNs, hasIndices ? INDEXED_ENTRY_NS * nnz : 0);
    this.#cgNs = STEP_NS + product + (VECTORS * 8 * rows) / bytesPerNs;
    const entryNs = areGrouped(pattern) ? GROUPED_ENTRY_NS : ENTRY_NS;
    this.#solveNs = entryNs * nnz;
  }

  /** @param method its name @param isIncomplete whether M is `ic0` or `ilu0` */
  stepMs(method: string, isIncomplete: boolean): number {
    const ofM = isIncomplete ? (SOLVES_OF_M[method] ?? 1) * this.#solveNs : 0;
    return ((STEPS_OF_CG[method] ?? 1) * this.#cgNs + ofM) / 1e6;
  }

  /** Of incomplete factors. */
  get incompleteSetupMs(): number {
    return (SETUP_SOLVES * this.#solveNs) / 1e6;
  }

  /** Of the levels of multigrid. @param name of the preconditioner */
  multigridSetupMs(name: string): number {
    const { rows, nnz } = this.#A;
    const times = (name === FOR_JUMPS ? CLASSICAL_SETUPS : 1) * (this.#isSymmetric ? 1 : UNSYMMETRIC_SETUPS);
    return (times * MULTIGRID_ENTRY_NS * (nnz / rows / MULTIGRID_ROW) * nnz) / 1e6;
  }

  /** Of a step with multigrid. @param method its name */
  multigridStepMs(method: string): number {
    return ((MULTIGRID_STEPS[method] ?? 1) * this.#cgNs) / 1e6;
  }

  /** Of the analysis of a factorization. */
  get analysisMs(): number {
    const { rows, cols, nnz } = this.#A;
    const size = rows === cols ? { rows, nnz } : { rows: rows + cols, nnz: 2 * nnz };
    return (DIRECT_ROW_NS * size.rows + DIRECT_ENTRY_NS * size.nnz) / 1e6;
  }

  /** Of the nested dissection that is tried for so many operations. */
  dissectionMs(flops: number, isLu: boolean): number {
    const { rows } = this.#A;
    return isWorthDissecting(flops, rows, isLu ? 'lu' : 'symmetric') ? (DISSECTED_ROW_NS * rows) / 1e6 : 0;
  }

  /** Of factors and a solve with them. @param flops multiplications and additions of the factorization */
  directMs(flops: number, isLu: boolean): number {
    const numericMs = flops / FLOPS_PER_NS[isLu ? 'lu' : 'symmetric'] / 1e6;
    return this.analysisMs + this.dissectionMs(flops, isLu) + numericMs;
  }
}

/** Iterations with ic0 that are expected where jacobi takes `iterations`. */
export function withIncomplete(iterations: number): number {
  return iterations / (GAIN * Math.max(1, Math.sqrt(iterations / GAIN_ITERATIONS)));
}

/** Says whether groups of consecutive rows with the same columns have `LEAST_ROWS` rows in the mean, by a sample of the rows. */
function areGrouped(pattern: Pattern): boolean {
  let [groups, seen] = [0, 0];
  for (const [begin, end] of stretches(pattern.rows)) {
    let size = MOST_ROWS;
    for (let row = begin; row < end; row++) {
      size = size < MOST_ROWS && isLikeRowBefore(pattern, row) ? size + 1 : 1;
      if (size === 1) groups++;
    }
    seen += end - begin;
  }
  return LEAST_ROWS * groups <= seen;
}

function isLikeRowBefore({ rowPtr, colIdx }: Pattern, row: number): boolean {
  const begin = rowPtr[row]!;
  const length = begin - rowPtr[row - 1]!;
  const end = rowPtr[row + 1]!;
  if (end - begin !== length) return false;
  for (let k = begin; k < end; k++) if (colIdx[k] !== colIdx[k - length]) return false;
  return true;
}

/** Writes a time for a sentence. */
export function timeOf(ms: number): string {
  return `${ms < 1 ? ms.toPrecision(1) : Math.round(ms)} ms`;
}
