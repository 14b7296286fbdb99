/** `sparlane eigs` and `sparlane svds`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { gallery, read, save } from '#dist/index.node.js';
import { runCli, runJson, temporaryFolder } from './run-cli.js';

const PATH = 'gallery:laplace1d3?nx=40';
const eigenvalue = (k: number) => 2 - 2 * Math.cos((Math.PI * k) / 41);

describe.concurrent('spectra', () => {
  test('eigs: the values, and the vectors in a file', async () => {
    const file = temporaryFolder();
    const report = await runJson('eigs', PATH, '-k', '3', '--threads', '1', '--output', file('x.npy'));
    expect(report).toMatchObject({ matrix: PATH, rows: 40, converged: 3, reason: 'tolerance', threads: 1 });
    (report.values as number[]).forEach((value, k) => {
      expect(value).toBeCloseTo(eigenvalue(k + 1), 12);
    });
    const { rows, cols, values } = await read(file('x.npy'));
    expect([rows, cols]).toEqual([40, 3]);
    const scale = values[0]! / Math.sin(Math.PI / 41);
    for (let i = 0; i < 40; i++) expect(values[3 * i]).toBeCloseTo(scale * Math.sin((Math.PI * (i + 1)) / 41), 6);
  });

  test('eigs: nearest to a shift, with a mass matrix of the file, and a picture', async () => {
    const file = temporaryFolder();
    const { rows } = gallery('laplace1d3', { nx: 40 });
    const diagonal = { rows, cols: rows, rowPtr: Uint32Array.from({ length: 41 }, (_, i) => i) };
    const colIdx = Uint32Array.from({ length: rows }, (_, i) => i);
    await save(file('mass.mtx'), {
      ...diagonal,
      colIdx,
      values: new Float64Array(rows).fill(2),
      symmetry: 'symmetric',
    });
    const { code, stdout } = await runCli(
      ...['eigs', PATH, '-k', '2', '--which', 'nearest', '--shift', '1', '--mass', file('mass.mtx')],
      ...['--svg', file('s.svg')],
    );
    expect(code).toBe(0);
    const found = [...stdout.matchAll(/^ +\d +([\d.]+) +[\d.e+-]+$/gm)].map(([, value]) => Number(value));
    const all = Array.from({ length: 40 }, (_, k) => eigenvalue(k + 1) / 2);
    // Both are as far from the shift.
    const expected = all.sort((a, b) => Math.abs(a - 1) - Math.abs(b - 1)).slice(0, 2);
    const ascending = (values: number[]) => values.sort((a, b) => a - b);
    ascending(found).forEach((value, k) => {
      expect(value).toBeCloseTo(ascending(expected)[k]!, 9);
    });
    expect(found.length).toBe(2);
    expect(readFileSync(file('s.svg'), 'utf8').match(/<circle/g)?.length).toBe(2);
  });

  test('eigs: a matrix that is not symmetric has complex values, and real and imaginary parts of vectors', async () => {
    const file = temporaryFolder();
    // Rotations by 90° times 3 and 2, and a real eigenvalue 1 with the mass 2.
    writeFileSync(
      file('a.mtx'),
      '%%MatrixMarket matrix coordinate real general\n5 5 5\n1 2 3\n2 1 -3\n3 4 2\n4 3 -2\n5 5 2\n',
    );
    const args = ['eigs', file('a.mtx'), '-k', '5', '--threads', '1'];
    const files = ['--output', file('x.npy'), '--output-imaginary', file('y.npy'), '--svg', file('s.svg')];
    const report = await runJson(...args, ...files);
    expect(report).toMatchObject({ converged: 5, reason: 'tolerance', method: 'krylov-schur' });
    const near = (...parts: number[]) => parts.map((part) => expect.closeTo(part, 10));
    const expected = [near(0, 3), near(0, -3), near(0, 2), near(0, -2), near(2, 0)];
    expect(report.values).toEqual(expect.arrayContaining(expected));
    expect((report.values as number[][]).slice(0, 2)).toEqual(expected.slice(0, 2));
    const [x, y] = await Promise.all([read(file('x.npy')), read(file('y.npy'))]);
    expect([x.rows, x.cols, y.rows, y.cols]).toEqual([5, 5, 5, 5]);
    // The vector of 3i is (1, i, 0, 0, 0), times a number of modulus 1 / √2.
    for (const row of [0, 1])
      expect((x.values[5 * row] ?? 0) ** 2 + (y.values[5 * row] ?? 0) ** 2).toBeCloseTo(0.5, 10);
    expect(readFileSync(file('s.svg'), 'utf8')).toMatch(/moduli of 5 eigenvalues/);
    const { stdout, stderr } = await runCli(...args.slice(0, 2), '-k', '1', '--output', file('z.npy'));
    expect(stdout).toMatch(/^ +1 .* \+ (3\.0|2\.9)\d*i +\d/m);
    expect(stdout).toMatch(/^ +2 .* - (3\.0|2\.9)\d*i +\d/m);
    expect(stderr).toMatch(/--output-imaginary/);
    const nearest = await runJson(...args.slice(0, 2), '-k', '1', '--which', 'nearest', '--shift', '2.1');
    expect(nearest.values).toEqual([near(2, 0)]);
    const convection = await runJson('eigs', 'gallery:convection2d?nx=9&ny=9', '-k', '2', '--which', 'smallest-real');
    expect(convection).toMatchObject({ converged: 2, reason: 'tolerance' });
  });

  test('eigs: a complex shift, left vectors and conditions', async () => {
    const file = temporaryFolder();
    // 1 ± 2i, and a block [3 100; 0 5] far from normal: its condition numbers are √(1 + 50²).
    const entries = ['1 1 1', '1 2 2', '2 1 -2', '2 2 1', '3 3 3', '3 4 100', '4 4 5'];
    writeFileSync(
      file('a.mtx'),
      `%%MatrixMarket matrix coordinate real general\n4 4 ${entries.length}\n${entries.join('\n')}\n`,
    );
    const args = ['eigs', file('a.mtx'), '-k'];
    const near = (...parts: number[]) => parts.map((part) => expect.closeTo(part, 8));
    for (const shift of ['1+1.5i', '1 + 1.5i', '0.9-2.5e0i', '2i']) {
      const report = await runJson(...args, '2', '--which', 'nearest', `--shift=${shift}`);
      expect(report.values).toEqual([near(1, 2), near(1, -2)]);
    }
    const files = ['--output-left', file('l.npy'), '--output-left-imaginary', file('i.npy')];
    const report = await runJson(...args, '4', '--left', ...files);
    expect(report).toMatchObject({ converged: 4, reason: 'tolerance' });
    const { values, conditions, leftResidualNorms } = report as Record<string, unknown[]>;
    expect(values).toEqual([near(5, 0), near(3, 0), near(1, 2), near(1, -2)]);
    const kappa = Math.hypot(1, 50);
    expect(conditions).toEqual(near(kappa, kappa, 1, 1));
    expect(Math.max(...(leftResidualNorms as number[]))).toBeLessThan(1e-6);
    const left = await read(file('l.npy'));
    // The left vector of 5 is that of the last unknown alone, for a real matrix without an imaginary part.
    expect([left.rows, left.cols]).toEqual([4, 4]);
    expect((await read(file('i.npy'))).rows).toBe(4);
    const { stdout } = await runCli(...args, '2', '--left');
    expect(stdout).toMatch(/^ +eigenvalue +residual +condition$/m);
    expect(stdout).toMatch(/^ +1 +5\.0\d+ +\S+ +5\.0e\+1$/m);
    expect(await runJson(...args, '2')).not.toHaveProperty('conditions');
  });

  test('svds: largest, smallest, randomized; U and V in files', async () => {
    const file = temporaryFolder();
    writeFileSync(file('a.mtx'), '%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 3\n2 3 -4\n');
    const report = await runJson(
      ...['svds', file('a.mtx'), '-k', '2', '--output-u', file('u.npy'), '--output-v', file('v.npy')],
    );
    expect(report.values).toEqual([expect.closeTo(4, 12), expect.closeTo(3, 12)]);
    const [u, v] = await Promise.all([read(file('u.npy')), read(file('v.npy'))]);
    expect([u.rows, u.cols, v.rows, v.cols]).toEqual([2, 2, 3, 2]);
    const smallest = await runJson('svds', PATH, '-k', '1', '--which', 'smallest');
    expect(smallest.values).toEqual([expect.closeTo(eigenvalue(1), 12)]);
    const rough = await runJson('svds', PATH, '-k', '2', '--method', 'randomized');
    expect(rough).toMatchObject({ reason: 'passes', method: 'randomized', errorBound: expect.any(Number) });
  });

  test('not converged: exit code 3, with the best so far', async () => {
    for (const command of ['eigs', 'svds']) {
      const { code, stdout } = await runCli(
        ...[command, 'gallery:laplace2d5?nx=60&ny=60', '--which', 'largest', '--max-iterations', '8', '-k', '2'],
      );
      expect(code).toBe(3);
      expect(stdout).toMatch(/converged {2}0 of 2 \(iterations\)/);
    }
  });

  test.each([
    [
      ['eigs', 'gallery:convection2d?nx=5&ny=5', '--which', 'smallest'],
      2,
      /--which: expected largest \| largest-real .* not symmetric, got 'smallest'/,
    ],
    [['eigs', 'gallery:convection2d?nx=5&ny=5', '--method', 'lanczos'], 2, /--method: expected none for a matrix/],
    [['eigs', PATH, '--which', 'largest-real'], 2, /--which: expected smallest \| largest \| nearest for a symmetric/],
    [['eigs', PATH, '--output-imaginary', 'y.npy'], 2, /--output-imaginary: expected none for a symmetric matrix/],
    [['eigs', PATH, '-k', '41'], 2, /k: expected an integer from 1 to 40, got 41/],
    [['eigs', PATH, '-k', '0'], 2, /-k: expected an integer from 1 to/],
    [['eigs', PATH, '--output', 'x.csv'], 2, /--output: expected a name that ends in \.npy, got 'x\.csv'/],
    [['eigs', PATH, '--tolerance', 'small'], 2, /--tolerance: expected a number from 0 to 1, got 'small'/],
    [
      ['eigs', PATH, '--shift', ''],
      2,
      /--shift: expected a finite number, also a complex one such as 0\.5\+2i, got ''/,
    ],
    [['eigs', PATH, '--shift', '1+i2'], 2, /--shift: expected a finite number, also a complex one .*, got '1\+i2'/],
    [
      ['eigs', PATH, '--which', 'nearest', '--shift', '1+2i'],
      2,
      /--shift: expected a real number for a symmetric matrix/,
    ],
    [['eigs', PATH, '--left'], 2, /--left: expected none for a symmetric matrix, got true/],
    [['eigs', PATH, '--output-left', 'l.npy'], 2, /--output-left: expected none for a symmetric matrix, got 'l\.npy'/],
    [['svds', PATH, '--which', 'nearest'], 2, /Allowed choices are largest, smallest/],
    [['svds', PATH, '--which', 'smallest', '--method', 'randomized'], 2, /method: expected lanczos \| inverse/],
  ])('%s: exit code %d', async (args, expected, message) => {
    const { code, stdout, stderr } = await runCli(...args);
    expect([code, stdout]).toEqual([expected, '']);
    expect(stderr).toMatch(message);
  });
});
