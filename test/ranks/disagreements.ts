/** What ranks find out before they go on: arguments of rank 1 that differ, and its errors. The same error on all ranks, after which they go on. */
import { expect } from 'vitest';

interface Disagreement {
  readonly deed: string;
  /** The text of the error. */
  readonly message: string;
  /** Its class; default: a SparlaneError with the code `argument`. */
  readonly kind?: string;
}

const DISAGREEMENTS: readonly Disagreement[] = [
  { deed: 'dtype', message: 'dtype of operator: expected f64 as on rank 0, got f32 on rank 1' },
  { deed: 'symmetry', message: 'symmetry of operator: expected general as on rank 0, got symmetric on rank 1' },
  { deed: 'preconditioner', message: 'spec of preconditioner: expected ic0 as on rank 0, got jacobi on rank 1' },
  {
    deed: 'parameter of a preconditioner',
    message: 'spec of preconditioner: expected block-jacobi as on rank 0, got block-jacobi?size=4 on rank 1',
  },
  {
    deed: 'dtype of a preconditioner',
    message: 'dtype of preconditioner: expected default as on rank 0, got f64 on rank 1',
  },
  { deed: 'overlap', message: 'overlap of preconditioner: expected 0 as on rank 0, got 1 on rank 1' },
  {
    deed: 'preconditioned operator',
    message: 'A of preconditioner: expected operator 1 as on rank 0, got operator 2 on rank 1',
  },
  { deed: 'maxIterations', message: 'maxIterations of the solve: expected 7 as on rank 0, got 5 on rank 1' },
  {
    deed: 'default of maxIterations',
    message: 'maxIterations of the solve: expected default as on rank 0, got 5 on rank 1',
  },
  { deed: 'rtol', message: 'rtol of the solve: expected 1e-8 as on rank 0, got 0.001 on rank 1' },
  { deed: 'atol', message: 'atol of the solve: expected 0 as on rank 0, got 1 on rank 1' },
  { deed: 'checkEvery', message: 'checkEvery of the solve: expected 1 as on rank 0, got 2 on rank 1' },
  { deed: 'timing', message: 'timing of the solve: expected false as on rank 0, got true on rank 1' },
  {
    deed: 'use of a preconditioner',
    message: 'preconditioner of the solve: expected jacobi as on rank 0, got none on rank 1',
  },
  { deed: 'method', message: 'method of the solve: expected cg as on rank 0, got bicgstab on rank 1' },
  {
    deed: 'restart',
    message: 'method of the solve: expected gmres?restart=30 as on rank 0, got gmres?restart=5 on rank 1',
  },
  {
    deed: 'flexibility',
    message: 'method of the solve: expected gmres?restart=30 as on rank 0, got fgmres?restart=30 on rank 1',
  },
  {
    deed: 'bounds',
    message:
      'method of the solve: expected chebyshev?bounds=0.02,8 as on rank 0, got chebyshev?bounds=0.01,8 on rank 1',
  },
  { deed: 'powers', message: 'maxIterations of the powers: expected 7 as on rank 0, got 5 on rank 1' },
  { deed: 'method of solveRows', message: 'method of solveRows: expected cg as on rank 0, got minres on rank 1' },
  {
    deed: 'preconditioner of solveRows',
    message: 'preconditioner of solveRows: expected auto as on rank 0, got jacobi on rank 1',
  },
  {
    deed: 'type of elements',
    message: 'array of allgather: expected Float32Array as on rank 0, got Uint32Array on rank 1',
  },
  {
    deed: 'type of what is told',
    message: 'array of broadcast: expected Float32Array as on rank 0, got Float64Array on rank 1',
  },
  { deed: 'a plain error', message: 'Error: rank 1: boom', kind: 'Error' },
  { deed: 'a RangeError', message: 'RangeError: rank 1: boom', kind: 'RangeError' },
  { deed: 'an error of its own class', message: 'OwnError: rank 1: boom', kind: 'Error' },
  { deed: 'a string', message: 'Error: rank 1: boom', kind: 'Error' },
  {
    deed: 'a promise',
    message: 'rank 1: make: expected a function that does not return a promise, got Promise',
  },
];

export const DEEDS: readonly string[] = DISAGREEMENTS.map(({ deed }) => deed);

/** What ranks return for all of them; the numbers of operators and preconditioners before the colon are left out. */
export function expectDisagreements(got: readonly (readonly unknown[])[]): void {
  const found = got.map(([text, ...more]) => [String(text).replace(/(of \w+) \d+: /, '$1: '), ...more]);
  const expected = DISAGREEMENTS.map(({ message, kind = 'argument' }) => [
    kind === 'argument' ? `SparlaneError: ${message}` : message,
    ...[kind, 1],
  ]);
  expect(found).toEqual(expected);
}
