/**
 * What kernels are compiled from beside `assembly/` and `cuda/`, made from the descriptions in `src/`, in the folder `build/`:
 *
 *     headers.ts    a class for each layout of a header (`X_HEADER`)
 *     headers.h     the same as structs, for CUDA
 *     index.ts      the exports of the kernels' module: kernels that are not generic, and the instances (`X_KERNELS`) of those that are
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SRC = join(ROOT, 'src');
const DIST = join(ROOT, 'dist');
const ASSEMBLY = join(ROOT, 'assembly');
const MADE = '// Made by scripts/describe-kernels.mjs.';

/** A kernel of `assembly/`: its name, type parameters, whether a size comes first, the class of its header. */
const KERNEL =
  /^export function (\w+)(?:<([\w, ]+)>)?\((size: u32, )?header: (\w+), operands: Operands, begin: u32, end: u32\): void \{$/gm;

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
  const layouts = layoutsOf(described);
  const instances = Object.entries(described).flatMap(([name, list]) => (name.endsWith('_KERNELS') ? list : []));
  const sources = readdirSync(ASSEMBLY, { recursive: true }).filter((name) => name.endsWith('.ts'));
  const kernels = sources.sort().flatMap((file) => kernelsOf(file, readFileSync(join(ASSEMBLY, file), 'utf8')));
  const made = {
    'build/headers.ts': headersOfAssembly(layouts),
    'build/headers.h': headersOfCuda(layouts),
    'build/index.ts': await exportsOf(kernels, instances, layouts),
  };
  mkdirSync('build', { recursive: true });
  for (const [path, text] of Object.entries(made))
    if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
  return Object.keys(made);
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

/** Layouts in an order in which each one comes after its base. `X_Y_HEADER` describes the class `XYHeader`. */
export function layoutsOf(described) {
  return Object.entries(described)
    .filter(([name]) => name.endsWith('_HEADER'))
    .map(([name, words]) => ({
      name: name.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter) => letter.toUpperCase()),
      words: Object.entries(words),
    }))
    .sort((p, q) => p.words.length - q.words.length || (p.name < q.name ? -1 : 1));
}

/** The longest layout with which another one begins, if any: what is computed for it can be computed for both. */
function baseOf({ words }, layouts) {
  const isPrefix = ({ words: first }) =>
    first.length < words.length && first.every((word, k) => `${word}` === `${words[k]}`);
  return layouts.findLast(isPrefix);
}

export function headersOfAssembly(layouts) {
  const classes = layouts.map((layout) => {
    const { base, own } = ownOf(layout, layouts);
    const words = own.map(([name, type]) => `  ${name}!: ${type};\n`);
    return `@unmanaged\nexport class ${layout.name}${base ? ` extends ${base.name}` : ''} {\n${words.join('')}}\n`;
  });
  return [MADE, ...classes].join('\n');
}

export function headersOfCuda(layouts) {
  const structs = layouts.map((layout) => {
    const { base, own } = ownOf(layout, layouts);
    const words = own.map(([name, type]) => `  ${type === 'i32' ? 'int32_t' : 'uint32_t'} ${name};\n`);
    const size = `static_assert(sizeof(${layout.name}) == ${4 * layout.words.length});`;
    return `struct ${layout.name}${base ? ` : ${base.name}` : ''} {\n${words.join('')}};\n${size}\n`;
  });
  return [
    MADE,
    '#pragma once\n\n#include <cstdint>\n\nnamespace sparlane {\n',
    ...structs,
    '}  // namespace sparlane\n',
  ].join('\n');
}

function ownOf(layout, layouts) {
  const base = baseOf(layout, layouts);
  return { base, own: layout.words.slice(base?.words.length ?? 0) };
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
