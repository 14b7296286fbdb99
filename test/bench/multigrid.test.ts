/** The suite `multigrid`: its systems, the arithmetic of its table, and a run of a small size. (The peers are tested in `solve-peers.long.test.ts`.) */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { CsrMatrix } from '#dist/core/csr.js';
import { multigridsOf } from '../../bench/multigrid/contenders.mjs';
import { makeProblem, PROBLEMS } from '../../bench/multigrid/problems.mjs';
import { quadraticTriangles } from '../../bench/multigrid/quadratic-triangles.mjs';
import { ratiosOf, tableOf } from '../../bench/multigrid/table.mjs';
import { temporaryFolder } from '../../bench/peers/index.mjs';
import { renderSolves } from '../../bench/solve/page.mjs';
import { judged } from '../../bench/solve/results.mjs';

const MAIN = fileURLToPath(new URL('../../bench/main.mjs', import.meta.url));
const SCALE = 0.01;

function productOf({ rows, rowPtr, colIdx, values }: CsrMatrix, x: ArrayLike<number>): Float64Array {
  const y = new Float64Array(rows);
  for (let i = 0; i < rows; i++) for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) y[i]! += values[k]! * x[colIdx[k]!]!;
  return y;
}

describe('the systems', () => {
  test.each(PROBLEMS as { name: string; block: number }[])(
    '$name: whole nodes, and modes that are almost mapped to 0',
    (problem) => {
      const { matrix, b, modes } = makeProblem(problem, SCALE);
      expect([matrix.rows % problem.block, b.length]).toEqual([0, matrix.rows]);
      const magnitudes = { ...matrix, values: matrix.values.map(Math.abs) };
      for (const mode of (modes ?? []) as Float64Array[]) {
        const scales = productOf(magnitudes, mode.map(Math.abs));
        const held = productOf(matrix, mode).filter((value, i) => Math.abs(value) > 1e-9 * scales[i]!).length;
        // Rows beside a clamped side only.
        expect(held).toBeGreaterThan(0);
        expect(held).toBeLessThan(0.75 * matrix.rows);
      }
    },
  );

  test('quadratic elements have the energy of a quadratic function exactly', () => {
    const n = 3;
    const K = quadraticTriangles(n, 0);
    const u = Float64Array.from({ length: K.rows }, (_, k) => ((k % (2 * n + 1)) / 2) ** 2);
    const held = u.slice(0, 2 * n + 1).reduce((sum, value) => sum + 10 * value ** 2, 0);
    const energy = productOf(K, u).reduce((sum, value, k) => sum + value * u[k]!, -held);
    // The integral of (2 x)² over a square of side n.
    expect(energy).toBeCloseTo((4 / 3) * n ** 4, 9);
    const moved = productOf(quadraticTriangles(n), new Float64Array(K.rows).fill(1));
    expect(Math.max(...moved.slice(2 * n + 1).map(Math.abs))).toBeLessThan(1e-12);
  });

  test('ours get the unknowns of a node and the modes, and classical levels where they are apt', () => {
    const named = (problem: object) =>
      multigridsOf(problem).map(
        (one: { method: string; preconditioner: string }) => `${one.method} ${one.preconditioner}`,
      );
    expect(named({ block: 1, isSymmetric: true, isClassical: true })).toEqual(['cg amg', 'cg amg', 'cg classical-amg']);
    expect(named({ block: 3, isSymmetric: true })).toEqual(['cg amg?block=3', 'cg amg?block=3']);
    expect(named({ block: 1, isSymmetric: false })).toEqual(['bicgstab amg', 'bicgstab amg']);
    const modes = [Float64Array.of(1)];
    for (const { making } of multigridsOf({ block: 1, isSymmetric: true, modes }).slice(0, 2))
      expect(making.nearNullSpace).toBe(modes);
  });
});

function solved(contender: string, ms: number, more: object = {}) {
  const given = { rtol: 1e-8, problem: 'grid', threads: 1, setupMs: 4, iterations: 12, residual: 9e-9 };
  return judged({ ...given, contender, ms, ...more });
}

