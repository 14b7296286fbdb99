/**
 * A x = b on ranks, with the method and the preconditioner that `solve` would choose. All choices follow from numbers that are the same on
 * all ranks, so the ranks make the same ones.
 */
import { diagonalOf } from '../algebra/diagonal.js';
import { knownKeys } from '../core/checks.js';
import { csrMatrix } from '../core/csr.js';
import { mismatch, SparlaneError } from '../core/errors.js';
import { lowerBound } from '../core/search.js';
import { elementOf, isMirrored, largestOfRows, likenessOfTranspose } from '../core/symmetry.js';
import type { VectorInput } from '../operators/operator.js';
import { AMG } from '../preconditioners/amg.js';
import type { Preconditioner } from '../preconditioners/preconditioner.js';
import { NO_PRECONDITIONER, plansFor, type SystemFacts } from '../solvers/decide.js';
import { couplingsOf, hasJumps, isElliptic } from '../solvers/elliptic.js';
import { solveWith } from '../solvers/iterate.js';
import { methodOf } from '../solvers/methods.js';
import type { Solution } from '../solvers/solution.js';
import type { Communicator } from './communicator.js';
import { type ComplexRankRows, realRowsOf } from './complex-rows.js';
import type { RankRows } from './distribute.js';
import type { DistributedOperator, DistributionReport } from './distributed-operator.js';

const AUTO = 'auto';

/**
 * A mesh is this long in rows, at least, where multigrid is taken: `ic0` takes 0.94 to 1.33 times as many iterations. With 2 ranks the whole command takes this CPU time with `amg`, and with
 * `ic0`: 5 points 250² 1.7 s and 1.3, 500² 2.2 and 2.8; 7 points 64³ 3.0 and 1.9, 100³ 6.7 and 4.9. AMD EPYC, 2026-11-26.
 */
const LEAST_LENGTH = 300;

/** `solveRows` takes these options. */
export interface SolveRowsOptions {
  /** A method for square matrices. Default `auto`. */
  readonly method?: string;
  /** A preconditioner by name, or `none`. Default `auto`. */
  readonly preconditioner?: string;
  readonly format?: string;
  readonly rtol?: number;
  readonly maxIterations?: number;
}

const OPTIONS = {
  ...{ method: true, preconditioner: true, format: true, rtol: true, maxIterations: true },
} satisfies Record<keyof SolveRowsOptions, true>;

/** `solveRows` returns this. */
export interface RowsSolution extends Solution {
  readonly method: string;
  readonly preconditioner: string;
  readonly reasons: readonly string[];
  readonly distribution: DistributionReport;
}

/**
 * Solves A x = b. Every rank calls it with its rows and its elements of b; x has its elements. If a method that was chosen finds that it
 * cannot solve the system, the next one goes on. Of complex rows b and x are pairs (re, im), and choices are those of the real equivalent.
 *
 * @throws SparlaneError `shape` for a matrix that is not square; and as `comm.operator` and `solve`
 */
export function solveRows(
  comm: Communicator,
  rows: RankRows | ComplexRankRows,
  b: VectorInput,
  options: SolveRowsOptions = {},
): RowsSolution {
  knownKeys('options', options, OPTIONS);
  const { method = AUTO, preconditioner = AUTO, format, ...limits } = options;
  const start = performance.now();
  comm.engine.space.ranks?.compare('solveRows', { method, preconditioner });
  const stored = format === undefined ? {} : { format };
  using A = isComplex(rows) ? comm.complexOperator(rows, stored) : comm.operator(rows, { ...stored, products: 'many' });
  const real = isComplex(rows) ? comm.together(() => realRowsOf(rows)) : rows;
  const distribution = A.explain();
  comm.together(() => checkSystem(distribution, method));
  const plans = plansFor(factsOnRanks(comm, real, A));
  const reasons: string[] = [];
  for (const [place, plan] of plans.entries()) {
    const isLast = place === plans.length - 1 || method !== AUTO;
    const named = methodOf(method === AUTO ? plan.method : method);
    reasons.push(`${named.spec}: ${method === AUTO ? plan.why : 'the method is named'}`);
    const isFirst = place === 0 && preconditioner === AUTO && named.kind.name === 'cg';
    const multigrid = isFirst ? multigridOnRanks(comm, real, A, reasons) : [];
    const chosen = preconditioner === AUTO ? [...multigrid, ...plan.preconditioners] : [preconditioner];
    const made = firstOf(comm, A, chosen, preconditioner === AUTO, reasons);
    using M = made?.M;
    const setupMs = performance.now() - start;
    const solution = solveWith(named.steps, A, b, { ...limits, ...(M && { preconditioner: M }) });
    if (!isLast && ['not-definite', 'breakdown'].includes(solution.reason)) {
      solution.x.dispose();
      continue;
    }
    return {
      ...solution,
      setupMs,
      method: named.spec,
      preconditioner: made?.spec ?? NO_PRECONDITIONER,
      reasons,
      distribution,
    };
  }
  throw new Error('a plan is the last one');
}

function isComplex(rows: RankRows | ComplexRankRows): rows is ComplexRankRows {
  return rows?.field === 'complex';
}

