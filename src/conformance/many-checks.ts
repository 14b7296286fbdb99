/** What solvers for several right-hand sides must do in every space: dependent columns, columns that fail beside others, everything awkward. */
import type { CsrMatrix } from '../core/csr.js';
import type { Engine } from '../engine/engine.js';
import type { Vector } from '../memory/vector.js';
import { precondition } from '../preconditioners/registry.js';
import { blockCg } from '../solvers/block-cg.js';
import { cgMany } from '../solvers/cg-many.js';
import type { ColumnSolution, ManyOptions } from '../solvers/columns.js';
import type { SolveSystemOptions } from '../solvers/system.js';
import { type Awkward, FAILURES } from './awkward-systems.js';
import type { Findings } from './findings.js';
import { norm, residualOf } from './residuals.js';

const METHODS = { cgMany, blockCg } as const;
type Name = keyof typeof METHODS;
const NAMES: readonly Name[] = ['cgMany', 'blockCg'];

const RTOL = 1e-8;
const SLACK = 1.0001;
/** Of a residual that is reported, beside that computed here. */
const AGREEMENT = 1e-9;

/** A system with a positive definite matrix. */
export interface Definite {
  readonly name: string;
  readonly matrix: CsrMatrix;
  readonly b: Float64Array;
}

/** Columns that are equal, zero, a sum of others, and small. */
export function checkMany(findings: Findings, engine: Engine, { name, matrix, b }: Definite): void {
  const other = b.toReversed();
  const columns = [b, other, b, new Float64Array(b.length), b.map((v, i) => v - 2 * other[i]!), b.map((v) => 1e-7 * v)];
  for (const method of NAMES) {
    for (const preconditioned of [false, true]) {
      findings.about(`${name}, ${method}${preconditioned ? ' with jacobi' : ''}`);
      findings.attempt('solve', () => {
        using M = preconditioned ? precondition(engine, matrix, 'jacobi') : undefined;
        const options = { rtol: RTOL, ...(M && { preconditioner: M }) };
        solveColumns(findings, engine, method, matrix, columns, options, ({ converged, reason }, residual) => {
          findings.expect(converged, 'converges', () => reason);
          findings.expect(residual <= RTOL * SLACK, 'solves', () => `‖r‖ / ‖b‖ is ${residual}`);
        });
      });
    }
  }
}

/** An awkward square system beside a column of zeros. */
export function checkManyEnd(findings: Findings, engine: Engine, awkward: Awkward): void {
  const { name, matrix, b, options: given = {} } = awkward;
  const columns = [b, new Float64Array(b.length)];
  const expected = awkward.expected('definite');
  for (const method of NAMES) {
    findings.about(`${name}, ${method}`);
    findings.attempt('solve', () => {
      using x0 = startOf(engine, given, b.length);
      const { x0: _x0, nullSpace: _z, ...limits } = given;
      const options = { maxIterations: 300, ...(limits as Omit<ManyOptions, 'x0'>), ...(x0 && { x0 }) };
      solveColumns(findings, engine, method, matrix, columns, options, ({ converged, reason }, residual, index) => {
        // One common space is larger than that of one column: it may come through.
        const allowed = [...expected, ...(expected.some((one) => FAILURES.includes(one)) ? FAILURES : [])];
        if (index === 0) findings.expect(allowed.includes(reason), 'the reason', () => `${reason}, not ${allowed}`);
        findings.expect(converged === (reason === 'tolerance'), 'converged', () => `${converged} with ${reason}`);
        if (index === 1 && matrix.values.every(Number.isFinite))
          findings.expect(residual === 0, 'zeros', () => `b = 0 has a residual of ${residual}`);
      });
    });
  }
}

/** The same x0 for both columns. */
function startOf(engine: Engine, { x0 }: SolveSystemOptions, n: number) {
  if (!(x0 instanceof Float64Array)) return undefined;
  return engine.vector(
    Float64Array.from({ length: 2 * n }, (_, k) => x0[k >> 1]!),
    { columns: 2 },
  );
}

function solveColumns(
  findings: Findings,
  engine: Engine,
  method: Name,
  matrix: CsrMatrix,
  columns: readonly Float64Array[],
  options: Omit<ManyOptions, 'x0'> & { readonly x0?: Vector },
  check: (end: ColumnSolution, residual: number, index: number) => void,
): void {
  const n = matrix.rows;
  using A = engine.operator(matrix, { format: 'csr' });
  const numbers = Float64Array.from({ length: n * columns.length }, (_, k) => columns[Math.floor(k / n)]![k % n]!);
  using B = engine.vector(numbers, { columns: columns.length, order: 'column' });
  const { x: X, columns: ends } = METHODS[method](A, B, options);
  using _X = X;
  const all = X.toArray({ order: 'column' });
  const isSound = options.x0 === undefined || options.x0.toArray().every(Number.isFinite);
  ends.forEach((end, index) => {
    const x = all.slice(index * n, (index + 1) * n);
    const b = columns[index]!;
    if (isSound) findings.expect(x.every(Number.isFinite), 'x', () => `x0 is finite, column ${index} of x is not`);
    const residual = norm(residualOf(matrix, x, b)) / (norm(b) || 1);
    const { relativeResidual: reported } = end;
    const isSame = Number.isFinite(residual)
      ? Math.abs(residual - reported) <= AGREEMENT * Math.max(1, residual)
      : !Number.isFinite(reported);
    findings.expect(isSame, 'the residual', () => `${reported} is reported, ${residual} is true`);
    check(end, residual, index);
  });
}
