/**
 * The layout of every header block in its three places: `…_HEADER` in TypeScript, which writes it, and `class …Header` in
 * `assembly/` and `struct …Header` in `cuda/`, which read it. Two swapped words would be wild reads.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/** Names of words in order, by name of the header: `CsrHeader`. */
type Layouts = Record<string, readonly string[]>;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Headers whose words are not all 32 bits wide: not of a matrix, but of a list of vector operations. */
const OTHERS = ['ProgramHeader'];

/** Each constant `X_Y_HEADER` that a file of `src` exports, as `XYHeader`. */
async function declared(): Promise<Layouts> {
  const layouts: Record<string, readonly string[]> = {};
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  for (const file of files) {
    const text = readFileSync(join(ROOT, 'src', file), 'utf8');
    const constants = [...text.matchAll(/^export const (\w+_HEADER)\b/gm)].map((match) => match[1]!);
    if (constants.length === 0) continue;
    const module = await import(join(ROOT, 'dist', file.replace(/\.ts$/, '.js')));
    for (const constant of constants) {
      const name = className(constant);
      if (name in layouts)
        throw new Error(`${file}: expected another name than ${constant}, which another file exports`);
      layouts[name] = module[constant];
    }
  }
  return layouts;
}

function className(constant: string): string {
  return constant.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function sources(folder: string, ending: RegExp): string[] {
  return readdirSync(join(ROOT, folder))
    .filter((name) => ending.test(name))
    .map((name) => readFileSync(join(ROOT, folder, name), 'utf8'));
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
}

/** Layouts by name; a class that extends another one begins with its words. A class that is only a base is left out. */
function inAssembly(texts: readonly string[]): Layouts {
  const classes = texts.flatMap((text) => [
    ...withoutComments(text).matchAll(/@unmanaged\s+(?:export )?class (\w+Header)(?: extends (\w+))? \{([^}]*)\}/g),
  ]);
  const wordsOf = (name: string): string[] => {
    const [, , base, body] = classes.find((found) => found[1] === name)!;
    const own = statements(body!).map((statement) => /^(\w+)!: (?:u32|i32|usize)$/.exec(statement)?.[1] ?? statement);
    return base === undefined ? own : [...wordsOf(base), ...own];
  };
  return Object.fromEntries(classes.map(([, name]) => [name!, wordsOf(name!)]));
}

/** The layouts of one file, in which `CsrHeader csr;` stands for the words of that struct, which another file may declare. */
function inCuda(text: string, all: string): Layouts {
  const body = (source: string, name: string): string | undefined =>
    new RegExp(`struct ${name} \\{([^}]*)\\}`).exec(source)?.[1];
  const wordsOf = (source: string, name: string): string[] =>
    statements(body(source, name) ?? `${name} is not declared`).flatMap((statement) => {
      const [, type, names] = /^(\w+) ([\w, ]+)$/.exec(statement) ?? [];
      if (type === 'uint32_t' || type === 'int32_t') return names!.split(',').map((word) => word.trim());
      return type?.endsWith('Header') ? wordsOf(all, type) : [statement];
    });
  const names = [...text.matchAll(/struct (\w+Header) \{/g)].map((match) => match[1]!);
  return Object.fromEntries(names.map((name) => [name, wordsOf(text, name)]));
}

function statements(body: string): string[] {
  return body
    .split(';')
    .map((statement) => statement.trim())
    .filter(Boolean);
}

const layouts = await declared();
const assembly = sources('assembly', /\.ts$/);
const cuda = sources('cuda', /\.(cu|cuh|h)$/).map(withoutComments);
const structs = cuda.flatMap((text) => Object.entries(inCuda(text, cuda.join('\n'))));

/** Each word is the name of its place: a word that is missing, superfluous, swapped or not 32 bits wide is a difference. */
function expectSame(found: readonly string[], name: string): void {
  expect(found.map((word, k) => `${4 * k}: ${word}`)).toEqual(layouts[name]?.map((word, k) => `${4 * k}: ${word}`));
}

describe('header blocks', () => {
  test('every layout is read by a class in assembly/, and every class has a layout or is the base of another', () => {
    const classes = inAssembly(assembly);
    const bases = assembly.flatMap((text) => [...text.matchAll(/ extends (\w+Header)/g)].map((match) => match[1]!));
    expect(Object.keys(layouts).filter((name) => !(name in classes))).toEqual([]);
    const undeclared = Object.keys(classes).filter((name) => !(name in layouts) && !bases.includes(name));
    expect(undeclared).toEqual(OTHERS);
  });

  for (const name of Object.keys(layouts))
    test(`${name} has the same words in assembly/`, () => {
      expectSame(inAssembly(assembly)[name]!, name);
    });

  for (const [name, words] of structs)
    test(`${name} has the same words in cuda/`, () => {
      expectSame(words, name);
    });

  test('words that are swapped, left out or of another width are noticed', () => {
    const [sell, inode] = ['SellHeader', 'InodeHeader'] as const;
    const text = assembly.find((source) => source.includes(`class ${sell}`))!;
    const swapped = text.replace(/( {2}colIdx!: usize;\n)( {2}values!: usize;\n)/, '$2$1');
    const missing = text.replace(/ {2}rowOf!: usize;\n/, '');
    const wide = text.replace('nnz!: u32', 'nnz!: u64');
    for (const mutant of [swapped, missing, wide]) {
      expect(mutant).not.toBe(text);
      expect(() => expectSame(inAssembly([mutant])[sell]!, sell)).toThrow(/toEqual|deeply/);
    }
    const struct = cuda.find((source) => source.includes(`struct ${inode}`))!;
    for (const mutant of [
      struct.replace('groupPtr, colPtr, valuePtr', 'groupPtr, valuePtr, colPtr'),
      struct.replace('uint32_t groups', 'uint64_t groups'),
    ]) {
      expect(mutant).not.toBe(struct);
      expect(() => expectSame(inCuda(mutant, mutant)[inode]!, inode)).toThrow(/toEqual|deeply/);
    }
  });
});
