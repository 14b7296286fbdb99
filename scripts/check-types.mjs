/**
 * Compiles programs against the package as npm packs it, with the versions of TypeScript that users have: the programs
 * in the README and in docs/, and one that exports everything. Without `skipLibCheck`, so the package's declarations
 * are checked too.
 *
 * The package is unpacked without its dependencies, because its declarations must not need them.
 *
 * Every block ```js or ```ts of a document that imports from `sparlane` or one of its entries is a complete program. It
 * is compiled as a TypeScript module: for a page, with `dom`, if it imports `sparlane/async` and nothing of Node, else for Node, with
 * `@types/node`. Blocks with a file name behind the language are parts of a program; `check-bundlers.mjs` runs those.
 *
 * usage: npm run check:types      (after `npm run build`)
 */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packLibrary } from './installed.mjs';
import { programsIn } from './programs.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The packages that npm installs, by folder. */
const COMPILERS = { ts5: 'typescript@5.9', ts6: 'typescript@6', ts7: 'typescript@7' };
const NODE_TYPES = '@types/node@20';

const MODULES = {
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext', exactOptionalPropertyTypes: true },
  bundler: { module: 'esnext', moduleResolution: 'bundler', exactOptionalPropertyTypes: false },
};

/**
 * Compiler options for each platform. Programs in documents are for the first one; those of a page are for the last
 * one.
 */
const PLATFORMS = {
  node: { lib: ['es2022'], types: ['node'] },
  bare: { lib: ['es2022'], types: [] },
  page: { lib: ['es2022', 'dom', 'dom.iterable'], types: [] },
};

/** TypeScript 7 compiles all pairs. The others, which take ten times as long, have each kind of modules and each platform. */
const PAIRS = [
  ['nodenext', 'node'],
  ['bundler', 'bare'],
  ['bundler', 'page'],
];

/** Everything that is exported, and a use of each kind of export. */
const FOR_NODE = `
import { addMatrices, CsrBuilder, cg, cgMany, createEngine, createSolver, type Engine, type EngineOptions, factor, gallery, lsmr, type MatrixInput, openFile, pageRank, permuteVector, precondition, readMatrixMarket, solve } from 'sparlane';
export * from 'sparlane';
export * as member from 'sparlane/member';
export * as pictures from 'sparlane/pictures';
export * as worker from 'sparlane/worker';
const options: EngineOptions = { threads: 1, tuning: 'built-in' };
await using engine: Engine = await createEngine(options);
const coo: MatrixInput = { rows: 2, cols: 2, rowIdx: [1, 0], colIdx: Int32Array.of(0, 1) };
using A = engine.operator(coo, { dtype: 'f32' });
const x = engine.vector(A.cols, { dtype: 'f32' }).fill(1);
const y = new Float32Array(A.rows);
A.apply(x, y);
export const chosen: string = A.format;
export const reason: string = A.decision?.reason ?? 'named';
const builder = new CsrBuilder(3, 3, { symmetry: 'symmetric' });
builder.add(2, 0, 1.5);
export const entries: number = builder.build().nnz + gallery('laplace1d3', { nx: 9 }).nnz;
const rows = [[4, 1], [1, 3]];
using B = engine.operator(rows);
B.apply([1, 2], new Float64Array(2));
export const solved = [[1, 2], Float32Array.of(1, 2), Float64Array.of(1, 2)].map((b) => solve(engine, rows, b, { x0: [0, 0] }).x.toArray());
using solver = createSolver(engine, rows.map((row) => Float32Array.from(row)), { nullSpace: 'auto' });
solver.update([4, 1, 1, 3]);
using F = factor(engine, rows);
F.update([4, 1, 1, 3]);
export const direct: Float64Array = F.solve([1, 2]);
using M = precondition(engine, rows, 'ilu0');
M.update([4, 1, 1, 3]);
export const methods = [cg(B, [1, 2], { x0: [0, 0], preconditioner: M }), lsmr(B, [1, 2]), cgMany(B, [[1, 2], [3, 4]])];
export const both = [addMatrices(rows, rows).nnz, permuteVector([1, 2], [1, 0])[0], pageRank(engine, rows).ranks.length];
const { source, name } = await openFile('matrix.mtx');
export const file = await readMatrixMarket(source, { name });
`;

/** A server: the asynchronous engine, without the types of a page. */
const FOR_SERVERS = `
import { createAsyncEngine, type AsyncSolution, type MatrixSource } from 'sparlane/async';
import { type Engine, type MatrixOperator } from 'sparlane';
export * from 'sparlane/async';
const engine = await createAsyncEngine({ threads: 2, worker: new URL('file:///engine.js') });
const source: MatrixSource = { file: 'matrix.mtx' };
const A = await engine.operator(source, { dtype: 'f32' });
export const solution: AsyncSolution = await engine.solve(A, new Float64Array(A.rows), { onProgress: ({ iteration }) => iteration });
const small = [[4, 1], [1, 3]];
const C = await engine.operator(small);
export const product: Float64Array = await C.apply([1, 2]);
export const answer = await engine.solve(small, [1, 2], { x0: Float32Array.of(0, 0) });
const solver = await engine.solver(small);
await solver.update([4, 1, 1, 3]);
const factors = await engine.factor(small);
await factors.update([4, 1, 1, 3]);
export const answers = [(await solver.solve([1, 2])).x, (await factors.solve([1, 2])).x];
function* powers(engine: Engine, A: MatrixOperator, count: number): Generator<number, number[]> {
  for (let k = 0; k < count; k++) yield k;
  return [A.rows, engine.threads];
}
export const numbers: number[] = await engine.run(powers, [A, 3], { onProgress: (k: number) => k });
`;

