/**
 * Incomplete Cholesky factors without fill-in: M = K Kᵀ, where K has the pattern of the lower triangle of A, and M agrees with A there.
 *
 * Source: Meijerink & van der Vorst 1977; Manteuffel 1980 (the shift).
 * Differs: blocks of rows, eliminated from alternate ends, so that threads work on them at once and the bits do not depend on their number
 *   (`triangular/pieces.ts`); reverse Cuthill-McKee order where that of the matrix is bad. If a pivot is not positive, the matrix is factored
 *   again with a growing multiple of the row sums on the diagonal, until all are. The entries after the diagonal stand for those before it.
 * Solves: by blocks; or of all rows by level sets, by packs of super-rows (STS-k, 1.2 to 2 times the iterations), or by Jacobi sweeps, as
 *   on a device.
 * For: symmetric positive definite matrices, with cg.
 * Cost: a solve takes about the time of a product with A; the set-up on one thread that of some 20 to 60 solves, and of `rcm`.
 */
import type { PreconditionerKind } from './preconditioner.js';
import { FACTOR_PARAMETERS } from './triangular/arrange.js';
import { incomplete, incompleteDtype } from './triangular/incomplete.js';

export const IC0: PreconditionerKind = {
  name: 'ic0',
  summary: 'incomplete Cholesky factors without fill-in, in blocks of rows',
  source: 'Meijerink & van der Vorst 1977',
  suits: 'symmetric positive definite matrices, with cg',
  parameters: FACTOR_PARAMETERS,
  matrices: 'definite',
  isSymmetric: true,
  dtypeFor: incompleteDtype,
  prepare: (engine, preparation, values) => incomplete(engine, preparation, values, 'cholesky', true),
};
