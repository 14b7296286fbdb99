/** The manifests of the packages list exactly the dependencies needed at run time. */
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

type Targets = string | { [condition: string]: Targets };

interface Manifest {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, Targets>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

const readJson = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
const library: Manifest = readJson('package.json');
const cli: Manifest = readJson('cli/package.json');

/** The scripts that a package offers, from its root; those of the command line are in the `dist` of the repository. */
function entriesOf({ exports, bin }: Manifest): string[] {
  const files = (targets: Targets): string[] =>
    typeof targets === 'string' ? [targets] : Object.values(targets).flatMap(files);
  const scripts = [...files(exports), ...files(bin)].filter((path) => path.endsWith('.js'));
  return [...new Set(scripts.map((path) => join(path)))];
}

/** Every file reachable from the entries, and every package that one of them imports. */
function walk(entries: readonly string[]): { files: Set<string>; packages: Set<string> } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    for (const target of importsOf(readFileSync(join(ROOT, file), 'utf8'))) {
      if (target.startsWith('.')) visit(relative(ROOT, join(ROOT, dirname(file), target)));
      else if (!target.startsWith('node:')) packages.add(packageOf(target));
    }
  };
  for (const entry of entries) visit(entry);
  return { files, packages };
}

/** Imports, and the scripts of workers, which are named by their URL. Comments quote imports, too. */
function importsOf(script: string): string[] {
  const code = script.replace(/\/\*[\s\S]*?\*\//g, '');
  return [
    ...code.matchAll(/(?:(?<!['"])\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g),
    ...code.matchAll(/new URL\(['"]([^'"]+\.c?js)['"], import\.meta\.url\)/g),
  ].map((match) => match[1]!);
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

describe('packages', () => {
  // `bin.node.js` names the command line by URL: the walk of the CLI begins there, and that of the library must not go
  // there.
  const ofLibrary = walk(entriesOf(library).filter((entry) => entry !== 'dist/bin.node.js'));
  const ofCli = walk(entriesOf(cli));

  test('the library imports its dependencies and no others, and nothing of the command line', () => {
    expect([...ofLibrary.packages].sort()).toEqual(Object.keys(library.dependencies).sort());
    expect(ofLibrary.files.size).toBeGreaterThan(100);
    const scripts = ['member.node.cjs', 'worker.node.cjs', 'block-script.node.cjs', 'rank-thread.node.js'];
    for (const script of scripts) expect(ofLibrary.files).toContain(`dist/node/${script}`);
    expect([...ofLibrary.files].filter((file) => /^dist\/(cli|command-line)\//.test(file))).toEqual([]);
  });

  test.each(['node', 'command-line', 'cdn'])(
    'dist/%s has the licenses of the packages whose code it contains',
    (folder) => {
      const licenses = readFileSync(join(ROOT, `dist/${folder}/LICENSES.txt`), 'utf8');
      const packages = [...licenses.matchAll(/^(\S+) \d+\.\d+\.\d+: /gm)].map(([, name]) => name);
      const ofPages = folder === 'cdn' ? ['fflate', 'modern-tar'] : [];
      const ofAll = ['delaunator', 'pure-rand', 'robust-predicates', 'tslib', 'wasm-feature-detect'];
      expect(packages).toEqual([...ofAll, ...ofPages].sort());
      expect(licenses.match(/Copyright/g)!.length).toBeGreaterThanOrEqual(3);
    },
  );

  test('the command line imports its dependencies and no others', () => {
    expect([...ofCli.packages].sort()).toEqual(Object.keys(cli.dependencies).sort());
    expect(ofCli.files).toContain('dist/command-line/main.js');
  });

  test('both ask for the same versions of what both need', () => {
    expect(cli.version).toBe(library.version);
    const common = Object.entries(library.dependencies).filter(([name]) => name in cli.dependencies);
    expect(common.map(([name]) => name)).toEqual(['env-paths', 'fast-png', 'modern-tar']);
    expect(cli.dependencies).toMatchObject(Object.fromEntries(common));
    expect(cli.peerDependencies).toEqual(library.peerDependencies);
  });

  test('in a checkout, dist/cli finds the versions that its manifest asks for', () => {
    const { packages } = readJson('package-lock.json') as { packages: Record<string, { version: string }> };
    const own = Object.keys(packages).filter((path) => path.startsWith('cli/node_modules/'));
    expect(own).toEqual([]); // dist/cli is next to the root's node_modules, and would find another version there
    for (const name of Object.keys(cli.dependencies)) expect(packages).toHaveProperty([`node_modules/${name}`]);
  });
});
