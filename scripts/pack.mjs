/**
 * Creates the published tarballs: sparlane, @sparlane/cli, @sparlane/graphs, @sparlane/mathjs, @sparlane/tfjs and @sparlane/mpi, whose
 * addon its users compile; with `--cuda` also @sparlane/cuda and its addon for this platform. Prints their names. All
 * packages except the library are packed from a temporary folder, because the files of the command line and the
 * manifests differ from those of the checkout. So publish the tarballs (`npm publish sparlane-cli-….tgz`), not the
 * folders.
 *
 * usage: npm run pack -- [FOLDER]           (after `npm run build`); default: the current folder
 *        npm run pack:cuda -- [FOLDER]      (after `npm run build` and `npm run build:cuda`)
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CLI = 'cli';
/** Packages that are published as they are in their folders. */
const FOLDERS = ['graphs', 'mathjs', 'mpi', 'tfjs'];
const CUDA = 'cuda';
const ADDON = 'cuda/linux-x64';

/** In every tarball too. */
const README = 'README.md';
const LICENSE = 'LICENSE';

/** Files of the build in `dist` that no package needs. */
const BUILD_ONLY = /\.(tsbuildinfo|sha256)$/;

const manifestOf = (folder) => JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));

const { values, positionals } = parseArgs({ options: { cuda: { type: 'boolean' } }, allowPositionals: true });
const target = resolve(positionals[0] ?? '.');
const staging = mkdtempSync(join(tmpdir(), 'sparlane-pack-'));
try {
  mkdirSync(target, { recursive: true });
  for (const folder of [ROOT, stageCli(), ...FOLDERS.map(stageFolder), ...(values.cuda ? stageCuda() : [])])
    print(pack(folder));
} finally {
  rmSync(staging, { recursive: true });
}

/**
 * The command line imports internals of the library. So its package contains a bundle of both instead of depending on sparlane: the versions
 * of the two cannot differ, and the library's `exports` need not name its internals.
 */
function stageCli() {
  const { private: _, ...manifest } = manifestOf(CLI);
  checkVersions([manifest]);
  return stage(CLI, manifest, copyFiles('.', manifest, CLI));
}

function stageFolder(folder) {
  const manifest = manifestOf(folder);
  checkVersions([manifest]);
  return stage(folder, manifest, copyFiles(folder, manifest));
}

function stageCuda() {
  const addon = manifestOf(ADDON);
  const cuda = withAddon(manifestOf(CUDA), addon);
  checkVersions([cuda, addon]);
  return [stage(CUDA, cuda, copyFiles(CUDA, cuda)), stage(ADDON, addon, copyFiles(ADDON, addon))];
}

/**
 * The package of an addon is installed only on its platform. The checkout's manifest does not contain this dependency.
 * In the workspace, npm would search the registry for the package, or, if it were a workspace member, refuse to install
 * on any other platform.
 */
function withAddon(cuda, { name, version }) {
  return { ...cuda, optionalDependencies: { [name]: version } };
}

/**
 * All packages have the same version: the functions of the addon and the header of a matrix must match the library of
 * exactly that version.
 */
function checkVersions(others) {
  const library = manifestOf('.');
  const found = [library, ...others].flatMap(({ name, version, peerDependencies = {} }) => [
    [`${name} version`, version],
    ...Object.entries(peerDependencies)
      .filter(([peer]) => /^(@sparlane\/|sparlane$)/.test(peer))
      .map(([peer, wanted]) => [`${name} peerDependencies ${peer}`, wanted]),
  ]);
  for (const [what, version] of found) {
    if (version !== library.version)
      throw new Error(`${what}: expected ${library.version}, as sparlane has, got ${version}`);
  }
}

/** Copies the files of a manifest from a folder, and README.md from where the manifest is. */
function copyFiles(folder, { files }, own = folder) {
  return (staged) => {
    for (const file of [...files, README]) {
      const source = join(ROOT, file === README ? own : folder, file);
      if (!existsSync(source))
        throw new Error(`${folder}/${file}: expected a file (of cuda: npm run build:cuda), got none`);
      cpSync(source, join(staged, file), { recursive: true, filter: (path) => !BUILD_ONLY.test(path) });
    }
  };
}

/** A folder with the files of a package, its manifest with the addresses of the library's, and the project's license. */
function stage(directory, manifest, copy) {
  const { homepage, repository } = manifestOf('.');
  const staged = mkdtempSync(join(staging, 'package-'));
  copy(staged);
  cpSync(join(ROOT, LICENSE), join(staged, LICENSE));
  const complete = { ...manifest, homepage, repository: { ...repository, directory } };
  writeFileSync(join(staged, 'package.json'), `${JSON.stringify(complete, undefined, 2)}\n`);
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

function print(line) {
  process.stdout.write(`${line}\n`);
}
