/**
 * Types that stand in the signatures of exports are exported too: a program can then name the type of every argument and
 * result. Read from the declaration files, in which each statement begins at the start of a line.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const DIST = fileURLToPath(new URL('../dist', import.meta.url));
const ENTRIES = [
  'index.node.d.ts',
  'index.browser.d.ts',
  'async/index.node.d.ts',
  'async/worker.browser.d.ts',
  'pictures/index.d.ts',
];

/** Types of members that only the library itself, its command line and its tests use; and the bases of `Vector` and `ComplexOperator`. */
const INTERNAL = [
  'CallerPlatform',
  'CompressedRows',
  'ConversionOptions',
  'DistributedParts',
  'Elements',
  'EngineParts',
  'Keepable',
  'Link',
  'MachineCosts',
  'Meeting',
  'NumberView',
  'Owned',
  'Selection',
  'Sending',
  'SentVector',
  'StoredComplex',
  'StoredOperator',
  'Team',
  'TeamContext',
  'ThreadBound',
  'Transposed',
  'TransposedParts',
  'ViewConstructor',
];

/** `name`, as declared in a file. */
interface Reference {
  readonly file: string;
  readonly name: string;
}

interface Declarations {
  /** Texts of the declarations of a file, without comments. */
  readonly own: ReadonlyMap<string, string>;
  readonly imported: ReadonlyMap<string, Reference>;
  /** Exports, by their names outside. */
  readonly exported: ReadonlyMap<string, Reference>;
}

const KEYWORDS = '(?:declare )?(?:abstract )?(?:class|interface|type|function|const)';

/** What a declaration file declares, imports and exports; `stars` are the files of its `export *`. */
function parse(text: string, file: string): Declarations & { readonly stars: readonly string[] } {
  const own = new Map<string, string>();
  const imported = new Map<string, Reference>();
  const exported = new Map<string, Reference>();
  const stars: string[] = [];
  for (const statement of text.replace(/\/\*[\s\S]*?\*\//g, '').split(/^(?=\w)/m)) {
    const [, name] = new RegExp(`^(?:export )?${KEYWORDS} (\\w+)`).exec(statement) ?? [];
    if (name !== undefined) {
      own.set(name, (own.get(name) ?? '') + statement);
      if (statement.startsWith('export')) exported.set(name, { file, name });
    }
    const [, verb, list, from] = /^(import|export) (?:type )?(\*|\{[^}]*\}) from '(\.[^']+)\.js'/.exec(statement) ?? [];
    if (from === undefined) continue;
    const source = join(dirname(file), `${from}.d.ts`);
    if (list === '*') stars.push(source);
    for (const [, inner, outer = inner] of list!.matchAll(/(?:type )?(\w+)(?: as (\w+))?/g))
      (verb === 'import' ? imported : exported).set(outer!, { file: source, name: inner! });
  }
  return { own, imported, exported, stars };
}

/** `Type in Export` for each type of the library that an export mentions and no entry exports; private members excepted. */
function unexported(read: (file: string) => string, entries: readonly string[]): string[] {
  const parsed = new Map<string, ReturnType<typeof parse>>();
  const of = (file: string) => {
    if (!parsed.has(file)) parsed.set(file, parse(read(file), file));
    return parsed.get(file)!;
  };
  /** Follows exports of imports to the declaration. */
  const origin = ({ file, name }: Reference): Reference => {
    const further = of(file).exported.get(name);
    return further === undefined || further.file === file ? { file, name } : origin(further);
  };
  const exportsOf = (file: string): Reference[] => [
    ...[...of(file).exported.values()].map(origin),
    ...of(file).stars.flatMap(exportsOf),
  ];
  const exported = entries.flatMap(exportsOf);
  const keys = new Set(exported.map(({ file, name }) => `${file} ${name}`));
  const missing = exported.flatMap(({ file, name }) => {
    const { own, imported } = of(file);
    const text = own.get(name)!.replace(/^ +private .*$|'[^'\n]*'/gm, '');
    return [...text.matchAll(/\b[A-Z]\w*/g)].flatMap(([mentioned]) => {
      const found = imported.get(mentioned) ?? (own.has(mentioned) ? { file, name: mentioned } : undefined);
      if (found === undefined) return [];
      const declared = origin(found);
      return keys.has(`${declared.file} ${declared.name}`) ? [] : [`${mentioned} in ${name}`];
    });
  });
  return [...new Set(missing)].sort();
}

const readDist = (file: string) => readFileSync(join(DIST, file), 'utf8');

test('every type in an exported signature is exported', () => {
  const missing = unexported(readDist, ENTRIES);
  expect(missing.filter((entry) => !INTERNAL.includes(entry.split(' ')[0]!))).toEqual([]);
  // Each exception is still needed.
  expect([...new Set(missing.map((entry) => entry.split(' ')[0]!))]).toEqual(INTERNAL);
});

test('a type that is not exported is found: declared beside the export, or imported', () => {
  const files: Record<string, string> = {
    'index.d.ts': "export * from './common.js';\nexport { type A as B, f } from './a.js';\n",
    'common.d.ts': "export type { C } from './c.js';\n",
    'a.d.ts':
      "import type { C, D } from './c.js';\ninterface Local {\n    readonly d: D;\n}\nexport interface A {\n    /** Hidden */\n    c: C;\n}\nexport declare function f(a: A, d: D): Local;\n",
    'c.d.ts': 'export interface C {\n}\nexport interface D {\n}\n',
  };
  expect(unexported((file) => files[file]!, ['index.d.ts'])).toEqual(['D in f', 'Local in f']);
});
