import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CsrMatrix, csrMatrix } from '#dist/core/csr.js';
import { matrixStatistics } from '#dist/features/statistics.js';
import { deviations } from '../../bench/matrices/suites/deviations.mjs';
import { loadSuite, SUITES } from '../../bench/matrices/suites/index.mjs';

const COUNTS = {
  'bell-garland-3': 5,
  'bell-garland-4': 14,
  'lane-booth-1': 64,
  'abdelfattah-2': 91,
  jindal: 15,
  lp: 12,
  real: 0,
};

/** Of the entries' matrices at the scale of these tests. */
const FEW = 20_000;
/** What is generated at scale 1 here. */
const SMALL = 1.1e6;

interface Entry {
  name: string;
  id?: string;
  published: Record<string, number | boolean>;
  documented: Record<string, number>;
  standIn: boolean;
  how: string;
  make(scale?: number): Promise<CsrMatrix>;
}

interface Deviation {
  figure: string;
  got: number;
  aim?: number;
  deviation?: number;
}

const entriesOf = ({ published, documented }: Entry): number => Number(published.nnz ?? documented.nnz ?? 2_100_225);

describe('suites', () => {
  test('have the entries of their tables, each with a unique name', () => {
    expect(Object.keys(SUITES)).toEqual(Object.keys(COUNTS));
    for (const [name, count] of Object.entries(COUNTS)) {
      const { title, source, entries } = SUITES[name];
      expect(title.length * source.length).toBeGreaterThan(0);
      expect(new Set(entries.map((entry: Entry) => entry.name)).size).toBe(count);
    }
  });

  test('Lane & Booth: 35 regular ones and 29 others', () => {
    const regular = SUITES['lane-booth-1'].entries.filter((entry: Entry) => entry.published.regular);
    expect(regular.length).toBe(35);
    expect(regular.every(({ id }: Entry) => id?.startsWith('r'))).toBe(true);
  });

  test('an unknown suite, and real matrices without a folder, are refused', () => {
    expect(() => loadSuite('bell-garland-5')).toThrow('suite: expected bell-garland-3 | ');
    expect(() => loadSuite('real')).toThrow('folder');
  });
});

describe.each(Object.keys(COUNTS).filter((name) => name !== 'real'))('%s', (name) => {
  const entries: Entry[] = loadSuite(name);

  test.each(entries)('$name, small, is canonical, and of its shape', async (entry) => {
    const scale = Math.min(1, FEW / entriesOf(entry));
    const matrix = await entry.make(scale);
    expect(csrMatrix(matrix).colIdx).toBe(matrix.colIdx);
    const statistics = matrixStatistics(matrix);
    if (matrix.symmetry === 'symmetric') expect(statistics.symmetry).toBe('symmetric');
    expect(matrix.nnz).toBeGreaterThan(0);
    const found = Object.fromEntries(deviations(entry, statistics, scale).map((one: Deviation) => [one.figure, one]));
    // So small that it consists of a few blocks or hubs.
    for (const figure of ['rows', 'cols']) expect(found[figure].deviation ?? 0).toBe(0);
    for (const figure of ['nnz', 'mean']) expect(found[figure].deviation ?? 0).toBeLessThan(0.15);
    if (found.symmetric?.aim === 1) expect(found.symmetric.got).toBe(1);
  });

  test.each(entries.filter((entry) => entriesOf(entry) <= SMALL))(
    '$name has the published figures within 2 %, and the documented ones',
    async (entry) => {
      const found = deviations(entry, matrixStatistics(await entry.make(1)));
      expect(found.filter(({ deviation }: Deviation) => deviation! > 0.02)).toEqual([]);
      expect(found.filter(({ deviation }: Deviation) => deviation !== undefined).length).toBeGreaterThan(3);
    },
  );

  test('describes the generated matrix', () => {
    for (const { standIn, how } of entries) expect(how).toMatch(standIn ? /^stand-in/ : /^exact/);
  });
});

describe('a folder of real matrices', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sparlane-suites-'));
  const pattern = '%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n1 1\n2 1\n3 2\n';
  const real = '%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 0.5\n1 2 -2\n2 2 4\n';

  beforeAll(() => {
    writeFileSync(join(folder, 'cant.mtx'), pattern);
    writeFileSync(join(folder, 'airfoil_2d.mtx.gz'), gzipSync(real));
    writeFileSync(join(folder, 'README.md'), 'no matrix');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const named = (suite: string, name: string) =>
    loadSuite(suite, { folder }).find((entry: Entry) => entry.name === name);

  test('replaces stand-ins by their names in the collection, and leaves the others', async () => {
    const entry = named('bell-garland-4', 'FEM/Cantilever');
    expect(entry).toMatchObject({ standIn: false, published: { rows: 62_451 } });
    expect(entry.how).toMatch(/^file .*cant\.mtx$/);
    const matrix = await entry.make(0.1);
    expect([...matrix.colIdx]).toEqual([0, 1, 0, 2, 1]);
    expect(named('bell-garland-4', 'FEM/Ship').standIn).toBe(true);
  });

  test('a pattern gets values, the same on both sides of the diagonal', async () => {
    const { field, symmetry, values } = await named('jindal', 'cant').make();
    expect({ field, symmetry }).toEqual({ field: 'real', symmetry: 'symmetric' });
    expect(values[1]).toBe(values[2]);
    expect(new Set(values).size).toBe(3);
  });

  test('is promoted to blocks where the suite does so', async () => {
    const matrix = await named('abdelfattah-2', 'airfoil_2d b=2').make();
    expect(matrix).toMatchObject({ rows: 4, cols: 4, nnz: 12 });
    expect([...matrix.values.slice(0, 4)]).toEqual([1, 0.5, -4, -2]);
  });

  test('is a separate suite', async () => {
    const entries = loadSuite('real', { folder });
    expect(entries.map(({ name, standIn }: Entry) => ({ name, standIn }))).toEqual([
      { name: 'airfoil_2d', standIn: false },
      { name: 'cant', standIn: false },
    ]);
    expect((await entries[0].make(0.5)).nnz).toBe(3);
  });
});