/** @throws SparlaneError `shape` or `argument` */
function checkSystem({ rows, cols }: DistributionReport, method: string): void {
  if (rows !== cols) throw mismatch('shape', 'matrix', 'as many rows as columns', `${rows} × ${cols}`);
  if (method === AUTO || methodOf(method).kind.solves !== 'any') return;
  throw mismatch('argument', 'method', 'one for square matrices', method);
}

/** The first preconditioner that takes the matrix, on all ranks. */
function firstOf(
  comm: Communicator,
  A: DistributedOperator,
  specs: readonly string[],
  mayRefuse: boolean,
  reasons: string[],
): { readonly spec: string; readonly M: Preconditioner } | undefined {
  for (const spec of specs.filter((name) => name !== NO_PRECONDITIONER)) {
    try {
      return { spec, M: comm.precondition(A, spec) };
    } catch (error) {
      if (!(mayRefuse && error instanceof SparlaneError && error.code === 'structure')) throw error;
      reasons.push(`not ${spec}: ${error.message}`);
    }
  }
  return undefined;
}

/**
 * Multigrid of the whole matrix, if it suits it as in one process, and coefficients do not jump: `classical-amg` is not made over ranks. Unlike `ic0`, which ignores what
 * ranks have in common, it takes as many iterations on any number of ranks.
 *
 * @param reasons gets why
 */
function multigridOnRanks(
  comm: Communicator,
  { firstRow, symmetry: _, ...arrays }: RankRows,
  A: DistributedOperator,
  reasons: string[],
): readonly string[] {
  const { rows, halo } = A.explain();
  const own = couplingsOf(csrMatrix(arrays), rows, firstRow);
  const [nnz, positive, moduli] = comm.allreduce(Float64Array.of(own.nnz, own.positive, own.moduli)) as unknown as [
    number,
    number,
    number,
  ];
  if (comm.engine.space.heap === undefined || !isElliptic({ rows, nnz, positive, moduli })) return [];
  // Between two ranks, halos in both directions say how wide the mesh is.
  const length = (rows * 2 * (comm.size - 1)) / Math.max(1, halo.total);
  if (comm.size > 1 && length < LEAST_LENGTH) {
    reasons.push(`not amg: the mesh is some ${Math.round(length)} rows long, and ic0 takes about as many iterations`);
    return [];
  }
  if (hasJumps(comm.allgather(own.diagonal))) {
    reasons.push('not amg: coefficients jump');
    return [];
  }
  reasons.push(`amg: ${rows} rows, and hardly an entry beside the diagonal is positive, as in elliptic problems`);
  return [AMG.name];
}

/** Facts of the whole matrix. */
function factsOnRanks(comm: Communicator, rows: RankRows, A: DistributedOperator): SystemFacts {
  const { rows: all, cols } = A.explain();
  const own = A.ownMatrix();
  const numbers = diagonalOf(own);
  const isUsable = numbers.every((value) => value !== 0 && Number.isFinite(value));
  const isPositive = numbers.every((value) => value > 0);
  const isSymmetric = rows.symmetry === 'symmetric' || likenessOfTranspose(own) !== 'none';
  const [unusable, negative, asymmetric] = comm.allreduce(
    Float64Array.of(isUsable ? 0 : 1, isPositive ? 0 : 1, isSymmetric ? 0 : 1),
    'max',
  ) as Float64Array;
  const symmetric = asymmetric === 0 && (rows.symmetry === 'symmetric' || areGhostsSymmetric(comm, rows));
  const diagonal = unusable === 1 ? 'zeros' : negative === 1 ? 'nonzero' : 'positive';
  return { rows: all, cols, symmetric, diagonal };
}

/** Whether every entry whose column another rank owns has an equal mirror image there, up to rounding; one that is not there is 0. Ranks send such entries to the owners. */
function areGhostsSymmetric(comm: Communicator, { firstRow, symmetry: _, ...arrays }: RankRows): boolean {
  const { rows, rowPtr, colIdx, values } = csrMatrix(arrays);
  const ends = comm.allgather(Uint32Array.of(firstRow + rows));
  const largest = largestOfRows({ rows, rowPtr }, values);
  const sent = Array.from(ends, (): number[] => []);
  for (let i = 0; i < rows; i++)
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) {
      const owner = lowerBound(ends, colIdx[k]! + 1);
      if (owner !== comm.rank) sent[owner]!.push(firstRow + i, colIdx[k]!, values[k]!, largest[i]!);
    }
  const received = comm.alltoall(sent.map((entries) => Float64Array.from(entries)));
  let wrong = 0;
  for (const entries of received) {
    for (let at = 0; at < entries.length; at += 4) {
      const [row, col, value, largestThere] = entries.subarray(at, at + 4) as unknown as [
        number,
        number,
        number,
        number,
      ];
      const across = elementOf({ rowPtr, colIdx, values }, col - firstRow, row);
      if (!isMirrored(across, value, largest[col - firstRow]!, largestThere)) wrong = 1;
    }
  }
  return comm.allreduce(wrong, 'max') === 0;
}
