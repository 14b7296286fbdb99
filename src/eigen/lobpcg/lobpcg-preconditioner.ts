/** The preconditioner of lobpcg: the caller's, one by name, or one that is chosen for the matrix. */
import { mismatch } from '../../core/errors.js';
import { LinearOperator } from '../../operators/operator.js';
import type { Preconditioner } from '../../preconditioners/preconditioner.js';
import { preconditionSteps } from '../../preconditioners/registry.js';
import { checkPreconditioner } from '../../solvers/arguments.js';
import { NO_PRECONDITIONER } from '../../solvers/decide.js';
import { multigridFor } from '../../solvers/elliptic.js';
import { isRefusal } from '../../solvers/system-preconditioners.js';
import { factoring } from '../factoring.js';
import type { EigenProblem, EigenStep } from '../method.js';

/**
 * Multigrid pays for smaller matrices than where one system is solved, since a block uses it often: ten eigenvalues of 5-point 45² take 167 ms with it and 260 with
 * ic0, of 100² 490 and 1080. CPU time, one thread, two cores of a virtual machine, 2026-11-26.
 */
export const LEAST_ROWS = 2000;

/** Tried one after the other where multigrid does not suit. */
const SIMPLE = ['ic0', 'jacobi'] as const;

/** z ← M⁻¹ r, disposed here if it was made here. */
export interface LobpcgPreconditioner extends Disposable {
  readonly M: LinearOperator | undefined;
}

/** @throws SparlaneError `argument` or `shape` for a wrong one; and, if it was named, as `precondition` */
export function* preconditionerFor(problem: EigenProblem): Generator<EigenStep, LobpcgPreconditioner> {
  const { A, matrix, which, preconditioner: given = 'auto', reasons } = problem;
  if (given instanceof LinearOperator) {
    checkPreconditioner(given, A, 'square');
    return { M: given, [Symbol.dispose]: () => {} };
  }
  if (typeof given !== 'string') throw mismatch('argument', 'preconditioner', 'a name or a linear operator', given);
  if (given !== 'auto') return owned(given === NO_PRECONDITIONER ? undefined : yield* make(problem, given));
  if (which === 'largest') return owned(undefined);
  if (matrix === undefined) {
    reasons.push('no preconditioner: the entries of A are not known');
    return owned(undefined);
  }
  const multigrid = multigridFor(matrix, LEAST_ROWS);
  for (const name of multigrid === undefined ? SIMPLE : [multigrid, ...SIMPLE]) {
    try {
      const M = yield* make(problem, name);
      reasons.push(
        `preconditioner ${name}: ${name === multigrid ? 'A is large and elliptic' : 'it suits most matrices'}`,
      );
      return owned(M);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      reasons.push(`not ${name}: ${error.message}`);
    }
  }
  return owned(undefined);
}

function* make({ engine, A, matrix }: EigenProblem, spec: string): Generator<EigenStep, Preconditioner> {
  if (matrix === undefined)
    throw mismatch('argument', 'preconditioner', 'an operator, or none, if A is no matrix', spec);
  const options = A.vectorType === Float32Array ? { dtype: 'f32' as const } : {};
  return yield* factoring(preconditionSteps(engine, matrix, spec, options));
}

function owned(M: Preconditioner | undefined): LobpcgPreconditioner {
  return { M, [Symbol.dispose]: () => M?.dispose() };
}
