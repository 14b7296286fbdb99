/** The suite `solve`: the arithmetic of its results, and the page. (`bench/solve.mjs` itself is run by hand.) */
import { describe, expect, test } from 'vitest';
import { gallery } from '#dist/gallery/registry.js';
import { residualNorm } from '../../bench/cg/solver.mjs';
import { standalone } from '../../bench/report/draw.mjs';
import { jacobiCg } from '../../bench/solve/loops.mjs';
import { renderSolves } from '../../bench/solve/page.mjs';
import { makeProblem, missingProblem, PROBLEMS } from '../../bench/solve/problems.mjs';
import { isDone, isPackage, leadOf, parseSolves } from '../../bench/solve/results.mjs';
import { unbalanced } from './markup.js';

const MATRIX = gallery('laplace2d5', { nx: 20, ny: 30 });
const B = Float64Array.from({ length: 600 }, (_, i) => 1 + (i % 7));
const RTOL = 1e-9;
/** Of a slightly wrong recurrence. */
const SLACK = 1.1;

const residualOf = (x: Float64Array) => residualNorm(MATRIX, B, x) / Math.hypot(...B);

test('the plain loops solve', () => {
  const { x, iterations } = jacobiCg(MATRIX, B, { rtol: RTOL, maxIterations: 1000 });
  expect(residualOf(x)).toBeLessThan(SLACK * RTOL);
  expect(iterations).toBeLessThan(600);
  expect(jacobiCg(MATRIX, B, { rtol: RTOL, maxIterations: 3 }).iterations).toBe(3);
});

test('the problems: systems of the gallery, and of files where there is a folder', async () => {
  for (const problem of PROBLEMS) {
    const missing = missingProblem(problem, []);
    expect(missing === undefined).toBe(problem.file === undefined);
    if (missing !== undefined) {
      expect(missing).toMatch(/: pass --folder$/);
      continue;
    }
    const { name, matrix, b } = await makeProblem(problem, true, []);
    expect([name, b.length]).toEqual([problem.name, matrix.rows]);
  }
});

const CURVE = [0, 1, 2].map((iteration) => ({ iteration, residual: 10 ** -iteration }));
const PARTS = { setupMs: 1, products: 2, preconditioner: 3, vectors: 4 };
const MACHINE = { kind: 'machine', cpu: 'a processor', cores: 2, node: '24.0.0', date: '2026-11-22T00:00:00.000Z' };

function line(contender: string, ms: number, more: object = {}) {
  const given = { kind: 'solve', rtol: 1e-8, problem: 'a <mesh>', threads: 1, iterations: 12, residual: 9e-9 };
  const ours = contender.startsWith('sparlane') ? { curve: CURVE, parts: PARTS, decision: 'cg+ic0' } : {};
  return { ...given, contender, ms, ...ours, ...more };
}

const LINES = [
  MACHINE,
  line('sparlane', 10),
  line('sparlane cg+jacobi', 15),
  line('PETSc cg+icc', 30),
  line('Eigen cg+ic0', 5, { residual: 1e-3 }),
  line('JavaScript cg+jacobi', 90),
  line('npm slow', 60, { unfinished: 'did not finish in 60 s', iterations: undefined, residual: undefined }),
  line('npm slower', 120),
  line('sparlane', 8, { threads: 2 }),
];
const text = (lines: readonly object[]) => lines.map((one) => JSON.stringify(one)).join('\n');

describe('the results', () => {
  test('the lead is that over the best peer which has solved the problem', () => {
    const { solves } = parseSolves([text(LINES)]);
    const on = (threads: number) => solves.filter((one: { threads: number }) => one.threads === threads);
    expect(leadOf(on(1))).toBe(3);
    expect(leadOf(on(2))).toBeUndefined();
    expect(leadOf(on(1), isPackage)).toBe(12);
  });

  test('a later run goes on with what is missing', () => {
    const solve = { rtol: 1e-8, problem: 'a <mesh>', threads: 1, contender: 'PETSc cg+icc' };
    expect(isDone('', solve)).toBe(false);
    expect(isDone(text(LINES), solve)).toBe(true);
    for (const other of [{ rtol: 1e-6 }, { problem: 'b' }, { threads: 2 }, { contender: 'PETSc' }])
      expect(isDone(text(LINES), { ...solve, ...other })).toBe(false);
  });

  test('of lines with the same key the last one counts; one of another kind is refused', () => {
    const { solves } = parseSolves([text(LINES), text([line('PETSc cg+icc', 20)])]);
    expect(leadOf(solves.filter((one: { threads: number }) => one.threads === 1))).toBe(2);
    expect(() => parseSolves(['{"kind":"other"}'])).toThrow(
      'kind: expected machine | solve | growth | bits | update, got other',
    );
    expect(() => parseSolves([''])).toThrow('expected at least one line of kind solve');
  });
});

test('the page has times, residuals and parts of each problem', () => {
  const { text: page, svgs } = renderSolves([text(LINES)]);
  expect(unbalanced(page)).toEqual([]);
  const kinds = ['times', 'residuals', 'parts'];
  expect([...svgs.keys()]).toEqual(
    [1, 2].flatMap((threads) => [`solve-problems-${threads}`, ...kinds.map((kind) => `solve-${kind}-${threads}-1`)]),
  );
  for (const svg of svgs.values()) expect(unbalanced(standalone(svg))).toEqual([]);
  expect(svgs.get('solve-times-1-1').text).toContain('>not solved<');
  expect(svgs.get('solve-times-1-1').text).toContain('>not finished<');
  expect(page).toContain('did not finish in 60 s');
  expect(page).toMatch(/<b>12\.0 ×<\/b><span>the fastest npm package that finishes/);
  expect(page).toMatch(/<b>3\.00 ×<\/b><span>the best peer, 1 thread/);
  expect(page).toContain('a &lt;mesh&gt;');
  expect(page).not.toMatch(/undefined|NaN/);
});
