/**
 * What kernels are compiled from beside `assembly/` and `cuda/`, made from the descriptions in `src/`, in the folder `build/`:
 *
 *     headers.ts    a class for each layout of a header (`X_HEADER`), and the constants that kernels share with the library
 *     headers.h     those that CUDA uses, as structs
 *     index.ts      the exports of the kernels' module: kernels that are not generic, and the instances (`X_KERNELS`) of those that are
 *     complex.ts    the same of the module of complex kernels
 *
 * The library and the addon (`cuda/CMakeLists.txt`) both have the digest of `headers.h`: the library refuses an addon with another one.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sha256 } from './build-cache.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SRC = join(ROOT, 'src');
const DIST = join(ROOT, 'dist');
const ASSEMBLY = join(ROOT, 'assembly');
const CUDA = join(ROOT, 'cuda');
const DIGEST = join(DIST, 'backends/cuda/headers.js');
const MADE = '// Made by scripts/describe-kernels.mjs.';

/** Kernels share these constants with the library. They are listed by the modules that define them. */
const SHARED = {
  'algebra/diagonal.js': ['NO_ENTRY'],
  'backends/team/vector-program.js': ['CHUNK_ELEMENTS'],
  'choice/blocks.js': ['FAST_FROM_F32', 'FAST_FROM_F64', 'MANY_VECTORS'],
  'direct/lu/factors.js': ['LU_DONE', 'LU_ROOM', 'LU_OPEN'],
  'execution/carries.js': ['NO_ROW'],
  'formats/bsr/panels.js': ['PANEL_ROWS'],
  'formats/csr5/words.js': ['EMPTY_ROWS', 'FLAGS', 'SEG_OFFSET', 'Y_OFFSET'],
  'formats/layout/column-loops.js': ['SPAN'],
  'formats/layout/column-windows.js': ['COLUMN_CHUNK'],
  'formats/layout/pieces.js': ['COMPONENTS'],
  'formats/layout/pointers.js': ['BLOCK_COUNTS'],
  'formats/layout/row-loops.js': ['BLOCK_ROWS', 'ENTRIES_PER_BRANCH'],
  'formats/sell/chunk-loops.js': ['BLOCK_CHUNKS', 'REST_COST', 'REST_ROW_COST'],
  'matrices/row-by-row.js': ['CHUNK_ROWS'],
  'matrices/transposition.js': ['BUCKET_GAP', 'BUCKET_SHIFT'],
  'preconditioners/triangular/slice-layout.js': ['SLICE_LANES'],
  'preconditioners/triangular/triangles.js': ['FACTORED', 'ROWS_AT_ONCE'],
};

