/** A format is named in its folder and in the registry: nobody who adds one has another list to keep. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { FORMATS } from '#dist/formats/registry.js';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));

/** `csr` is the yardstick, and `csrk` takes groups: `src/formats/format.ts`. */
const KNOWN_TO_ALL = ['csr', 'csrk'];

/** What may name formats, and why. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'formats/registry.ts': 'the registry',
  'core/csr.ts': 'input by coordinates, which is older than the format `coo`',
  'choice/constants.ts': 'measured costs of kernels',
  'choice/kernels.ts': 'how kernels read x and end rows, for their costs',
  'choice/blocks.ts': 'measured costs of kernels',
  'backends/cuda/costs.ts': 'measured costs of kernels',
  'backends/cuda/model.ts': 'measured costs of kernels',
  'conformance/complex-checks.ts': 'layouts that have complex kernels',
  'conformance/divided-checks.ts': 'products that several formats share',
  'conformance/large-blocks.ts': 'sizes of blocks that only matrices of their own have',
  'conformance/random-cases.ts': 'products that several formats share',
  'io/npy/npz.ts': "SciPy's names of its own formats",
  'io/npy/lengths.ts': "SciPy's names of its own formats",
};

/** Folders of other formats that are built from a format: hub rows and rests are stored as `coo`, `ell` and `hyb` are chunks. */
const BUILT_FROM: Readonly<Record<string, readonly string[]>> = {
  coo: ['formats/sell/', 'formats/pkt/'],
  ell: ['formats/sell/'],
  hyb: ['formats/sell/'],
};

/** Code without comments. */
function codeOf(file: string): string {
  return readFileSync(SRC + file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
}

/** Whether code has the name of a format as text, perhaps with parameters or the rest of a kernel's name, or as a key. */
function names(code: string, format: string): boolean {
  return new RegExp(`['"\`]${format}\\d*[?_'"\`]|^\\s+${format}\\w*: [{[]`, 'm').test(code);
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
const named = new Map<string, string[]>();
for (const file of files) {
  const code = codeOf(file);
  for (const { name } of FORMATS) {
    const own = [`formats/${name}/`, ...(BUILT_FROM[name] ?? [])];
    if (KNOWN_TO_ALL.includes(name) || own.some((folder) => file.startsWith(folder)) || !names(code, name)) continue;
    named.set(file, [...(named.get(file) ?? []), name]);
  }
}

test('no other file names a format', () => {
  expect([...named].filter(([file]) => !Object.hasOwn(EXCEPTIONS, file))).toEqual([]);
});

test('each exception is still needed', () => {
  expect([...named.keys()].sort()).toEqual(Object.keys(EXCEPTIONS).sort());
});
