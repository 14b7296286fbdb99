/**
 * Compiles the addon of @sparlane/cuda into `cuda/linux-x64/`, for the architectures in CUDAARCHS: minutes for one, half an hour for all. Takes it
 * from the cache where it was built from the same sources by the same compilers.
 *
 * usage: npm run build:cuda   (after `npm run build:js`)
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { hashOf, keepFiles, takeFiles } from './build-cache.mjs';
import { describeKernels } from './describe-kernels.mjs';

const SOURCES = 'cuda';
const HEADERS = 'build/headers.h';
const BUILD = 'cuda/build';
const ADDON = 'cuda/linux-x64/sparlane_cuda.node';
const SOURCE = /\.(cu|cuh|cc|c|h|map|txt)$/;

/** Variables that change what is built. */
const VARIABLES = /^(CUDA|NVCC_|CMAKE_|C(C|XX|PPFLAGS|FLAGS|XXFLAGS)$|LDFLAGS$)/;

const require = createRequire(import.meta.url);
await describeKernels();
const used = compilers();
const hash = used && hashOf(used, sources());
if (hash !== undefined && (await takeFiles(hash, [ADDON]))) {
  process.stdout.write(`${ADDON}: from the cache\n`);
} else {
  run('cmake', '-S', SOURCES, '-B', BUILD, `-DNODE_API_INCLUDE=${require('node-api-headers').include_dir}`);
  run('cmake', '--build', BUILD, '--parallel', `${availableParallelism()}`);
  copyFileSync(join(BUILD, 'sparlane_cuda.node'), ADDON);
  if (hash !== undefined) await keepFiles(hash, [ADDON]);
}

/** All that an addon depends on beside its sources; undefined if a compiler is not found here, but by CMake. */
function compilers() {
  const { CUDACXX = 'nvcc', CXX = 'c++', CC = 'cc' } = process.env;
  const versions = [CUDACXX, CXX, CC, 'ld', 'cmake'].map((program) =>
    spawnSync(program, ['--version']).stdout?.toString(),
  );
  if (versions.includes(undefined)) return undefined;
  const variables = Object.entries(process.env).filter(([name]) => VARIABLES.test(name));
  const system = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : process.platform;
  return [...versions, ...variables.sort(), system, process.arch, require('node-api-headers/package.json').version];
}

function sources() {
  const names = readdirSync(SOURCES, { recursive: true });
  const own = names
    .filter((name) => SOURCE.test(name) && !name.startsWith('build/'))
    .map((name) => join(SOURCES, name));
  return [...own, HEADERS].sort();
}

function run(program, ...args) {
  execFileSync(program, args, { stdio: 'inherit' });
}
