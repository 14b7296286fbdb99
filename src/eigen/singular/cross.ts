/**
 * The largest singular triplets by block Lanczos on AᵀA with thick restarts; the basis has right vectors only, and u = A v / σ.
 *
 * Source: Golub & Underwood 1977, "The block Lanczos method for computing eigenvalues"; Wu & Simon 2000 for the restart.
 * Differs: the basis is orthogonalized in full, mostly in one pass, since the two latest blocks are taken away before. A block of 4 random vectors sees 4 copies of
 *   a multiple value, so that a round which looks for more follows only where as many values are equal. Where rounding errors of AᵀA, or a space that is
 *   exhausted, leave a triplet in doubt, the method declines, and Golub and Kahan's bidiagonalization takes its place.
 * For: values down to some 1/1000 of the largest one, with the usual tolerance: documents × terms, graphs. Smaller ones drown in the rounding errors of AᵀA.
 * Cost: a step is a product of A and one of Aᵀ with 4 columns, which take the time of some 2 single ones, and 16 m n operations for n columns of A and m vectors in
 *   the basis.
 */
import { BLOCK, CrossSpace } from './cross-space.js';
import { tripletsOf } from './cross-triplets.js';
import { isSmall, type SingularOutcome, type SingularProblem, type SvdsReason, type SvdsStep } from './singular.js';

/** Blocks between two looks at the Ritz values: at most, while residuals are far from what they may be. Chosen: a look takes the time of a quarter of a step. */
const MOST_BLOCKS = 6;
/** The first look is at a basis of so many vectors for each wanted value, and some blocks. Chosen. */
const FIRST_LOOK = 2;

/** With more entries in each column of A (of A and Aᵀ the one with fewer columns), products take longer than orthogonalization. Measured, see `usualCrossBasis`. */
const DENSE = 64;

/**
 * The number of vectors of the basis for k triplets, if the caller names none. Measured for k = 50 (CPU time on one thread of a busy AMD EPYC, November 2026). Documents × terms,
 * with 89 and 295 entries in a column, take 47 and 45 steps with 240 vectors, where they need no restart, and 49 with 150; times differ by less than they vary. 20,000 × 30,000
 * random entries, 50 in a column, take 264, 274 and 288 steps with 240, 150 and 120 vectors, in 1.3, 1 and 1.05 times the time.
 *
 * @param perColumn entries in a column
 */
export function usualCrossBasis(k: number, perColumn: number): number {
  return perColumn > DENSE ? 4 * k + 40 : 2 * k + 50;
}

/** Steps until the wanted triplets have converged. @returns what was found, or why the method declines */
export function* crossSvd(problem: SingularProblem): Generator<SvdsStep, SingularOutcome | string> {
  const { k, size, basisSize, limit, report, isStopped } = problem;
  if (basisSize + BLOCK > size || basisSize < k + 2 * BLOCK)
    return `a basis of ${basisSize} vectors for ${k} of ${size} values has no room for blocks`;
  using space = new CrossSpace(problem);
  const ended = (reason: SvdsReason) => tripletsOf(problem, space, reason);
  const looks = new Looks(Math.min(basisSize, FIRST_LOOK * k + 4 * BLOCK));
  let converged = 0;
  for (let isChecked = false, before: readonly number[] = []; ; ) {
    while (space.hasRoom && space.V.size < looks.next && space.iterations < limit) {
      if (!space.advance()) return 'the Krylov space of AᵀA is exhausted, or has numbers that are not finite';
      if (isStopped()) return ended('stopped');
      yield { iteration: space.iterations, converged };
    }
    const { values, worst, isDoubtful, mayHideCopies, ...state } = space.examine();
    converged = state.converged;
    if (isDoubtful) return 'squares of the least wanted values are rounding errors beside the largest one';
    report({ iteration: space.iterations, converged });
    if (isStopped()) return ended('stopped');
    const isDone = converged === k;
    if (isDone && (!mayHideCopies || (isChecked && values.every((value, j) => isSame(value, before[j]!))))) {
      const found = ended('tolerance');
      if (isTrue(found)) return found;
      for (const block of [found.U, found.V]) block.dispose();
      return 'residuals are above the tolerance';
    }
    if (space.iterations >= limit) return ended('iterations');
    if (isDone || !space.hasRoom) space.restart(isDone);
    looks.plan(space.V.size, isDone ? undefined : worst, basisSize);
    [isChecked, before] = [isDone, values];
  }

  function isSame(value: number, before: number): boolean {
    return Math.abs(value - before) <= problem.tolerance * value;
  }

  function isTrue({ values, residualNorms, norm }: SingularOutcome): boolean {
    return residualNorms?.every((residual, j) => isSmall(problem, residual, values[j]!, norm)) ?? true;
  }
}

/** When to look at the Ritz values: as often as residuals are expected to change what is done. */
class Looks {
  /** The size of the basis at which to look. */
  next: number;
  /** The logarithm of the worst residual over what it may be, and the size at which it was that. */
  #last: { readonly log: number; readonly size: number } | undefined;

  constructor(first: number) {
    this.next = first;
  }

  /** @param worst undefined to fill the basis */
  plan(size: number, worst: number | undefined, capacity: number): void {
    const log = worst === undefined ? Number.NaN : Math.log(worst);
    const last = this.#last;
    this.#last = worst === undefined || size < this.next ? undefined : { log, size };
    if (worst === undefined) {
      this.next = capacity;
      return;
    }
    const rate = last === undefined ? 0 : (last.log - log) / (size - last.size);
    const blocks = rate > 0 ? Math.floor(log / rate / BLOCK) : MOST_BLOCKS;
    this.next = size + BLOCK * Math.min(Math.max(blocks, 1), MOST_BLOCKS);
  }
}
