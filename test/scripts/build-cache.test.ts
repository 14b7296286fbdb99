/** The cache of builds: nothing is taken that was not kept, or is damaged. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { hashOf, keepFiles, takeFiles } from '../../scripts/build-cache.mjs';

const SCRIPT = fileURLToPath(new URL('../../scripts/build-kernels.mjs', import.meta.url));

let folder: string;
let cache: string;
/** What a build makes. */
let paths: readonly string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sparlane-builds-'));
  cache = join(folder, 'cache');
  paths = [join(folder, 'out/a'), join(folder, 'out/b')];
  vi.stubEnv('SPARLANE_CACHE', cache);
  writeOutputs('a', 'b');
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function writeOutputs(...contents: string[]): void {
  mkdirSync(join(folder, 'out'), { recursive: true });
  for (const [k, content] of contents.entries()) writeFileSync(paths[k]!, content);
}

const outputs = () => paths.map((path) => readFileSync(path, 'utf8'));

test('what was kept is taken, also into a folder that is not there', async () => {
  await keepFiles('1', paths);
  rmSync(join(folder, 'out'), { recursive: true });
  expect(await takeFiles('1', paths)).toBe(true);
  expect(outputs()).toEqual(['a', 'b']);
});

test('nothing else is taken: of another hash, other files, damaged files', async () => {
  expect(await takeFiles('1', paths)).toBe(false);
  await keepFiles('1', paths);
  expect(await takeFiles('2', paths)).toBe(false);
  expect(await takeFiles('1', [...paths, join(folder, 'out/c')])).toBe(false);
  writeOutputs('new', 'new');
  const [second] = readdirSync(join(cache, '1')).filter((name) => name.endsWith('__b'));
  writeFileSync(join(cache, '1', second!), 'B');
  expect(await takeFiles('1', paths)).toBe(false);
  expect(outputs()).toEqual(['new', 'new']);
  // The next build takes its place.
  await keepFiles('1', paths);
  expect(await takeFiles('1', paths)).toBe(true);
});

test('the builds that were used last stay', async () => {
  for (let build = 0; build < 20; build++) {
    await keepFiles(`${build}`, paths);
    expect(await takeFiles('0', paths)).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const kept = [0, ...Array.from({ length: 15 }, (_, k) => 5 + k)].map(String);
  expect(readdirSync(cache).sort()).toEqual(kept.sort());
});

test('a folder that cannot be used costs nothing but time', async () => {
  vi.stubEnv('SPARLANE_CACHE', join(paths[0]!, 'a file is no folder'));
  await keepFiles('1', paths);
  expect(await takeFiles('1', paths)).toBe(false);
  expect(outputs()).toEqual(['a', 'b']);
});

test('a hash is of words, paths and contents', () => {
  const all = [hashOf(['1'], paths), hashOf(['2'], paths), hashOf(['1'], [paths[0]!])];
  writeOutputs('a', 'c');
  expect(new Set([...all, hashOf(['1'], paths)]).size).toBe(4);
});

test('the kernels of the same sources are taken, with the same bytes', async () => {
  const names = ['kernels.simd', 'kernels.relaxed-simd', 'text', 'order', 'complex.simd', 'complex.relaxed-simd'];
  const binaries = names.map((name) => `dist/kernels/${name}.wasm`);
  const [simd, relaxed, text, order, complex, relaxedComplex] = binaries as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const modules = { text: 'dist/io/matrix-market/text.wasm.js', order: 'dist/reorder/order.wasm.js' };
  const built = [
    [simd, relaxed],
    [text, modules.text],
    [order, modules.order],
    [complex, relaxedComplex, 'dist/kernels/complex.wasm.js'],
  ];
  for (const files of built) await keepFiles(readFileSync(`${files[0]}.sha256`, 'utf8'), files);
  for (const name of [
    'assembly',
    'asconfig.json',
    'asconfig.text.json',
    'asconfig.order.json',
    'asconfig.complex.json',
  ])
    cpSync(name, join(folder, name), { recursive: true });
  // Compiling them takes longer.
  execFileSync(process.execPath, [SCRIPT], { cwd: folder, timeout: 15_000 });
  for (const name of built.flat()) expect(readFileSync(join(folder, name))).toEqual(readFileSync(name));
});