/** A kernel of `assembly/`: its name, type parameters, whether a size comes first, the class of its header. */
const KERNEL =
  /^export function (\w+)(?:<([\w, ]+)>)?\(\s*(size: u32,\s+)?header: (\w+),\s+operands: Operands,\s+begin: u32,\s+end: u32,?\s*\): void \{$/gm;

/**
 * Writes the files, where they change.
 *
 * @returns their paths, from the current folder
 * @throws Error if TypeScript was not compiled, or `assembly/` and the instances do not fit together
 */
export async function describeKernels() {
  if (!existsSync(join(DIST, 'formats/instances.js')))
    throw new Error('dist/: expected compiled TypeScript: npm run build:js');
  const described = await constantsOfLibrary();
  const { baseOfHeader } = await import('#dist/memory/header.js');
  const { OPERANDS } = await import('#dist/kernels/abi.js');
  const layouts = layoutsOf(described, baseOfHeader);
  const instances = Object.entries(described).flatMap(([name, list]) => (name.endsWith('_KERNELS') ? list : []));
  const sources = readdirSync(ASSEMBLY, { recursive: true }).filter((name) => name.endsWith('.ts'));
  const kernels = sources.sort().flatMap((file) => kernelsOf(file, readFileSync(join(ASSEMBLY, file), 'utf8')));
  const isComplex = ({ layout, file }) => (layout ?? file).startsWith('complex');
  const isReal = (one) => !isComplex(one);
  const made = {
    'build/headers.ts':
      headersOfAssembly(layouts) + operandsOfAssembly(OPERANDS) + constantsOfAssembly(await sharedConstants()),
    'build/headers.h': headersOfCuda(namedIn(CUDA, layouts)),
    'build/index.ts': await exportsOf(kernels.filter(isReal), instances.filter(isReal), layouts),
    'build/complex.ts': await exportsOf(kernels.filter(isComplex), instances.filter(isComplex), layouts),
  };
  mkdirSync('build', { recursive: true });
  for (const [path, text] of Object.entries(made)) writeIfChanged(path, text);
  writeIfChanged(DIGEST, `export const HEADERS = '${sha256(made['build/headers.h'])}';\n`);
  return Object.keys(made);
}

function writeIfChanged(path, text) {
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
}

/** The constants `X_HEADER` and `X_KERNELS` of the library, by name. What is imported is compiled, but `dist/` may have old files, too. */
async function constantsOfLibrary() {
  const sources = readdirSync(SRC, { recursive: true }).filter((name) => name.endsWith('.ts'));
  const found = {};
  for (const source of sources.sort()) {
    if (!/^export const \w+_(HEADER|KERNELS)\b/m.test(readFileSync(join(SRC, source), 'utf8'))) continue;
    for (const [name, value] of Object.entries(await import(join(DIST, source.replace(/ts$/, 'js')))))
      if (/_(HEADER|KERNELS)$/.test(name)) found[name] = value;
  }
  return found;
}

/**
 * Layouts in an order in which each one comes after its base. `X_Y_HEADER` describes the class `XYHeader`.
 *
 * @param baseOf the layout that another one extends, if any
 */
export function layoutsOf(described, baseOf) {
  const constants = Object.entries(described).filter(([name]) => name.endsWith('_HEADER'));
  const names = new Map(constants.map(([name, layout]) => [layout, className(name)]));
  return constants
    .map(([, layout]) => {
      const base = baseOf(layout);
      const words = Object.entries(layout);
      const own = words.slice(base === undefined ? 0 : Object.keys(base).length);
      return { name: names.get(layout), base: names.get(base), size: 4 * words.length, own };
    })
    .sort((p, q) => p.size - q.size || (p.name < q.name ? -1 : 1));
}

function className(constant) {
  return constant.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter) => letter.toUpperCase());
}

export function headersOfAssembly(layouts) {
  const classes = layouts.map(({ name, base, own }) => {
    const words = own.map(([word, type]) => `  ${word}!: ${type};\n`);
    return `@unmanaged\nexport class ${name}${base ? ` extends ${base}` : ''} {\n${words.join('')}}\n`;
  });
  return [MADE, ...classes].join('\n');
}

/** @throws Error for operands that AssemblyScript would lay out elsewhere: in order, each aligned to its size */
export function operandsOfAssembly(operands) {
  let end = 0;
  const words = Object.entries(operands).map(([name, { type, offset }]) => {
    const size = type === 'f64' ? 8 : 4;
    end = Math.ceil(end / size) * size;
    if (offset !== end) throw new Error(`OPERANDS.${name}: expected offset ${end}, got ${offset}`);
    end += size;
    return `  ${name}!: ${type};\n`;
  });
  return `\n@unmanaged\nexport class Operands {\n${words.join('')}}\n`;
}

/** Returns the constants of SHARED by name. */
async function sharedConstants() {
  const found = {};
  for (const [module, names] of Object.entries(SHARED)) {
    const constants = await import(join(DIST, module));
    for (const name of names) found[name] = constants[name];
  }
  return found;
}

/** @param constants numbers by name */
function constantsOfAssembly(constants) {
  return Object.entries(constants)
    .map(([name, value]) => `\n@inline\nexport const ${name}: u32 = ${value};\n`)
    .join('');
}

/** The layouts that the sources of a folder name, and those that these extend: another layout of the CPU alone changes nothing for CUDA. */
function namedIn(folder, layouts) {
  const sources = readdirSync(folder, { recursive: true }).filter((name) => /^(?!build).*\.(cu|cuh|cc)$/.test(name));
  const words = new Set(
    sources.flatMap((name) => readFileSync(join(folder, name), 'utf8').match(/\w+Header\b/g) ?? []),
  );
  for (const { name, base } of layouts.toReversed()) if (base !== undefined && words.has(name)) words.add(base);
  return layouts.filter(({ name }) => words.has(name));
}

