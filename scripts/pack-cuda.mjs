/**
 * Makes the tarballs that somebody with an NVIDIA GPU installs: sparlane, @sparlane/cuda, and the addon for this platform. Prints their names.
 *
 * usage: npm run pack:cuda -- [FOLDER]      (after `npm run build` and `npm run build:cuda`); default: the current folder
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LIBRARY = '.';
const CUDA = 'cuda';
const ADDON = 'cuda/linux-x64';

/** Also in every tarball. */
const README = 'README.md';
const LICENSE = 'LICENSE';

const manifestOf = (folder) => JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));

const target = resolve(process.argv[2] ?? '.');
const staging = mkdtempSync(join(tmpdir(), 'sparlane-pack-'));
try {
  const library = manifestOf(LIBRARY);
  const addon = manifestOf(ADDON);
  const cuda = withAddon(manifestOf(CUDA), addon);
  checkVersions(library, [cuda, addon]);
  mkdirSync(target, { recursive: true });
  const folders = [ROOT, stage(CUDA, cuda), stage(ADDON, addon)];
  for (const folder of folders) process.stdout.write(`${pack(folder)}\n`);
} finally {
  rmSync(staging, { recursive: true });
}

/**
 * An addon's package is installed where its platform is this one. The checkout's manifest does not say so: in the workspace npm would look for
 * the package in the registry, or, were it a member, refuse to install on any other platform.
 */
function withAddon(cuda, { name, version }) {
  return { ...cuda, optionalDependencies: { [name]: version } };
}

/** The addon's functions and the header of a matrix are the library's of the same version, and no other's. */
function checkVersions(library, others) {
  const wanted = library.version;
  const found = [
    ...others.map(({ name, version }) => [`${name} version`, version]),
    ['sparlane peerDependencies @sparlane/cuda', library.peerDependencies['@sparlane/cuda']],
  ];
  for (const [what, version] of found) {
    if (version !== wanted) throw new Error(`${what}: expected ${wanted}, as sparlane has, got ${version}`);
  }
}

/** A folder with the files of a package, its manifest, its README, and the project's license. */
function stage(folder, manifest) {
  const staged = mkdtempSync(join(staging, 'package-'));
  for (const file of [...manifest.files, README]) {
    const source = join(ROOT, folder, file);
    if (!existsSync(source)) throw new Error(`${folder}/${file}: expected a file (npm run build:cuda), got none`);
    copyFileSync(source, join(staged, file));
  }
  copyFileSync(join(ROOT, LICENSE), join(staged, LICENSE));
  writeFileSync(join(staged, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  return staged;
}

/** The name of the tarball. */
function pack(folder) {
  const said = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', target], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return JSON.parse(said)[0].filename;
}
