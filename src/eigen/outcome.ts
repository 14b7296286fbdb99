/** What a search hands over: vectors of norm 1 as a block, and counts. */
import type { Scalar } from '../memory/scalar.js';
import { Vector } from '../memory/vector.js';
import { normalize, readNorm } from '../solvers/norms.js';
import { Workspace } from '../solvers/workspace.js';
import type { Search } from './lanczos/search.js';
import type { Transformation } from './lanczos/transformation.js';
import type { EigenOutcome, EigenProblem, EigenReason } from './method.js';
import type { PairResidual } from './residuals.js';

/** So many columns are written in one pass, so that a row of a block is written once, not once a column. Chosen. */
const TOGETHER = 8;

/** Values, the residuals that are known, and what copies a vector. */
export interface TakenPairs {
  readonly values: Float64Array;
  readonly residuals: readonly (PairResidual | undefined)[];
  copyTo(j: number, x: Vector): void;
}

/** @returns the pairs of a search; one of NaN where there is none. @throws SparlaneError `heap` */
export function outcomeOf(
  problem: EigenProblem,
  { cost }: Transformation,
  search: Search,
  reason: EigenReason,
  setupMs: number,
): EigenOutcome {
  const { A, B } = problem;
  using work = new Workspace(A);
  const [image, scalar] = [B === undefined ? undefined : work.vector(), work.scalar()];
  const { values, residuals, copyTo } = search.hasPairs ? search.take() : nothing(problem);
  const vectors = new Vector(A.space, A.vectorType, A.cols, undefined, values.length);
  const scaled: (PairResidual | undefined)[] = [];
  const group = work.vectors(Math.min(TOGETHER, values.length));
  for (let j = 0; j < values.length; j++) {
    const place = j % TOGETHER;
    const x = group[place]!;
    copyTo(j, x);
    if (B !== undefined) B.apply(x, image!);
    const norm = normOf(x, image, scalar);
    const isUsable = norm > 0 && Number.isFinite(norm);
    if (isUsable) normalize(x, norm);
    const pair = residuals[j];
    scaled.push(pair && isUsable ? { ...pair, norm: pair.norm / norm, target: pair.target / norm } : undefined);
    if (x === group.at(-1) || j === values.length - 1) vectors.setColumns(group.slice(0, place + 1), j - place);
  }
  const { iterations, applications } = search;
  const counts = { products: applications * cost.products, solves: applications * cost.solves };
  return { reason, values, vectors, residuals: scaled, iterations, ...counts, setupMs };
}

/** ‖x‖₂, or √(xᵀ B x). */
function normOf(x: Vector, image: Vector | undefined, scalar: Scalar): number {
  return image === undefined ? readNorm(x, scalar) : Math.sqrt(x.dot(image, scalar).value);
}

function nothing(problem: EigenProblem): TakenPairs {
  if (problem.size > 0)
    return { values: Float64Array.of(Number.NaN), residuals: [], copyTo: (_: number, x: Vector) => void x.fill(0) };
  return { values: new Float64Array(0), residuals: [], copyTo: () => {} };
}
