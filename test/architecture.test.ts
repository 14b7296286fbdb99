/** The rules of the architecture that a compiler does not check, read from the import statements. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { FORMATS } from '#dist/formats/registry.js';

const SRC = fileURLToPath(new URL('../src', import.meta.url));
const DIST = fileURLToPath(new URL('../dist', import.meta.url));

const IMPORT = /(?:from|import)\s*\(?\s*'([^']+)'/g;

/** The floors of `docs/architecture.md`, by folder; an import points to a lower one, or stays in its folder. */
const FLOORS = floorsOf(readFileSync(new URL('../docs/architecture.md', import.meta.url), 'utf8'));
/** src/index.*.ts: what a program imports, and what the entry points are made of. */
const ENTRIES = 'index.*.ts';

/** Rows of the document's table: a floor, or none if it is that of the row before; folders; and what they are, after two spaces. */
function floorsOf(text: string): Map<string, number> {
  const floors = new Map<string, number>();
  let floor = Number.NaN;
  for (const [, number, names] of text.matchAll(/^( ?\d+| {2}) {2}((?:[\w*.]+\/? )+) +\S/gm)) {
    if (number!.trim() !== '') floor = Number(number);
    for (const name of names!.trim().split(' ')) floors.set(name.replace('/', ''), floor);
  }
  return floors;
}

/** Libraries that import from Node themselves, and work nowhere else. */
const NODE_ONLY = ['env-paths'];

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
const imports = files.flatMap((file) =>
  [...readFileSync(join(SRC, file), 'utf8').matchAll(IMPORT)].map((match) => ({
    file,
    target: match[1]!,
  })),
);

function layerOf(file: string): number {
  const folder = file.includes('/') ? file.slice(0, file.indexOf('/')) : '';
  return FLOORS.get(folder === '' ? ENTRIES : folder) ?? Number.NaN;
}

function folderOf(file: string): string {
  return file.slice(0, Math.max(file.indexOf('/'), 0));
}

/** The built files that an entry loads, types being gone. */
function loadedBy(entry: string): Set<string> {
  const loaded = new Set<string>();
  const visit = (file: string) => {
    if (loaded.has(file)) return;
    loaded.add(file);
    for (const [, target] of readFileSync(join(DIST, file), 'utf8').matchAll(IMPORT))
      if (target!.startsWith('.')) visit(relative(DIST, join(DIST, dirname(file), target!)));
  };
  visit(entry);
  return loaded;
}

/** A class of tests has a name in vitest.config.ts; a file with another word would be of class `unit` without a word. */
test('the name of a test says its class', () => {
  const tests = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' });
  const names = tests.filter((path) => path.includes('.test.')).map((path) => path.slice(path.lastIndexOf('/') + 1));
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name) => !/^[\w-]+(\.node|\.long)?\.test\.ts$/.test(name))).toEqual([]);
});

describe('architecture', () => {
  test('every source file lies on a floor of docs/architecture.md, which has no other folders', () => {
    expect(files.length).toBeGreaterThan(30);
    const folders = new Set(files.map(folderOf).filter((folder) => folder !== ''));
    expect(new Set([...FLOORS.keys()].filter((name) => !name.includes('*')))).toEqual(folders);
    expect(files.filter((file) => Number.isNaN(layerOf(file)))).toEqual([]);
  });

  test('imports point downwards or stay in their folder', () => {
    const relativeImports = imports.filter(({ target }) => target.startsWith('.'));
    expect(relativeImports.length).toBeGreaterThan(50);
    const upward = relativeImports.filter(({ file, target }) => {
      const imported = relative(SRC, join(SRC, dirname(file), target));
      return folderOf(imported) !== folderOf(file) && layerOf(imported) >= layerOf(file);
    });
    expect(upward).toEqual([]);
  });

  test('formats are named by themselves, by the models of their costs, and by what checks them; others know csr and csrk', () => {
    // `io/npy` names SciPy's formats.
    const named = /^(formats|conformance|backends\/cuda)\/|^choice\/(constants|kernels)\.ts$|^io\/npy\//;
    const others = FORMATS.map(({ name }) => name).filter((name) => name !== 'csr' && name !== 'csrk');
    const quoted = new RegExp(`(['"\`])(${others.join('|')})(\\?[^'"\`]*)?\\1`);
    const codeOf = (file: string) =>
      readFileSync(join(SRC, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*/g, '');
    const isNaming = (file: string) => quoted.test(codeOf(file));
    expect(files.filter((file) => !named.test(file) && isNaming(file))).toEqual([]);
    expect(files.filter((file) => isNaming(file)).length).toBeGreaterThan(10);
  });

  test('only *.node.ts and the command line import from Node', () => {
    const strangers = imports.filter(
      ({ file, target }) =>
        (target.startsWith('node:') || NODE_ONLY.includes(target)) &&
        !file.endsWith('.node.ts') &&
        !file.startsWith('cli/'),
    );
    expect(strangers).toEqual([]);
    expect(imports.some(({ target }) => target.startsWith('node:'))).toBe(true);
  });

  test('a page loads nothing of CUDA', () => {
    for (const entry of ['index.browser.js', 'async/index.browser.js', 'async/worker.browser.js']) {
      const loaded = loadedBy(entry);
      expect(loaded.size).toBeGreaterThan(5);
      expect([...loaded].filter((file) => /cuda/.test(file))).toEqual([]);
    }
    // The pattern finds what there is to find.
    expect([...loadedBy('index.node.js')]).toEqual(
      expect.arrayContaining(['backends/cuda/backend.js', 'backends/cuda/device.js']),
    );
  });

  test('the code of a page imports neither *.node.ts nor the command line', () => {
    const reached = new Set<string>();
    const visit = (file: string) => {
      if (reached.has(file)) return;
      reached.add(file);
      for (const { file: from, target } of imports) {
        if (from !== file || !target.startsWith('.')) continue;
        visit(relative(SRC, join(SRC, dirname(file), target)).replace(/\.js$/, '.ts'));
      }
    };
    for (const entry of files.filter((file) => file.endsWith('.browser.ts') || file === 'async/host.ts')) visit(entry);
    expect(reached.size).toBeGreaterThan(20);
    expect([...reached].filter((file) => file.endsWith('.node.ts') || file.startsWith('cli/'))).toEqual([]);
  });
});
