/**
 * Incomplete LU factors without fill-in: M = (I + L) D (I + U) has the pattern of A, and agrees with A there.
 *
 * Source: Meijerink & van der Vorst 1977; Saad 2003, algorithm 10.4.
 * Differs: as `ic0` in blocks, order, shifts and solves. A pivot is refused if it is below 1e-10 of the row's sum. No pivoting;
 *   if the diagonal has zeros or small numbers, the rows are permuted beforehand.
 * For: matrices that are not symmetric, with gmres or bicgstab.
 * Cost: a solve takes about the time of a product with A; the set-up on one thread that of some 20 to 60 solves, and of `rcm`.
 */

import { withPivotRows } from './pivot-order.js';
import type { PreconditionerKind } from './preconditioner.js';
import { FACTOR_PARAMETERS } from './triangular/arrange.js';
import { incomplete, incompleteDtype } from './triangular/incomplete.js';

export const ILU0: PreconditionerKind = {
  name: 'ilu0',
  summary: 'incomplete LU factors without fill-in, in blocks of rows',
  source: 'Meijerink & van der Vorst 1977; Saad 2003, algorithm 10.4',
  suits: 'matrices that are not symmetric, with gmres or bicgstab',
  parameters: FACTOR_PARAMETERS,
  matrices: 'square',
  isSymmetric: false,
  dtypeFor: incompleteDtype,
  prepare: (engine, preparation, values) =>
    withPivotRows(engine, preparation, (given) => incomplete(engine, given, values, 'lu', false)),
};
