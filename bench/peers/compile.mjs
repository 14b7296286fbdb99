/**
 * Compiles peers written in C and C++, each when first needed, into a folder that is deleted with this process. For a machine without
 * their libraries, `prebuild.mjs` compiles them elsewhere, and the environment variable SPARLANE_PEERS names the folder.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const SETUP = 'run bench/peers/setup';

const REAL = { f64: 'double', f32: 'float' };

let folder;
const results = new Map();

/** For files that live as long as this process: programs, matrices, vectors. */
export function temporaryFolder() {
  if (folder === undefined) {
    folder = mkdtempSync(join(tmpdir(), 'sparlane-'));
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  }
  return folder;
}

/**
 * `flags`, `libraries`: of the compiler, before and after the source; `packages`: names of pkg-config whose flags are added; `remedy`: what gives
 * what is missing, default `bench/peers/setup`. Returns { program }, or { missing } with the reason.
 */
export function compile({ source, flags, libraries = [], packages = [], remedy }, dtype) {
  const compiler = source.endsWith('.cpp') ? 'g++' : 'gcc';
  const line = [compiler, source, dtype, ...flags, ...libraries, ...packages].join(' ');
  if (!results.has(line)) {
    results.set(line, tryToCompile(compiler, { source, flags, libraries, packages, remedy }, dtype, results.size));
  }
  return results.get(line);
}

/** Returns the path of a file in the folder that SPARLANE_PEERS names, and undefined if there is no such file. */
export function prebuiltFile(name) {
  const { SPARLANE_PEERS: folder } = process.env;
  const path = folder === undefined ? undefined : join(folder, name);
  return path !== undefined && existsSync(path) ? path : undefined;
}

/** The name of a program that was built elsewhere. */
export function prebuiltName({ source, flags }, dtype) {
  const kept = flags.filter((flag) => /^-(march=|Ofast$)/.test(flag)).map((flag) => flag.slice(1).replace('=', '-'));
  return [source.replace(/\.\w+$/, ''), ...kept, dtype].join('-');
}

function tryToCompile(compiler, how, dtype, number) {
  const { source, flags, libraries, packages, remedy } = how;
  const prebuilt = prebuiltFile(prebuiltName(how, dtype));
  if (prebuilt !== undefined) return { program: prebuilt };
  const program = join(temporaryFolder(), `${source.replace(/\.\w+$/, '')}-${dtype}-${number}`);
  try {
    const found = packages.flatMap(packageFlags);
    const path = fileURLToPath(new URL(source, import.meta.url));
    const given = [...flags, '-fopenmp', `-DREAL=${REAL[dtype]}`, '-o', program, path, ...libraries, ...found];
    execFileSync(compiler, given, { stdio: 'pipe', encoding: 'utf8' });
    return { program };
  } catch (error) {
    return { missing: whyNot(error, remedy) };
  }
}

function packageFlags(name) {
  const flags = execFileSync('pkg-config', ['--cflags', '--libs', name], { stdio: 'pipe', encoding: 'utf8' });
  return flags.trim().split(/\s+/).filter(Boolean);
}

/** The reason for a failure of a compiler or of pkg-config, or that it is not installed; with what helps against it. */
export function whyNot({ code, path, message, stderr = '' }, remedy = SETUP) {
  if (code === 'ENOENT') return `no ${path}: ${SETUP}`;
  const header = /fatal error: (\S+): No such file/.exec(stderr);
  if (header) return `no header ${header[1]}: ${remedy}`;
  const library = /cannot find -l([^\s:]+)/.exec(stderr);
  if (library) return `no library ${library[1]}: ${remedy}`;
  const unknown = /Package '?(\S+?)'?,? (?:was not found|required by)/.exec(stderr);
  if (unknown) return `no package ${unknown[1]}: ${SETUP}`;
  const refused = /#error (.*)/.exec(stderr);
  if (refused) return refused[1];
  return /error: .*/.exec(stderr)?.[0] ?? message;
}
