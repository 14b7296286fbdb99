/** The suite `eigs`: its problems, what it says of results, and a run of a small size. (The peers are tested in `eigs-peers.long.test.ts`.) */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { csrOfDense } from '#dist/core/dense.js';
import { leastValue, measure, missedBy, referenceOf } from '../../bench/eigs/judge.mjs';
import { makeProblem, PROBLEMS } from '../../bench/eigs/problems.mjs';
import { judged, tableOf } from '../../bench/eigs/table.mjs';
import { temporaryFolder } from '../../bench/peers/index.mjs';

const MAIN = fileURLToPath(new URL('../../bench/main.mjs', import.meta.url));
const SCALE = 0.02;

interface Listed {
  readonly name: string;
  readonly isSingularValues: boolean;
}

interface Entries {
  readonly rows: number;
  readonly rowPtr: Uint32Array;
  readonly colIdx: Uint32Array;
  readonly values: Float64Array;
}

/** Entries by row and column. */
function table({ rows, rowPtr, colIdx, values }: Entries): Map<string, number> {
  const entries = new Map<string, number>();
  for (let i = 0; i < rows; i++)
    for (let e = rowPtr[i]!; e < rowPtr[i + 1]!; e++) entries.set(`${i},${colIdx[e]}`, values[e]!);
  return entries;
}

describe('the problems', () => {
  test.each((PROBLEMS as Listed[]).filter(({ isSingularValues }) => !isSingularValues))(
    '$name: A and B are symmetric, of one size',
    (listed) => {
      const { matrix, B, start } = makeProblem(listed, SCALE);
      expect(start).toHaveLength(matrix.rows);
      for (const one of B === undefined ? [matrix] : [matrix, B]) {
        expect([one.rows, one.cols]).toEqual([matrix.rows, matrix.rows]);
        const entries = table(one);
        for (const [place, value] of entries) expect(entries.get(place.split(',').reverse().join())).toBe(value);
      }
    },
  );

  test('the masses of the block and of the frame are those of their volume and their beams', () => {
    const total = (name: string) => {
      const { B } = makeProblem(
        PROBLEMS.find((one: Listed) => one.name === name),
        SCALE,
      );
      return [B.rows, B.values.reduce((sum: number, value: number) => sum + value, 0)];
    };
    // A cube of side n: 3 n (n + 1)² unknowns; the entries of the held nodes are missing, 1/2 of the first layer of elements.
    const n = Math.round(20 * SCALE ** (1 / 3));
    const [rows, mass] = total('elasticity');
    expect(rows).toBe(3 * n * (n + 1) ** 2);
    expect(mass! / (3 * n * n * (n - 1 + 1 / 3))).toBeCloseTo(1, 9);
    // Uprights of length 3, of which the lowest halves are held; beams of length 5; two directions, and a tenth for rotation.
    const side = Math.round(125 * Math.sqrt(SCALE));
    expect(total('frame')[1]! / (2.1 * (3 * (side - 0.5) * (side + 1) + 5 * side * side))).toBeCloseTo(1, 9);
  });

  test('a few words are in most documents, and most in few', () => {
    const { matrix } = makeProblem(
      PROBLEMS.find(({ name }: Listed) => name === 'svds: documents'),
      SCALE,
    );
    const frequency = new Uint32Array(matrix.cols);
    for (const col of matrix.colIdx) frequency[col]!++;
    frequency.sort().reverse();
    expect(frequency[0]! / matrix.rows).toBeGreaterThan(0.5);
    expect(frequency[matrix.cols >> 1]! / matrix.rows).toBeLessThan(0.15);
  });
});

