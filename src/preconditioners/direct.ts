/**
 * Direct: M is A, by its factors. A solve takes one step, or some where the factors are of another matrix or of rounded numbers.
 *
 * For: matrices whose factors fit in memory, and with which other preconditioners take very many steps.
 */
import type { DirectName, FillOrder } from '../direct/method.js';
import { DIRECT_METHODS } from '../direct/methods.js';
import { Factorization } from './factorization.js';
import { inSteps, type PreconditionerKind } from './preconditioner.js';

export const FILL_ORDERS: readonly FillOrder[] = ['auto', 'amd', 'nd'];

export const DIRECT_NAMES: readonly (DirectName | 'auto')[] = ['auto', ...DIRECT_METHODS.map(({ name }) => name)];

export const DIRECT: PreconditionerKind = {
  name: 'direct',
  summary: 'the factors of the matrix itself',
  source: 'Davis, Rajamanickam & Sid-Lakhdar 2016',
  suits: 'matrices whose factors fit in memory',
  parameters: {
    method: { kind: 'word', default: 'auto', allowed: DIRECT_NAMES, doc: 'how the matrix is factored' },
    order: {
      kind: 'word',
      default: 'auto',
      allowed: FILL_ORDERS,
      doc: 'order of elimination: minimum degree, nested dissection',
    },
  },
  matrices: 'square',
  isSymmetric: true,
  ...inSteps((engine, preparation, { method, order }) =>
    Factorization.steps(engine, {
      ...preparation,
      method: method as DirectName | 'auto',
      order: order as FillOrder,
    }),
  ),
};
