/**
 * The names that the package exports, in `public-names.txt`: a name that is removed or renamed breaks programs (`docs/in-your-library.md`, "What is
 * stable"). After a change that is meant: `npx vitest run --project unit test/public-names.test.ts -u`.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const ENTRIES = {
  sparlane: 'dist/index.node.d.ts',
  'sparlane/async': 'dist/async/index.node.d.ts',
  'sparlane/pictures': 'dist/pictures/index.d.ts',
};
/** The others are the same in pages. */
const IN_PAGES = { sparlane: 'dist/index.browser.d.ts', 'sparlane/async': 'dist/async/index.browser.d.ts' };

/** The names, types among them, that a declaration file exports. */
function namesOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list]) => list!.split(','));
  const listed = lists.map((item) => item.trim().split(/\s+/).at(-1)!).filter((name) => name !== '');
  const kinds = 'abstract class|class|function|const|interface|type';
  const declared = [...text.matchAll(new RegExp(`^export (?:declare )?(?:${kinds}) (\\w+)`, 'gm'))];
  const others = [...text.matchAll(/^export \* from '(.*)\.js'/gm)];
  return [
    ...listed,
    ...declared.map(([, name]) => name!),
    ...others.flatMap(([, from]) => namesOf(join(dirname(file), `${from}.d.ts`))),
  ];
}

const without = (names: readonly string[], others: readonly string[]) => names.filter((name) => !others.includes(name));
const section = (title: string, names: readonly string[]) => [title, ...new Set([...names].sort())].join('\n  ');

test('the names are those of the list', async () => {
  const everywhere = Object.entries(ENTRIES).map(([entry, file]) => section(entry, namesOf(file)));
  const differences = Object.entries(IN_PAGES).flatMap(([entry, file]) => {
    const [inNode, inPages] = [namesOf(ENTRIES[entry as keyof typeof IN_PAGES]), namesOf(file)];
    return [
      section(`${entry}, not in pages`, without(inNode, inPages)),
      section(`${entry}, only in pages`, without(inPages, inNode)),
    ];
  });
  await expect(`${[...everywhere, ...differences].join('\n\n')}\n`).toMatchFileSnapshot('public-names.txt');
});

test('the names that a program can import are among them', async () => {
  for (const entry of ['sparlane', 'sparlane/async', 'sparlane/pictures'] as const)
    expect(namesOf(ENTRIES[entry])).toEqual(expect.arrayContaining(Object.keys(await import(entry))));
});

test('no other path can be imported', async () => {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const wasm = ['./kernels.simd.wasm', './kernels.relaxed-simd.wasm'];
  const scripts = ['.', './async', './pictures', './worker', './member'];
  expect(Object.keys(exports)).toEqual([...scripts, ...wasm, './package.json']);
  const internal = 'sparlane/dist/core/csr.js';
  await expect(import(internal)).rejects.toThrow(/exports|exported/);
});
