/** For the checks of the published packages: a temporary folder, the tarballs in it, and programs that run there. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const NPM_FLAGS = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];

/** Calls a function with the path of an empty folder, and removes the folder afterwards. */
export async function inFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), 'sparlane-check-'));
  try {
    return await use(folder);
  } finally {
    await remove(folder);
  }
}

/**
 * A process of a browser that has just ended may still write. Then the folder is not empty, and is removed again: `maxRetries` of Node's
 * `rmSync` would not remove what is new in it.
 */
async function remove(folder, tries = 20) {
  try {
    rmSync(folder, { recursive: true });
  } catch (error) {
    if (tries === 1 || error.code !== 'ENOTEMPTY') throw error;
    await setTimeout(100);
    await remove(folder, tries - 1);
  }
}

/** The folder SPARLANE_TARBALLS, if it is set, has the tarballs of `pack.mjs`: packed once for several checks. */
const { SPARLANE_TARBALLS } = process.env;

/** The paths of the tarballs of `pack.mjs`, by package name. */
export function pack(folder, ...options) {
  const script = fileURLToPath(new URL('./pack.mjs', import.meta.url));
  if (!SPARLANE_TARBALLS) run(folder, process.execPath, script, ...options, folder);
  const from = SPARLANE_TARBALLS || folder;
  const paths = readdirSync(from)
    .filter((name) => name.endsWith('.tgz'))
    .map((name) => join(from, name));
  return Object.fromEntries(
    paths.map((path) => [packageOf(run(folder, 'tar', '-xzOf', path, 'package/package.json')), path]),
  );
}

/** The path of the library's tarball. */
export function packLibrary(folder) {
  if (SPARLANE_TARBALLS) return pack(folder).sparlane;
  const root = fileURLToPath(new URL('..', import.meta.url));
  const said = run(root, 'npm', 'pack', '--ignore-scripts', '--json', '--pack-destination', folder);
  return join(folder, JSON.parse(said)[0].filename);
}

function packageOf(manifest) {
  return JSON.parse(manifest).name;
}

/** Adds packages (tarballs, or names with versions) to a project, and creates the project if it does not exist. */
export function install(folder, ...packages) {
  mkdirSync(folder, { recursive: true });
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) writeFileSync(manifest, '{ "private": true, "type": "module" }\n');
  run(folder, 'npm', 'install', ...NPM_FLAGS, ...packages);
}

/** The installed packages of a project: their number, and the bytes of their files. */
export function installedSize(folder) {
  const modules = join(folder, 'node_modules');
  const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'));
  const files = readdirSync(modules, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0);
  return { packages: Object.keys(packages).length, bytes };
}

/** The output of a program on stdout. @throws if it fails */
export function run(folder, program, ...args) {
  return execFileSync(program, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

/** The exit code of a program that may fail, and its output on stderr. */
export function attempt(folder, program, ...args) {
  const { status, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
  return { status, stderr };
}

/** The output of a script that runs in a project, an ES module or CommonJS: by this Node, or as a file by the command line of another runtime. */
export function evaluate(folder, script, command, kind = 'module') {
  if (command === undefined) return run(folder, process.execPath, `--input-type=${kind}`, '--eval', script);
  const file = kind === 'module' ? 'program.mjs' : 'program.cjs';
  writeFileSync(join(folder, file), script);
  return run(folder, ...command, file);
}

export function print(line) {
  process.stdout.write(`${line}\n`);
}
