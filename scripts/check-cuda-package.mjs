/**
 * Installs the tarballs of `pack.mjs --cuda` into an empty folder, like a user, and calls `cudaStatus` of the installed
 * library. Other parts of CUDA may be missing on this machine, but not the package or its addon. Needs no GPU.
 *
 * usage: npm run check:cuda-package      (after `npm run build` and `npm run build:cuda`)
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { evaluate, inFolder, install, pack, print } from './installed.mjs';

/** The files of the CUDA packages. */
const FILES = {
  '@sparlane/cuda': ['LICENSE', 'README.md', 'index.d.ts', 'index.js', 'package.json'],
  '@sparlane/cuda-linux-x64': ['LICENSE', 'README.md', 'package.json', 'sparlane_cuda.node'],
};

/** All states except those of a faulty installation. */
const STATES = ['no-driver', 'driver-too-old', 'no-device', 'ok'];

const STATUS = `import { cudaStatus } from 'sparlane'; console.log(JSON.stringify(await cudaStatus()));`;

await inFolder((folder) => {
  const tarballs = pack(folder, '--cuda');
  install(folder, ...Object.values(tarballs));
  print(`installed ${Object.keys(tarballs).join(', ')}`);
  const installed = (path) => join(folder, 'node_modules', path);
  checkFiles(installed);
  checkStatus(folder);
});

/** The installed files, as unpacked by npm. */
function checkFiles(installed) {
  for (const [name, expected] of Object.entries(FILES)) {
    const found = readdirSync(installed(name), { recursive: true }).sort();
    if (`${found}` !== `${expected}`)
      throw new Error(`${name}: expected ${expected.join(', ')}, got ${found.join(', ')}`);
  }
  const { optionalDependencies = {} } = JSON.parse(readFileSync(installed('@sparlane/cuda/package.json'), 'utf8'));
  if (!('@sparlane/cuda-linux-x64' in optionalDependencies))
    throw new Error('@sparlane/cuda optionalDependencies: expected its addon, got none');
}

function checkStatus(folder) {
  const { state, message } = JSON.parse(evaluate(folder, STATUS));
  if (!STATES.includes(state))
    throw new Error(`cudaStatus(): expected ${STATES.join(' | ')}, got ${state}: ${message}`);
  print(`cudaStatus() of the installed packages: ${state}: ${message}`);
}
