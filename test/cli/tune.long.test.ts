/** `sparlane tune`, with very little time for each size; and an engine that comes after it. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hugePagesAdvice } from '#dist/cli/huge-pages.js';
import { SUITE } from '#dist/cli/tune-suite.js';
import { cpuModel } from '#dist/engine/tuning.node.js';
import { SUPER_ROW_SIZES } from '#dist/formats/csrk/sizes.js';
import { basesOf, runs } from '#dist/formats/layout/column-bases.js';
import { gallery, parseGalleryUrl, parseTuning, type Tuning } from '#dist/index.node.js';
import { probeBinary } from '#dist/kernels/probe.js';
import { cacheIn, runCliWith, runNode, temporaryFolder } from './run-cli.js';

const QUICK = ['--time', '1', '--threads', '2'];

/** Replaces the whole suite: other densities, with columns in 16 bits. */
const SMALL = ['road?nx=60&ny=60', 'laplace2d5?nx=60&ny=60', 'laplace3d27?nx=12&ny=12&nz=12&block=3'].map(
  (name) => `gallery:${name}`,
);

const FIT = { constant: 9, slope: 0, rmsLog2: 0.5, medianLoss: 0.01, worstLoss: 0.04 };

/** 512 rows in f64. */
function tuning(machine: Partial<Tuning['machine']> = {}): Tuning {
  const here = { cpu: cpuModel(), threads: 2, binary: 'simd', ...machine };
  return { version: 1, date: '2026-11-21', machine: here, csrk: { f64: FIT } };
}

function store(file: string, stored: Tuning): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(stored));
}

type Environment = Readonly<Record<string, string>>;

