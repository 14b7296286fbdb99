/**
 * Compiles `assembly/` to both binaries of the kernels, in parallel: half a minute. Does nothing if the existing
 * binaries were built from the same sources, with the same options and the same compiler.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const CONFIG = 'asconfig.json';
const STAMP = 'dist/kernels/sources.sha256';

const compilerManifest = createRequire(import.meta.url).resolve('assemblyscript/package.json');
const { targets } = JSON.parse(readFileSync(CONFIG, 'utf8'));
const outputs = Object.values(targets).map(({ outFile }) => outFile);

function hashOfSources() {
  const hash = createHash('sha256').update(JSON.parse(readFileSync(compilerManifest, 'utf8')).version);
  const sources = readdirSync('assembly').map((name) => join('assembly', name));
  for (const path of [CONFIG, ...sources.sort()]) hash.update(`\0${path}\0`).update(readFileSync(path));
  return hash.digest('hex');
}

function compile(target) {
  const asc = join(dirname(compilerManifest), 'bin/asc.js');
  const compiler = spawn(process.execPath, [asc, '--config', CONFIG, '--target', target], { stdio: 'inherit' });
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
  await Promise.all(Object.keys(targets).map(compile));
  writeFileSync(STAMP, hash);
}
