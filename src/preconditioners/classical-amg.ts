/**
 * Classical algebraic multigrid: levels made of some of the rows, from which the others are interpolated. The cycle is that of `amg`.
 *
 * Source: Ruge & Stüben 1987, "Algebraic multigrid"; De Sterck, Yang & Heys 2006 (PMIS); De Sterck, Falgout, Nolting & Yang 2008 (extended+i).
 * Differs: as in `assembly/multigrid/dependence.ts`, `splitting.ts` and `interpolation.ts`.
 * For: symmetric positive definite matrices of scalar elliptic problems, above all of coefficients that jump: a checkerboard of 500² cells, jump 10⁴, takes
 *   14 iterations of cg to 1e-8, with `amg` 36 to 1.1e-8, where it stands still.
 * Cost: the levels have 2.1 to 2.8 times the entries of A, those of `amg` 1.3 to 1.9 times.
 */
import { assembleSteps } from '../core/owned.js';
import { type ClassicalWish, classicalCoarsening } from './amg/classical/coarsening.js';
import { INTERPOLATIONS } from './amg/classical/interpolation.js';
import { CYCLE_PARAMETERS, Multigrid } from './amg.js';
import { inSteps, type PreconditionerKind } from './preconditioner.js';

export const CLASSICAL_AMG: PreconditionerKind = {
  name: 'classical-amg',
  summary: 'multigrid by classical interpolation',
  source: 'Ruge & Stüben 1987; De Sterck, Falgout, Nolting & Yang 2008',
  suits: 'elliptic problems with jumping coefficients',
  parameters: {
    theta: { kind: 'number', default: 0.25, min: 0, max: 1, doc: 'threshold of strong couplings' },
    interpolation: {
      kind: 'word',
      default: 'extended',
      allowed: INTERPOLATIONS,
      doc: 'from rows at distance one, or two',
    },
    entries: { kind: 'integer', default: 4, min: 1, max: 1000, doc: 'entries of a row of the interpolation, at most' },
    ...CYCLE_PARAMETERS,
  },
  matrices: 'definite',
  isSymmetric: true,
  ...inSteps((engine, preparation, values) => {
    const coarsen = classicalCoarsening(values as unknown as ClassicalWish);
    const making = { name: 'classical-amg', coarsen, block: 1 };
    return assembleSteps((owned) => Multigrid.steps(engine, preparation, values, making, owned));
  }),
};
