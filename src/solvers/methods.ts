/** All methods of `solve`, in the order of the printed tables. A method is named with its parameters: `gmres?restart=50`. */
import { mismatch } from '../core/errors.js';
import { formatSpec, type Parameters, parseSpec, resolveParameters } from '../core/parameters.js';
import { bicgstabSteps } from './bicgstab.js';
import { cgSteps, fcgSteps } from './cg.js';
import { chebyshevSteps } from './chebyshev.js';
import { cocgSteps } from './cocg.js';
import { DEFAULT_RESTART, gmresSteps } from './gmres.js';
import { lsmrSteps } from './lsmr.js';
import { lsqrSteps } from './lsqr.js';
import type { Method } from './method.js';
import { minresSteps } from './minres.js';
import { pipelinedCgSteps } from './pipelined-cg.js';

export interface MethodKind {
  readonly name: string;
  readonly summary: string;
  /**
   * The matrices that it solves with: symmetric positive definite, symmetric, square, or any, in the sense of least squares. A method
   * for any matrix uses its transpose, and a preconditioner for Aᵀ A.
   */
  readonly solves: 'definite' | 'symmetric' | 'square' | 'any';
  /** Whether it needs Aᵀ = A of a complex matrix, whose real equivalent is then not symmetric. Default false. */
  readonly isBilinear?: boolean;
  /** Whether its residuals jump, so that the number of iterations is a matter of rounding errors. Default false. */
  readonly isErratic?: boolean;
  readonly parameters: Parameters;
  readonly steps: (values: Readonly<Record<string, number | string>>) => Method;
}

const restart = {
  kind: 'integer',
  default: DEFAULT_RESTART,
  min: 1,
  max: 1000,
  doc: 'iterations of a cycle, and vectors in memory',
} as const;

export const METHODS: readonly MethodKind[] = [
  {
    name: 'cg',
    summary: 'conjugate gradients',
    solves: 'definite',
    parameters: {},
    steps: () => cgSteps,
  },
  {
    name: 'fcg',
    summary: 'the same for a preconditioner that varies',
    solves: 'definite',
    parameters: {},
    steps: () => fcgSteps,
  },
  {
    name: 'pipelined-cg',
    summary: 'the same as cg over ranks, one wait a step, during the product',
    solves: 'definite',
    parameters: {},
    steps: () => pipelinedCgSteps,
  },
  {
    name: 'cocg',
    summary: 'the same for complex symmetric matrices',
    solves: 'definite',
    isBilinear: true,
    parameters: {},
    steps: () => cocgSteps,
  },
  {
    name: 'chebyshev',
    summary: "Chebyshev's iteration, with estimated bounds of the spectrum",
    solves: 'definite',
    parameters: {},
    steps: () => (system) => chebyshevSteps(system),
  },
  {
    name: 'minres',
    summary: 'minimal residuals',
    solves: 'symmetric',
    parameters: {},
    steps: () => minresSteps,
  },
  {
    name: 'bicgstab',
    summary: 'stabilized biconjugate gradients',
    solves: 'square',
    isErratic: true,
    parameters: {},
    steps: () => bicgstabSteps,
  },
  {
    name: 'gmres',
    summary: 'generalized minimal residuals, restarted',
    solves: 'square',
    parameters: { restart },
    steps: (values) => (system) => gmresSteps(system, values.restart as number),
  },
  {
    name: 'fgmres',
    summary: 'the same for a preconditioner that varies',
    solves: 'square',
    parameters: { restart },
    steps: (values) => (system) => gmresSteps(system, values.restart as number, true),
  },
  {
    name: 'lsqr',
    summary: 'least squares, with the residuals of cg on Aᵀ A x = Aᵀ b',
    solves: 'any',
    parameters: {},
    steps: () => lsqrSteps,
  },
  {
    name: 'lsmr',
    summary: 'least squares, with the residuals of minres on Aᵀ A x = Aᵀ b',
    solves: 'any',
    parameters: {},
    steps: () => lsmrSteps,
  },
];

export interface NamedMethod {
  readonly kind: MethodKind;
  /** The name, with the parameters that differ from their defaults. */
  readonly spec: string;
  readonly steps: Method;
}

/** @throws SparlaneError `argument` for a name, a parameter or a value that does not exist */
export function methodOf(spec: string, methods: readonly MethodKind[] = METHODS): NamedMethod {
  const { name, given } = parseSpec('method', spec);
  const kind = methods.find((candidate) => candidate.name === name);
  if (kind === undefined) throw mismatch('argument', 'method', methods.map((known) => known.name).join(' | '), name);
  const values = resolveParameters(`method ${name}`, kind.parameters, given);
  return { kind, spec: formatSpec(name, kind.parameters, values), steps: kind.steps(values) };
}
