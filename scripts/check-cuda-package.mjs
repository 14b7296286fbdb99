/**
 * Installs the tarballs of `pack-cuda.mjs` into an empty folder, as their users will, and asks the installed library what there is of CUDA:
 * whatever is missing on this machine, it must not be the package or its addon. Needs no GPU.
 *
 * usage: npm run check:cuda-package      (after `npm run build` and `npm run build:cuda`)
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What the packages of the GPU consist of. */
const FILES = {
  '@sparlane/cuda': ['LICENSE', 'README.md', 'index.d.ts', 'index.js', 'package.json'],
  '@sparlane/cuda-linux-x64': ['LICENSE', 'README.md', 'package.json', 'sparlane_cuda.node'],
};

/** All but the states that speak of an installation that is no good. */
const STATES = ['no-driver', 'driver-too-old', 'no-device', 'ok'];

const STATUS = `import { cudaStatus } from 'sparlane'; console.log(JSON.stringify(await cudaStatus()));`;

const folder = mkdtempSync(join(tmpdir(), 'sparlane-install-'));
try {
  install(packInto(folder));
  checkFiles();
  checkStatus();
} finally {
  rmSync(folder, { recursive: true });
}

function packInto(target) {
  const script = fileURLToPath(new URL('./pack-cuda.mjs', import.meta.url));
  return run(process.execPath, [script, target]).trim().split('\n');
}

function install(tarballs) {
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  const paths = tarballs.map((tarball) => `./${tarball}`);
  run('npm', ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', ...paths]);
  print(`installed ${tarballs.join(', ')}`);
}

/** As npm unpacked them. */
function checkFiles() {
  for (const [name, expected] of Object.entries(FILES)) {
    const found = readdirSync(installed(name), { recursive: true }).sort();
    if (`${found}` !== `${expected}`)
      throw new Error(`${name}: expected ${expected.join(', ')}, got ${found.join(', ')}`);
  }
  const { optionalDependencies = {} } = JSON.parse(readFileSync(installed('@sparlane/cuda/package.json'), 'utf8'));
  if (!('@sparlane/cuda-linux-x64' in optionalDependencies))
    throw new Error('@sparlane/cuda optionalDependencies: expected its addon, got none');
}

function installed(path) {
  return join(folder, 'node_modules', path);
}

function checkStatus() {
  const { state, message } = JSON.parse(run(process.execPath, ['--input-type=module', '--eval', STATUS]));
  if (!STATES.includes(state))
    throw new Error(`cudaStatus(): expected ${STATES.join(' | ')}, got ${state}: ${message}`);
  print(`cudaStatus() of what was installed: ${state}: ${message}`);
}

/** What a program says on stdout. */
function run(program, args) {
  return execFileSync(program, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