/** The lines printed by a program that imports from the built package. */
async function linesOf(env: Environment, names: string, module: string, program: string): Promise<string[]> {
  const { href } = new URL(`../../dist/${module}`, import.meta.url);
  const args = ['--input-type=module', '-e', `import ${names} from ${JSON.stringify(href)};\n${program}`];
  const { code, stdout, stderr } = await runNode(args, env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.trim().split('\n');
}

/** The path where a process with that environment looks for a tuning. */
async function storedFile(env: Environment): Promise<string> {
  const [file] = await linesOf(env, '{ tuningFile }', 'engine/tuning.node.js', 'console.log(await tuningFile())');
  return file!;
}

/** The hints of an engine in a separate process, and the spec of its `csrk`; then of one with built-in constants. */
function laterEngine(env: Environment): Promise<string[]> {
  const program = `
const matrix = gallery('laplace2d5', { nx: 200, ny: 200 });
for (const options of [{}, { tuning: 'built-in' }]) {
  const engine = await createEngine({ threads: 2, binary: 'simd', onHint: ({ name }) => console.log(name), ...options });
  console.log(engine.operator(matrix, { format: 'csrk' }).matrix.spec);
  await engine.dispose();
}`;
  return linesOf(env, '{ createEngine, gallery }', 'index.node.js', program);
}

describe('the suite', () => {
  const densities: number[] = [];

  it.each(SUITE)('super-rows of %s take 16-bit columns at every size', (source) => {
    const { name, given } = parseGalleryUrl(source);
    const matrix = gallery(name, given);
    // Every smaller size divides one of these.
    for (const size of [2048, 3072]) expect(basesOf(matrix, runs(matrix.rows, size))).toBeInstanceOf(Uint32Array);
    densities.push(matrix.nnz / matrix.rows);
  });

  it('ascends in row density, from 2 to 128', () => {
    expect(densities.length).toBe(SUITE.length);
    expect(densities).toEqual(densities.toSorted((a, b) => a - b));
    expect([densities[0]! < 2.5, densities.at(-1)! > 81]).toEqual([true, true]);
  });
});

it('measures every size on every matrix, and stores nothing in a dry run', async () => {
  const env = cacheIn(temporaryFolder()('cache'));
  const { code, stdout, stderr } = await runCliWith(
    env,
    'tune',
    ...SMALL,
    ...QUICK,
    '--dtype',
    'f64',
    '--dry-run',
    '--json',
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { tuning, file, superRowSizes, outcomes } = JSON.parse(stdout);
  expect(file).toBeNull();
  expect(existsSync(await storedFile(env))).toBe(false);
  const { machine, costs } = parseTuning(JSON.stringify(tuning));
  expect(machine).toMatchObject({ cpu: cpuModel(), threads: 2 });
  expect(costs).toBeUndefined();
  expect(superRowSizes).toEqual(SUPER_ROW_SIZES);
  expect(outcomes.length).toBe(1);
  const { dtype, curves, fit, builtIn, isBetter } = outcomes[0];
  expect(dtype).toBe('f64');
  expect(builtIn.worstLoss).toBeGreaterThanOrEqual(builtIn.medianLoss);
  expect([isBetter, tuning.csrk]).toEqual(fit.medianLoss < builtIn.medianLoss ? [true, { f64: fit }] : [false, {}]);
  expect(curves.map(({ source }: { source: string }) => source)).toEqual(SMALL);
  for (const { medianMs } of curves) {
    expect([medianMs.length, Math.min(...medianMs) > 0]).toEqual([SUPER_ROW_SIZES.length, true]);
  }
});

it('prints a table and the fit, stores it, and keeps what was stored of other dtypes', async () => {
  const env = cacheIn(temporaryFolder()('cache'));
  const file = await storedFile(env);
  const before = tuning({ binary: await probeBinary() });
  store(file, before);
  const { code, stdout, stderr } = await runCliWith(env, 'tune', ...SMALL, ...QUICK, '--dtype', 'mixed');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^matrix +per row +best size +fitted +best ms +fitted loss +96 loss\nroad\?/);
  expect(stdout).toMatch(
    /\nmixed: log₂\(rows per super-row\) = \d+\.\d\d [+−] \d+\.\d\d ln\(entries per row\), root mean square error \d/,
  );
  expect(stdout).toMatch(/ 2 threads, .*simd kernels\nstored in .*tuning\.json\n$/);
  expect(stdout.includes('\npages: transparent huge pages ')).toBe(hugePagesAdvice() !== undefined);
  const table = stdout.slice(0, stdout.indexOf('\nstored in '));
  expect(table).toMatch(/\nlaplace3d27\?nx=12&ny=12&nz=12&block=3 /);
  expect(table.split('\n').filter(({ length }) => length > 100)).toEqual([]);
  const after = parseTuning(readFileSync(file, 'utf8'));
  expect([after.machine, after.csrk?.f64]).toEqual([before.machine, FIT]);
  expect(Date.parse(after.date)).toBeGreaterThan(Date.parse(before.date));
  const isBetter = !stdout.includes('96 rows are as good and are kept');
  expect(Object.keys(after.csrk!)).toEqual(isBetter ? ['f64', 'mixed'] : ['f64']);
});

it('without matrices measures the machine only, and keeps the fits that were stored', async () => {
  const env = cacheIn(temporaryFolder()('cache'));
  const file = await storedFile(env);
  store(file, tuning({ binary: await probeBinary() }));
  const { code, stdout, stderr } = await runCliWith(env, 'tune', '--threads', '2');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^one thread reads +up to +reads GB\/s +gathers ns\nL2 +[\d.]+ MiB +[\d.]+ +[\d.]+\nL3 /);
  expect(stdout).toMatch(/\n2 threads (read memory|did not get a core) .*\nan entry takes [\d.]+ ns, the smallest /);
  expect(stdout).toMatch(/ 2 threads, .*simd kernels\nstored in .*tuning\.json\n$/);
  const { csrk, costs } = parseTuning(readFileSync(file, 'utf8'));
  expect(csrk).toEqual({ f64: FIT });
  for (const [near, , far] of [costs!.byteNs, costs!.missNs]) expect(far).toBeGreaterThan(near);
  expect(costs!.cacheBytes[1]).toBeGreaterThan(costs!.cacheBytes[0]);
  // On a busy machine nothing is known of several threads.
  expect(typeof costs!.forkJoinNs).toBe(typeof costs!.busSpeedup);
});

it('is used by later engines, unless they are told not to', async () => {
  const env = cacheIn(temporaryFolder()('cache'));
  expect(await laterEngine(env)).toEqual(['csrk', 'csrk']);
  const file = await storedFile(env);
  store(file, tuning());
  expect(await laterEngine(env)).toEqual(['csrk?superRowSize=512', 'csrk']);
  store(file, tuning({ cpu: 'another' }));
  expect(await laterEngine(env)).toEqual(['tuning-ignored', 'csrk', 'csrk']);
});

it('takes matrices with entries only, and none for a GPU, whose sizes are fitted to its own', async () => {
  const empty = await runCliWith(cacheIn(temporaryFolder()('cache')), 'tune', 'gallery:dense?rows=0&cols=3', ...QUICK);
  expect(empty.code).toBe(2);
  expect(empty.stderr).toContain('gallery:dense?rows=0&cols=3: expected a matrix with entries, got ');
  const device = await runCliWith({}, 'tune', SMALL[0]!, '--device', 'cuda');
  expect(device.code).toBe(2);
  expect(device.stderr).toContain('matrices: expected no value with --device cuda');
});
