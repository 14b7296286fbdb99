/** The plans of a race, with what each is in it. */
import type { CsrMatrix } from '../core/csr.js';
import { plansFor, type SolvePlan, type SystemFacts } from './decide.js';
import { DIRECT_METHOD } from './direct.js';
import { FOR_JUMPS, multigridFor, multigridForConvection } from './elliptic.js';

/** What a plan is in the race. `last`: tried where nothing else is left, since nothing is known of its time. */
type Role = 'jacobi' | 'incomplete' | 'multigrid' | 'probe' | 'direct' | 'last';

export interface Runner extends SolvePlan {
  readonly role: Role;
}

/** @param facts of the matrix @param isMesh whether its graph is like a mesh */
export function runnersFor(facts: SystemFacts, matrix: CsrMatrix, isMesh: () => boolean): readonly Runner[] {
  const direct: Runner = {
    method: DIRECT_METHOD.name,
    preconditioners: [DIRECT_METHOD.name],
    why: 'its factors are expected to take the least time',
    role: 'direct',
  };
  const [first, ...others] = plansFor(facts);
  const rest = others.map((plan) => ({ ...plan, role: 'last' as const }));
  if (first.method !== 'cg') {
    const probe: Runner = { ...first, role: 'probe' };
    const isConvection = first.method === 'bicgstab' && facts.diagonal === 'positive';
    const cycle = isConvection ? multigridForConvection(matrix, isMesh) : undefined;
    if (cycle === undefined) return [probe, direct, ...rest];
    const why = 'not symmetric, and like convection with diffusion on a mesh';
    return [
      probe,
      { ...first, preconditioners: [cycle, ...first.preconditioners], why, role: 'multigrid' },
      direct,
      ...rest,
    ];
  }
  const [incomplete, ...simple] = first.preconditioners;
  const jacobi: Runner = { ...first, preconditioners: simple, role: 'jacobi' };
  const better: Runner = {
    ...first,
    preconditioners: [incomplete!, ...simple],
    why: 'it is expected to take less time',
    role: 'incomplete',
  };
  const name = multigridFor(matrix);
  if (name === undefined) return [jacobi, better, direct, ...rest];
  const multigrid: Runner = { ...better, preconditioners: [name, ...first.preconditioners], role: 'multigrid' };
  // Where coefficients jump, jacobi's iterations promise too much of incomplete factors: 8 to 19 times fewer iterations than those take (layers 60³, a checkerboard of 500²).
  return name === FOR_JUMPS ? [jacobi, multigrid, direct, ...rest] : [jacobi, better, multigrid, direct, ...rest];
}

/** Names a plan for a sentence. */
export function planName({ method, preconditioners, role }: Runner): string {
  return preconditioners.length === 0 || role === 'direct' ? method : `${method} with ${preconditioners[0]}`;
}
