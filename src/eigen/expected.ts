/**
 * Whether blocks with multigrid are expected to find the smallest eigenvalues of a matrix much sooner than factors do: in three dimensions, where factors fill in.
 * Both times are estimates for one thread; nothing is analysed.
 */
import { type FactorEstimate, MOST_DIMENSIONS } from '../direct/estimate.js';
import { FLOPS_PER_NS } from '../direct/method.js';
import { multigridFor } from '../solvers/elliptic.js';
import { discsOf, hullOf } from './functions/spectrum-bounds.js';
import { blockColumns } from './lobpcg.js';
import { LEAST_ROWS } from './lobpcg-preconditioner.js';
import type { EigenProblem } from './method.js';

/** Factors prove that no eigenvalue is missing, and do not depend on how well multigrid suits: blocks must be expected to take less than this share of their time. Chosen. */
const CLEARLY = 1 / 2;

/** A search factors A − σ I twice: at the shift, and where it counts. */
const FACTORIZATIONS = 2;
/** For k eigenvalues. Measured: 47 solves for 3, 78 for 10, 166 for 30 of 7-point 18³. */
const solvesFor = (k: number) => 5 * k + 30;
/** In three dimensions a solve takes this time for each operation of the factorization to the power 2/3: 4.0 to 4.8 on 7-point 20³ to 40³, 1.4 on 27-point 30³, whose operations are overestimated. Machine: as below. */
const SOLVE_NS = 4.5;

/** With multigrid, to 1e-8: 28 to 34 for 3 to 80 eigenvalues of 7-point 30³ to 50³, 26 of 27-point 30³. */
const ITERATIONS = 30;
/**
 * An iteration takes this time for each row with a block of c columns. Measured on 7-point 30³: 1230 ns with 12 columns, 7500 with 36, 49,000 with 96; on 40³ and 50³
 * 1360 and 1500 with 12. Rough figures: one thread, two cores of a virtual machine in use by others, 2026-11-26.
 */
const rowNsWith = (c: number) => 300 + 20 * c + 5.3 * c * c;

/** Where Gershgorin's circles reach below 0 by this share of their greatest number, A counts as indefinite. Chosen: rounding errors of sums. */
const ROUNDING = 1e-12;

/**
 * @returns why `lobpcg` is chosen; undefined where factors are. A mass matrix, a shift below the spectrum, or an A that may be indefinite are for factors
 */
export function whyBlocks(
  { B, matrix, shift, size, k }: EigenProblem,
  { flops, dimension }: FactorEstimate,
): string | undefined {
  if (matrix === undefined || B !== undefined || shift !== undefined) return undefined;
  if (dimension <= 2 || dimension > MOST_DIMENSIONS) return undefined;
  const solves = solvesFor(k);
  const factorsMs = ((FACTORIZATIONS * flops) / FLOPS_PER_NS.symmetric + solves * SOLVE_NS * flops ** (2 / 3)) / 1e6;
  const blocksMs = (ITERATIONS * size * rowNsWith(blockColumns(k, size))) / 1e6;
  if (blocksMs > CLEARLY * factorsMs) return undefined;
  const multigrid = multigridFor(matrix, LEAST_ROWS);
  const [least, greatest] = hullOf(discsOf(matrix));
  if (multigrid === undefined || !(least >= -ROUNDING * greatest)) return undefined;
  const seconds = (ms: number) => `${(ms / 1000).toPrecision(2)} s`;
  return (
    `with ${multigrid} it is expected to take ${seconds(blocksMs)}, and factors with ${solves} solves ${seconds(factorsMs)}; ` +
    'nothing counts eigenvalues, so it is not proved that none is missing (shift-invert would prove it)'
  );
}