describe('the table', () => {
  const LINES = [
    solved('sparlane cg+amg', 30, { iterations: 18 }),
    solved('sparlane cg+amg mixed', 20),
    solved('sparlane cg+classical-amg', 10, { residual: 1e-3 }),
    solved('sparlane', 9),
    solved('AMGCL sa+spai0+cg', 50, { iterations: 15, residual: 2e-8 }),
    solved('PETSc cg+boomeramg', 40),
    solved('PETSc cg+gamg', 5, { unfinished: 'did not finish in 60 s' }),
    solved('CHOLMOD', 6, { iterations: 0 }),
  ];

  test('compares the best of ours with the best multigrid of peers, of those that solved it', () => {
    expect(ratiosOf(LINES)).toEqual({ time: 0.5, iterations: 1.2 });
    expect(ratiosOf(LINES.filter(({ contender }) => contender.startsWith('sparlane')))).toEqual({});
  });

  test('has a cell for each contender: set-up + solve, iterations, and a residual above the tolerance', () => {
    const [head, , row] = tableOf(LINES, [
      { name: 'grid', rows: 10_000, aim: 0.9 },
      { name: 'not run', rows: 1, aim: 1 },
    ]).split('\n');
    const cells = (line: string) =>
      line
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, -1);
    const [titles, texts] = [cells(head), cells(row)];
    expect(Object.fromEntries(titles.slice(0, -1).map((title, k) => [title, texts[k]]))).toEqual({
      problem: 'grid',
      rows: '10,000',
      '`amg`': '4 + 26 (18)',
      '`amg`, mixed': '4 + 16 (12)',
      '`classical-amg`': 'not solved: 1.0e-3 (12)',
      'AMGCL, sa': '4 + 46 (15) at 2.0e-8',
      'AMGCL, rs': '',
      gamg: 'did not finish in 60 s',
      BoomerAMG: '4 + 36 (12)',
      '`solve`': '4 + 5 (12)',
      direct: '4 + 2',
      'ours / peer': '0.50',
      aim: '≤ 0.9',
      'iterations / AMGCL': '1.20',
    });
  });
});

test('where a direct solver misses the tolerance, its residual is the measure', () => {
  const lines = [
    solved('sparlane cg+amg', 20, { residual: 2e-6 }),
    solved('AMGCL sa+spai0+cg', 40, { residual: 3e-6 }),
  ];
  const row = (some: object[]) => tableOf(some, [{ name: 'grid', rows: 9, aim: 1 }]).split('\n')[2];
  expect(row(lines)).toContain('not solved: 2.0e-6 (12)');
  expect(row([...lines, solved('CHOLMOD', 9, { residual: 1e-6 })])).toMatch(/4 \+ 16 \(12\) at 2\.0e-6 .* \| 0\.50 \|/);
});

function bench(...args: string[]) {
  const all = [MAIN, 'multigrid', '--scale', '0.02', '--rounds', '1', '--threads', '1', ...args];
  const { stdout, stderr, status } = spawnSync(process.execPath, all, { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

describe('npx bench multigrid, at a small scale', () => {
  test('solves to the tolerance, writes lines that the page of solves takes, and goes on with what is missing', () => {
    const json = join(temporaryFolder(), 'multigrid.jsonl');
    const args = ['--only', '300²,elasticity,convection', '--contenders', 'sparlane', '--json', json];
    const table = bench(...args);
    expect(table).toMatch(/^\| 5-point 300² \| 1,764 \| \d+ \+ \d+ \(\d+\) \|/m);
    const lines = () =>
      readFileSync(json, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    const solves = lines().filter(({ kind }) => kind === 'solve');
    expect(solves).toHaveLength(4 + 3 + 3);
    for (const { residual } of solves) expect(residual).toBeLessThan(1.1e-8);
    expect(renderSolves([readFileSync(json, 'utf8')]).text).toContain('elasticity');
    expect(bench(...args)).toContain('| 5-point 300² | 1,764 |');
    expect(lines().filter(({ kind }) => kind === 'solve')).toHaveLength(solves.length);
  });

  test('has sections', () => {
    const tables = bench('--only', '5-point 300²', '--growth', '--bits', '--update', '--packages');
    expect(tables).toMatch(/^\| 7-point \| 27 \| 19,683 \| \d+ \| \d\.\d\d \| ≤ 1\.15 \|/m);
    expect([...tables.matchAll(/^\| 5-point 300² \| .* \| [0-9a-f]{12} \| the same \|$/gm)]).toHaveLength(3);
    expect([...tables.matchAll(/^\| 5-point 300² \| .* \| ≤ 0\.3 \|$/gm)]).toHaveLength(3);
    expect(tables).toMatch(/^\| 5-point 300² \| sparlane cg\+.* \| npm .* \| \d+\.\d\d \| ≥ 20 \|$/m);
  });
});