const FOR_PAGES = `
import { createAsyncEngine, type MatrixSource } from 'sparlane/async';
export * from 'sparlane/async';
export * from 'sparlane';
await using engine = await createAsyncEngine({ signal: AbortSignal.timeout(1000), onHint: ({ message }) => console.warn(message) });
const source: MatrixSource = { file: new Blob([]), name: 'matrix.mtx' };
using A = await engine.operator(source, { format: 'csr' });
const x = await engine.vector(A.cols);
export const y: Float64Array = await A.apply(x.data.fill(1));
`;

const folder = mkdtempSync(join(tmpdir(), 'sparlane-types-'));
try {
  installPackage();
  installCompilers();
  const programs = writePrograms();
  const outcomes = await inTurn(compilations(programs));
  if (outcomes.includes(false)) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}

function installPackage() {
  const target = join(folder, 'node_modules', 'sparlane');
  mkdirSync(target, { recursive: true });
  run('tar', ['-xzf', packLibrary(folder), '-C', target, '--strip-components=1'], folder);
}

/** Installed in another folder than the package: npm would remove the package, which is not in a manifest. */
function installCompilers() {
  const compilers = join(folder, 'compilers');
  mkdirSync(compilers);
  writeFileSync(join(compilers, 'package.json'), '{ "private": true }\n');
  const aliases = Object.entries(COMPILERS).map(([name, version]) => `${name}@npm:${version}`);
  run(
    'npm',
    ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', ...aliases, NODE_TYPES],
    compilers,
  );
}

/** Writes all programs, and returns those of each platform. */
function writePrograms() {
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  const write = (name, text) => {
    writeFileSync(join(folder, name), text);
    return name;
  };
  const documents = documentNames().flatMap((document) => programsIn(ROOT, document));
  print(`${documents.length} programs in documents: ${documents.map(({ name }) => name).join(', ')}`);
  const written = documents.map(({ name, text }) => ({
    isPage: text.includes('sparlane/async') && !text.includes("'node:"),
    file: write(`${name}.ts`, text),
  }));
  const own = write('everything.ts', FOR_NODE);
  return {
    node: [own, write('server.ts', FOR_SERVERS), ...written.filter(({ isPage }) => !isPage).map(({ file }) => file)],
    bare: [own],
    page: [write('page.ts', FOR_PAGES), ...written.filter(({ isPage }) => isPage).map(({ file }) => file)],
  };
}

function documentNames() {
  const docs = join(ROOT, 'docs');
  const inDocs = existsSync(docs) ? readdirSync(docs).filter((name) => name.endsWith('.md')) : [];
  return ['README.md', ...inDocs.sort().map((name) => `docs/${name}`)];
}

function compilations(programs) {
  const all = Object.keys(MODULES).flatMap((modules) => Object.keys(PLATFORMS).map((platform) => [modules, platform]));
  return Object.keys(COMPILERS).flatMap((compiler) =>
    (compiler === 'ts7' ? all : PAIRS).map(([modules, platform]) => () => {
      const options = { ...MODULES[modules], ...PLATFORMS[platform] };
      return compile(`${compiler} ${modules} ${platform}`, compiler, options, programs[platform]);
    }),
  );
}

/** Whether the programs compile; prints their errors. */
async function compile(name, compiler, options, files) {
  const typeRoots = [join(folder, 'compilers', 'node_modules', '@types')];
  const compilerOptions = { strict: true, noEmit: true, target: 'es2022', typeRoots, ...options };
  const config = join(folder, `${name.replaceAll(' ', '-')}.json`);
  writeFileSync(config, JSON.stringify({ compilerOptions, files }));
  const tsc = join(folder, 'compilers', 'node_modules', compiler, 'bin', 'tsc');
  const { code, said } = await outcomeOf(process.execPath, [tsc, '--pretty', 'false', '-p', config]);
  print(`${name}, ${files.join(' ')}: ${code === 0 ? 'ok' : 'wrong'}\n${said}`.trim());
  return code === 0;
}

function outcomeOf(program, args) {
  return new Promise((resolve) => {
    execFile(program, args, { cwd: folder }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : error.code, said: stdout + stderr });
    });
  });
}

/** The results of tasks, of which one per core runs at a time. */
async function inTurn(tasks) {
  const results = [];
  const waiting = tasks.values();
  const work = async () => {
    for (const task of waiting) results.push(await task());
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return results;
}

/** The output of a program on stdout. */
function run(program, args, cwd) {
  return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
