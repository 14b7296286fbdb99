/** Tunings in engines, and in the file that engines read in Node. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { machineCosts } from '#dist/choice/machine.js';
import type { Hint } from '#dist/core/hints.js';
import { cpuModel, loadTuning, readTuning, saveTuning, tuningFile } from '#dist/engine/tuning.node.js';
import { bandk, CsrBuilder, createEngine, gallery, permuteMatrix, type Tuning } from '#dist/index.node.js';
import { temporaryFolder } from '../cli/run-cli.js';

const FIT = { constant: 9, slope: 0, rmsLog2: 0.5, medianLoss: 0.01, worstLoss: 0.04 };

/** 512 rows in f64, 32 in f32. */
function tuning(machine: Partial<Tuning['machine']> = {}): Tuning {
  const here = { cpu: cpuModel(), threads: 2, binary: 'simd', ...machine };
  return { version: 1, date: '2026-11-21', machine: here, csrk: { f64: FIT, f32: { ...FIT, constant: 5 } } };
}

describe('an engine with a tuning', () => {
  const matrix = gallery('laplace2d5', { nx: 150, ny: 150 });

  it.each([
    ['takes its size for csrk', 'csrk', 'csrk?superRowSize=512'],
    ['whatever the columns are', 'csrk?index=16', 'csrk?superRowSize=512&index=16'],
    ['but the caller’s where there is one', 'csrk?superRowSize=64', 'csrk?superRowSize=64'],
    ['also where it is the built-in one', 'csrk?superRowSize=96&k=2', 'csrk?superRowSize=96'],
    ['and the built-in one for k = 3, whose super-super-rows fit that', 'csrk?k=3', 'csrk?k=3'],
    ['and leaves other formats alone', 'csr', 'csr'],
  ])('%s: %s', async (_, format, spec) => {
    await using engine = await createEngine({ threads: 1, tuning: tuning() });
    expect(engine.tuning).toEqual(tuning());
    using operator = engine.operator(matrix, { format });
    expect(operator.matrix.spec).toBe(spec);
  });

  it('uses the size of the dtype, and the built-in one if the tuning has none', async () => {
    await using engine = await createEngine({ threads: 1, tuning: tuning() });
    using single = engine.operator(matrix, { format: 'csrk', dtype: 'f32' });
    using mixed = engine.operator(matrix, { format: 'csrk', dtype: 'mixed' });
    expect([single.matrix.spec, mixed.matrix.spec]).toEqual(['csrk?superRowSize=32', 'csrk']);
  });

  it('uses the super-rows passed to it', async () => {
    await using engine = await createEngine({ threads: 1, tuning: tuning() });
    const ordering = bandk(matrix);
    using operator = engine.operator(permuteMatrix(matrix, ordering), { format: 'csrk', groups: ordering.groups });
    expect(operator.matrix.spec).toBe('csrk');
  });

  it('keeps 16-bit columns if only the tuned super-rows are too wide for them, not the built-in ones', async () => {
    const rows = 20_000;
    const builder = new CsrBuilder(rows, 4 * rows + 65_000);
    for (let i = 0; i < rows; i++) {
      builder.add(i, 4 * i, 1);
      builder.add(i, 4 * i + 65_000, 2);
    }
    await using engine = await createEngine({ threads: 1, tuning: tuning() });
    using operator = engine.operator(builder.build(), { format: 'csrk?index=16' });
    expect(operator.matrix.spec).toBe('csrk?index=16');
    expect(operator.matrix.warnings).toEqual([]);
  });

  it('chooses a format by its figures of the machine', async () => {
    const predictions = async (changes: object) => {
      const { kernels: _, ...typical } = machineCosts(1);
      const costs = { ...typical, ...changes };
      await using engine = await createEngine({ threads: 1, tuning: { ...tuning(), costs } });
      using operator = engine.operator(matrix);
      return operator.decision!.ranking.map(({ productMs }) => productMs).sort((a, b) => a - b);
    };
    await using engine = await createEngine({ threads: 1, tuning: 'built-in' });
    using operator = engine.operator(matrix);
    const [same, slow] = [await predictions({}), await predictions({ entryNs: 3 * machineCosts(1).entryNs })];
    expect(same[0]).toBeCloseTo(Math.min(...operator.decision!.ranking.map(({ productMs }) => productMs)), 9);
    for (const [place, ms] of slow.entries()) expect(ms).toBeGreaterThan(1.5 * same[place]!);
  });

  it('gives right products', async () => {
    await using engine = await createEngine({ threads: 2, tuning: tuning() });
    using tuned = engine.operator(matrix, { format: 'csrk?index=16' });
    using plain = engine.operator(matrix, { format: 'csrk?index=16&superRowSize=96' });
    using x = engine.vector(Float64Array.from({ length: matrix.cols }, (_, j) => 1 / (j + 1)));
    using y = engine.vector(matrix.rows);
    using z = engine.vector(matrix.rows);
    tuned.apply(x, y);
    plain.apply(x, z);
    expect(y.data).toEqual(z.data);
  });
});

