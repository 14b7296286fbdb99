/**
 * Compiles `assembly/` to both binaries of the kernels and to that of the reader, in parallel: half a minute. Does nothing if the
 * existing binaries were built from the same sources, with the same options and the same compiler.
 *
 * The reader's binary, 6 kB, is also written as a module in base64, so that a file is read without another file, wherever a bundler puts it.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

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
  const hash = createHash('sha256').update(JSON.parse(readFileSync(compilerManifest, 'utf8')).version);
  const sources = readdirSync('assembly').map((name) => join('assembly', name));
  for (const path of [...CONFIGS, ...sources.sort()]) hash.update(`\0${path}\0`).update(readFileSync(path));
  return hash.digest('hex');
}

function compile({ config, target }) {
  const asc = join(dirname(compilerManifest), 'bin/asc.js');
  const compiler = spawn(process.execPath, [asc, '--config', config, '--target', target], { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    compiler.on('error', reject);
    compiler.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`asc --target ${target} failed`))));
  });
}

const hash = hashOfSources();
const isCurrent =
  existsSync(STAMP) && readFileSync(STAMP, 'utf8') === hash && outputs.every((path) => existsSync(path));
if (!isCurrent) {
  mkdirSync(dirname(STAMP), { recursive: true });
  rmSync(STAMP, { force: true });
  await Promise.all(builds.map(compile));
  mkdirSync(dirname(TEXT_MODULE), { recursive: true });
  writeFileSync(TEXT_MODULE, `export const TEXT_WASM = '${readFileSync(TEXT_BINARY, 'base64')}';\n`);
  writeFileSync(STAMP, hash);
}