describe('what results are worth', () => {
  const DIAGONAL = csrOfDense([
    [1, 0, 0],
    [0, 2, 0],
    [0, 0, 4],
  ]);
  const problem = { matrix: DIAGONAL, norms: { A: 4, B: 1 }, k: 2, which: 'smallest', isSingularValues: false };

  test('residuals are those of the vectors, whatever a contender says', () => {
    const exact = measure(problem, { values: [1, 2], vectors: Float64Array.of(1, 0, 0, 0, 3, 0) });
    expect(exact).toMatchObject({ values: [1, 2], residuals: [0, 0], orthogonality: 0, least: 1 });
    const wrong = measure(problem, { values: [1.5, Number.NaN], vectors: Float64Array.of(1, 0, 0, 0, 1, 0) });
    expect(wrong.values).toEqual([1.5]);
    expect(wrong.residual).toBeCloseTo(0.5 / 1.5);
    const copies = measure(problem, { values: [1, 1], vectors: Float64Array.of(1, 0, 0, 1, 0, 0) });
    expect(copies.orthogonality).toBe(1);
  });

  test('triplets: both residuals count', () => {
    const given = { ...problem, isSingularValues: true, which: 'largest' };
    const unit = Float64Array.of(0, 0, 1);
    expect(measure(given, { values: [4], U: unit, V: unit })).toMatchObject({ residual: 0 });
    const tilted = Float64Array.of(0, 0.6, 0.8);
    expect(measure(given, { values: [4], U: tilted, V: unit }).residual).toBeGreaterThan(0.1);
  });

  const line = (contender: string, values: number[], more: object = {}) => ({
    ...{ contender, values, residuals: values.map(() => 1e-9), residual: 1e-9, orthogonality: 0 },
    ...{ rtol: 1e-8, threads: 1, problem: 'three', ms: 10, iterations: 7, decision: 'lanczos', ...more },
  });

  test('values that another contender has found are missed; copies of a vector find nothing', () => {
    const lines = [
      line('sparlane', [1, 4]),
      line('SciPy eigsh', [2, 1]),
      line('SLEPc x', [1, 1], { orthogonality: 1 }),
    ];
    const reference = referenceOf(lines, problem);
    expect(reference).toEqual([1, 2]);
    expect(lines.map((one) => missedBy(one, reference, leastValue(problem)))).toEqual([1, 0, 2]);
    const rough = line('SLEPc y', [1, 2], { residuals: [1e-9, 1e-3] });
    expect(missedBy(rough, reference, leastValue(problem))).toBe(1);
    const descending = { ...problem, which: 'largest' };
    expect(referenceOf([line('a', [2, 1]), line('b', [4, 1])], descending)).toEqual([4, 1]);
    expect(missedBy(line('a', [2, 1]), [4, 2], 1e-4)).toBe(1);
  });

  test('the table has the fastest of each library that has found all, and none for ours that has not', () => {
    const shape = { name: 'three', rows: 3, cols: 3, floor: 1e-4, ...problem };
    const lines = [
      line('sparlane', [1, 2], { ms: 20 }),
      line('SciPy eigsh', [1, 2], { ms: 40 }),
      line('SciPy lobpcg', [1, 4], { ms: 5 }),
      line('SLEPc MUMPS', [1, 2], { ms: 16 }),
      { ...line('SLEPc CHOLMOD', []), unfinished: 'did not finish in 60 s' },
    ];
    expect(judged(lines, shape).map(({ isSolved }: { isSolved: boolean }) => isSolved)).toEqual([
      ...[true, true, false, true, false],
    ]);
    const text = tableOf(lines, [shape], 1);
    expect(text).toContain('| three | 3 | 20 (lanczos) | 40 (eigsh) | 16 (MUMPS) | 0.50 | 1.25 | ≤ 1 |');
    expect(text).toContain('| three | SciPy lobpcg | 5 | 7 | 1.0e-9 | 1 | 0.25 |');
    expect(text).toContain('| three | SLEPc CHOLMOD | did not finish in 60 s |  |  |  |  |');
    const missing = tableOf([line('sparlane', [1, 4]), lines[1]], [shape], 1);
    expect(missing).toContain('| three | 3 | – | 40 (eigsh) | – | – | – | ≤ 1 |');
  });
});

describe('npx bench eigs, at a small scale', () => {
  test('finds what there is, writes lines, and goes on with what is missing', () => {
    const json = join(temporaryFolder(), 'eigs.jsonl');
    const only = ['--only', 'mesh,frame,svds: random', '--contenders', 'sparlane', '--json', json];
    const all = [MAIN, 'eigs', '--scale', '0.01', '--rounds', '1', ...only];
    const bench = () => {
      const { stdout, stderr, status } = spawnSync(process.execPath, all, { encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
      return stdout;
    };
    expect(bench()).toMatch(/^\| mesh \| 2,025 \| \d+ \(shift-invert\) \| – \| – \| – \| – \| ≤ 1 \|$/m);
    const lines = () =>
      readFileSync(json, 'utf8')
        .trim()
        .split('\n')
        .map((one) => JSON.parse(one))
        .filter(({ kind }) => kind === 'eigs');
    const found = lines();
    expect(found.map(({ problem, contender }) => `${problem}: ${contender}`)).toEqual([
      ...['mesh: sparlane', 'mesh: sparlane shift-invert', 'mesh: sparlane lobpcg', 'mesh, largest: sparlane'],
      ...['frame: sparlane', 'frame: sparlane shift-invert', 'frame: sparlane lobpcg', 'svds: random: sparlane'],
    ]);
    for (const { residual, orthogonality } of found) {
      expect(residual).toBeLessThan(1.1e-8);
      expect(orthogonality).toBeLessThan(1e-7);
    }
    expect(bench()).toContain('| mesh | sparlane lobpcg |');
    expect(lines()).toHaveLength(found.length);
  });
});