describe('the file', () => {
  it('lies in the cache folder', async () => {
    expect((await tuningFile()).replaceAll('\\', '/')).toMatch(/\/sparlane(\/Cache)?\/tuning\.json$/);
  });

  it('is written with its folders, leaves no draft, and is read again', async () => {
    const path = temporaryFolder()('some/where/tuning.json');
    await saveTuning(path, tuning({ threads: 7 }));
    await saveTuning(path, tuning());
    expect(readdirSync(dirname(path))).toEqual(['tuning.json']);
    expect(await readTuning(path)).toEqual(tuning());
    expect(readFileSync(path, 'utf8')).toMatch(/^\{\n {2}"version": 1,\n/);
  });

  it('that cannot be written is an error that names it, and leaves no draft', async () => {
    const folder = temporaryFolder();
    mkdirSync(folder('tuning.json/in the way'), { recursive: true });
    const path = folder('tuning.json');
    const error = {
      code: 'argument',
      message: expect.stringContaining(`${path}: expected a file that can be written`),
    };
    await expect(saveTuning(path, tuning())).rejects.toMatchObject(error);
    expect(readdirSync(dirname(path))).toEqual(['tuning.json']);
  });
});

describe('the tuning that an engine finds', () => {
  async function find(path: string): Promise<{ found: Tuning | undefined; hints: Hint[] }> {
    const hints: Hint[] = [];
    const found = await loadTuning(
      'simd',
      (hint) => hints.push(hint),
      async () => path,
    );
    return { found, hints };
  }

  it('is the one stored here, for any number of threads', async () => {
    const path = temporaryFolder()('tuning.json');
    await saveTuning(path, tuning({ threads: 64 }));
    expect(await find(path)).toEqual({ found: tuning({ threads: 64 }), hints: [] });
  });

  it('is none, without a hint, if none was stored', async () => {
    expect(await find(temporaryFolder()('tuning.json'))).toEqual({ found: undefined, hints: [] });
  });

  it.each<[name: string, text: string, message: RegExp]>([
    ['no JSON', '{', /tuning\.json: expected a tuning, got tuning: expected JSON, got '\{'; /],
    ['another version', '{"version":0}', /tuning\.json: expected a tuning, got tuning\.version: expected 1, got 0; /],
    ['another processor', JSON.stringify(tuning({ cpu: 'i386' })), /with simd kernels, got i386 with simd; /],
    ['other kernels', JSON.stringify(tuning({ binary: 'relaxed-simd' })), /simd kernels, got .* with relaxed-simd; /],
  ])('is nothing, with a hint, where there is %s', async (_, text, message) => {
    const path = temporaryFolder()('tuning.json');
    writeFileSync(path, text);
    const { found, hints } = await find(path);
    expect(found).toBeUndefined();
    expect(hints).toEqual([{ name: 'tuning-ignored', message: expect.stringMatching(message) }]);
  });

  it.skipIf(process.platform === 'win32')('is nothing, with a hint, where there is a pipe or a device', async () => {
    const pipe = temporaryFolder()('tuning.json');
    execFileSync('mkfifo', [pipe]);
    for (const path of [pipe, '/dev/zero']) {
      const { found, hints } = await find(path);
      expect(found).toBeUndefined();
      expect(hints).toMatchObject([
        { name: 'tuning-ignored', message: expect.stringMatching(/got a pipe or a device; /) },
      ]);
    }
  });

  it('is none, with a hint, if the file is far too large', async () => {
    const path = temporaryFolder()('tuning.json');
    writeFileSync(path, JSON.stringify(tuning()).padEnd(2 ** 20 + 1));
    expect((await find(path)).hints[0]?.message).toMatch(/expected a tuning, got 1048577 bytes; /);
  });

  it('is none, with a hint, if the file cannot be read or there is no home folder', async () => {
    const folder = await find(dirname(temporaryFolder()('tuning.json')));
    expect(folder.hints[0]?.message).toMatch(/expected a tuning, got EISDIR/);
    const hints: Hint[] = [];
    const homeless = () => Promise.reject(new Error('no home'));
    expect(await loadTuning('simd', (hint) => hints.push(hint), homeless)).toBeUndefined();
    expect(hints[0]).toMatchObject({ name: 'tuning-ignored', message: expect.stringMatching(/^no home; /) });
  });
});
