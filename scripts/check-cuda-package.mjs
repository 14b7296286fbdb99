/**
 * Installs the tarballs of `pack.mjs --cuda` into an empty folder, as their users will, and asks the installed library what there is of CUDA:
 * whatever is missing on this machine, it must not be the package or its addon. Needs no GPU.
 *
 * usage: npm run check:cuda-package      (after `npm run build` and `npm run build:cuda`)
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { evaluate, inFolder, install, pack, print } from './installed.mjs';

/** What the packages of the GPU consist of. */
const FILES = {
  '@sparlane/cuda': ['LICENSE', 'README.md', 'index.d.ts', 'index.js', 'package.json'],
  '@sparlane/cuda-linux-x64': ['LICENSE', 'README.md', 'package.json', 'sparlane_cuda.node'],
};

/** All but the states that speak of an installation that is no good. */
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

/** As npm unpacked them. */
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
  print(`cudaStatus() of what was installed: ${state}: ${message}`);
}