export function headersOfCuda(layouts) {
  const structs = layouts.map(({ name, base, own, size }) => {
    const words = own.map(([word, type]) => `  ${type === 'i32' ? 'int32_t' : 'uint32_t'} ${word};\n`);
    return `struct ${name}${base ? ` : ${base}` : ''} {\n${words.join('')}};\nstatic_assert(sizeof(${name}) == ${size});\n`;
  });
  const begin = '#pragma once\n\n#include <cstdint>\n\nnamespace sparlane {\n';
  return [MADE, begin, ...structs, '}  // namespace sparlane\n'].join('\n');
}

/** @param file below `assembly/` */
export function kernelsOf(file, text) {
  return [...text.matchAll(KERNEL)].map(([, name, types, size, header]) => ({
    file: file.replace(/\.ts$/, ''),
    name,
    parameters: types?.split(', '),
    isSized: size !== undefined,
    header,
  }));
}

export async function exportsOf(kernels, instances, layouts) {
  const rules = { ...(await import('#dist/formats/instances.js')), ...(await import('#dist/formats/format.js')) };
  const generic = new Map(
    kernels.filter(({ parameters }) => parameters !== undefined).map((kernel) => [kernel.name, kernel]),
  );
  const listed = instances.flatMap(({ layout, verbs, ...given }) => verbs.map((verb) => ({ layout, verb, ...given })));
  const nameOf = ({ layout, verb }) => `${layout}_${verb}`;
  for (const instance of listed)
    if (!generic.has(nameOf(instance)))
      throw new Error(`${nameOf(instance)}: assembly/ has no generic kernel of this name`);
  // Other generic functions of a range of units have names without a verb: allPasses.
  for (const name of generic.keys())
    if (name.includes('_') && !listed.some((instance) => nameOf(instance) === name))
      throw new Error(`${name}: expected its instances in a constant X_KERNELS of src/`);
  const made = listed.flatMap((instance) => instancesOf(generic.get(nameOf(instance)), instance, layouts, rules));
  const plain = kernels
    .filter(({ parameters }) => parameters === undefined)
    .map(({ file, name }) => `export { ${name} } from '../assembly/${file}';`);
  const used = new Set(['lanes', 'operands', ...listed.map((instance) => generic.get(nameOf(instance)).file)]);
  const imports = [...used].map((file) => `import * as ${moduleOf(file)} from '../assembly/${file}';`);
  return [MADE, ...imports, "import * as headers from './headers';", '', ...plain, '', ...made, ''].join('\n');
}

/** The name of a file's module: sell-spmm → sell_spmm_ */
function moduleOf(file) {
  return `${file.replaceAll(/\W/g, '_')}_`;
}

/** The exports of a generic kernel. Instances with the same types are one function with two names. */
function instancesOf(kernel, { layout, verb, types, columns, values, sizes }, layouts, rules) {
  const { file, name, parameters, isSized, header } = kernel;
  const byTypes = new Map();
  const isShared = layouts.some((one) => one.name === header);
  const type = header === 'usize' ? header : `${isShared ? 'headers' : moduleOf(file)}.${header}`;
  const choices = product(sizes, columns, values, Object.entries(rules.TYPES[types]));
  return choices.map(([size, bits = 32, stored = 'full', [word, letters]]) => {
    const base = size === undefined ? layout : layout.replace('N', size);
    const exported = [rules.layoutName({ base, columns: bits, values: stored }), verb, word].filter(Boolean).join('_');
    const special = rules.STORED_VALUES[stored];
    const given = {
      ...letters,
      I: rules.STORED_COLUMNS[bits],
      ...(special && { V: `${moduleOf('lanes')}.${special}` }),
    };
    const call = `${moduleOf(file)}.${name}<${parameters.map((letter) => given[letter]).join(', ')}>(${isSized ? `${size}, ` : ''}`;
    const alike = byTypes.get(call);
    if (alike !== undefined) return `export { ${alike} as ${exported} };`;
    byTypes.set(call, exported);
    return [
      `export function ${exported}(header: ${type}, operands: ${moduleOf('operands')}.Operands, begin: u32, end: u32): void {`,
      `  ${call}header, operands, begin, end);`,
      '}',
    ].join('\n');
  });
}

/** All choices of one element of each list; a list that is missing is one of undefined. */
function product(...lists) {
  return lists.reduce(
    (chosen, list = [undefined]) => chosen.flatMap((some) => list.map((one) => [...some, one])),
    [[]],
  );
}
