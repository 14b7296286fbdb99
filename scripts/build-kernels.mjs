/**
 * Describes the kernels (`describe-kernels.mjs`), and compiles `assembly/` to both binaries of the kernels and to that of the reader, in parallel: 40 s on two cores. Does nothing if the
 * existing binaries were built from the same sources, with the same options and the same compiler, and takes such binaries from the cache.
 *
 * The reader's binary, 6 kB, is also written as a module in base64, so that a file is read without another file, wherever a bundler puts it.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { hashOf, keepFiles, takeFiles } from './build-cache.mjs';
import { describeKernels } from './describe-kernels.mjs';

const CONFIGS = ['asconfig.json', 'asconfig.text.json'];
const TEXT_BINARY = 'dist/kernels/text.wasm';
const TEXT_MODULE = 'dist/io/matrix-market/text.wasm.js';
const STAMP = 'dist/kernels/sources.sha256';

const compilerManifest = createRequire(import.meta.url).resolve('assemblyscript/package.json');
const builds = CONFIGS.flatMap((config) => {
  const { targets } = JSON.parse(readFileSync(config, 'utf8'));
  return Object.entries(targets).map(([target, { outFile }]) => ({ config, target, outFile }));
});
const outputs = [...builds.map(({ outFile }) => outFile), TEXT_MODULE];

function hashOfSources() {
  const sources = readdirSync('assembly', { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join('assembly', name));
  const { version } = JSON.parse(readFileSync(compilerManifest, 'utf8'));
  return hashOf(
    [version, readFileSync(new URL(import.meta.url), 'utf8')],
    [...CONFIGS, ...described, ...sources.sort()],
  );
}

async function build() {
  await Promise.all(builds.map(compile));
  mkdirSync(dirname(TEXT_MODULE), { recursive: true });
  writeFileSync(TEXT_MODULE, `export const TEXT_WASM = '${readFileSync(TEXT_BINARY, 'base64')}';\n`);
  await keepFiles(hash, outputs);
}

function compile({ config, target }) {
  const asc = join(dirname(compilerManifest), 'bin/asc.js');
  const compiler = spawn(process.execPath, [asc, '--config', config, '--target', target], { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    compiler.on('error', reject);
    compiler.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`asc --target ${target} failed`))));
  });
}

const described = await describeKernels();
const hash = hashOfSources();
const isCurrent =
  existsSync(STAMP) && readFileSync(STAMP, 'utf8') === hash && outputs.every((path) => existsSync(path));
if (!isCurrent) {
  mkdirSync(dirname(STAMP), { recursive: true });
  rmSync(STAMP, { force: true });
  if (!(await takeFiles(hash, outputs))) await build();
  writeFileSync(STAMP, hash);
}
