/** What `docs/in-your-library.md` tells the maintainer of another library: its examples, in ES modules and in CommonJS, with sparlane and without. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PEER = fileURLToPath(new URL('../../examples/optional-peer/', import.meta.url));
const ONE_FILE = fileURLToPath(new URL('../../examples/one-file/', import.meta.url));
const DOCUMENT = new URL('../../docs/in-your-library.md', import.meta.url);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sparlane-library-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** What a program in a file prints. */
async function run(program: string, name: string, ...flags: string[]): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, program);
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...flags, file], { cwd: folder });
  expect(stderr).not.toMatch(/Error/);
  return stdout.trim();
}

test('the document has the files of the examples as they are', async () => {
  const document = await readFile(DOCUMENT, 'utf8');
  const blocks = [...document.matchAll(/^```\w+ (\S+\/\S+)\n([\s\S]*?)^```$/gm)];
  expect(blocks.map(([, file]) => file)).toEqual([
    'optional-peer/package.json',
    'optional-peer/index.js',
    'optional-peer/by-engine.cjs',
    'one-file/fast.js',
    'one-file/build.mjs',
  ]);
  for (const [, file, text] of blocks) {
    const source = await readFile(join(ROOT, 'examples', file!), 'utf8');
    // The manifest in part, lines of code without the comment of the file.
    if (file!.endsWith('.json')) expect(JSON.parse(source)).toMatchObject(JSON.parse(text!));
    else expect(source).toMatch(new RegExp(`^(/\\*\\*[\\s\\S]*?\\*/\\n)?${escaped(text!)}$`));
  }
});

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

describe('the synchronous engine', () => {
  test('of require, without top-level await', async () => {
    const program = `
      const { createEngine, solve } = require(${JSON.stringify(join(ROOT, 'dist/node/index.js'))});
      createEngine({ threads: 1 }).then((engine) => {
        const y = new Float64Array(2);
        engine.operator([[4, 1], [1, 3]]).apply([1, 2], y);
        console.log(y.join(), solve(engine, [[4, 1], [1, 3]], [6, 7]).x.data.join());
      });`;
    expect(await run(program, 'require.cjs')).toMatch(
      /^6,7 (1|0\.99999999\d*|1\.00000000\d*),(2|1\.99999999\d*|2\.00000000\d*)$/,
    );
  });

  test('of the build for pages, in Node', async () => {
    const kernels = join(ROOT, 'dist/kernels/kernels.simd.wasm');
    const program = `
      import { readFileSync } from 'node:fs';
      import { createEngine } from ${JSON.stringify(join(ROOT, 'dist/index.browser.js'))};
      const wasm = new WebAssembly.Module(readFileSync(${JSON.stringify(kernels)}));
      const hints = [];
      const onHint = ({ name }) => hints.push(name);
      const engine = await createEngine({ threads: 1, wasm, binary: 'simd' });
      const y = new Float64Array(2);
      engine.operator([[4, 1], [1, 3]]).apply([1, 2], y);
      const { threads } = await createEngine({ threads: 2, wasm, binary: 'simd', onHint });
      console.log(y.join(), threads, hints.join());`;
    expect(await run(program, 'pages.mjs')).toBe('6,7 1 not-isolated');
  });
});

describe('examples/optional-peer', () => {
  const LAPLACE =
    '{ rows: 3, cols: 3, rowPtr: [0, 2, 5, 7], colIdx: [0, 1, 0, 1, 2, 1, 2], values: [2, -1, -1, 2, -1, -1, 2] }';
  const PRODUCTS = `
    const A = ${LAPLACE};
    const products = [multiply(A, [1, 2, 4])];
    const found = [accelerate(), accelerate()];
    Promise.all(found).then((found) => {
      for (let k = 0; k < 3; k++) products.push(multiply(A, [1, 2, 4]));
      console.log(found.join(), products.join(' '), typeof count === 'undefined' ? '' : count);
    });`;
  const EXPECTED = Array(4).fill('0,-1,6').join(' ');

  /** Counts the products of sparlane. */
  const counted = (library: string) => `
    let count = 0;
    const { apply } = ${library}.LinearOperator.prototype;
    ${library}.LinearOperator.prototype.apply = function (...args) { count++; return apply.apply(this, args); };`;
  const programs = (example: string, library?: string) => ({
    'peer.mjs': `
      import { accelerate, multiply } from ${JSON.stringify(join(example, 'index.js'))};
      ${library === undefined ? '' : `import * as sparlane from ${JSON.stringify(library)};${counted('sparlane')}`}
      ${PRODUCTS}`,
    'peer.cjs': `
      const { accelerate, multiply } = require(${JSON.stringify(join(example, 'index.cjs'))});
      ${library === undefined ? '' : counted(`require(${JSON.stringify(library)})`)}
      ${PRODUCTS}`,
  });

  test.each(['peer.mjs', 'peer.cjs'] as const)('without sparlane: its own loop: %s', async (name) => {
    const alone = join(folder, 'alone');
    await cp(PEER, alone, { recursive: true });
    expect(await run(programs(alone)[name], name)).toBe(`false,false ${EXPECTED}`);
  });

  test.each(['peer.mjs', 'peer.cjs'] as const)('with sparlane: its products: %s', async (name) => {
    const library = join(ROOT, 'dist/node/index.js');
    expect(await run(programs(PEER, library)[name], name)).toBe(`true,true ${EXPECTED} 3`);
  });

  test.each(['vite', 'rolldown'])('without sparlane, %s bundles it all the same', async (bundler) => {
    const project = join(folder, bundler);
    await cp(PEER, join(project, 'node_modules/sparlane-optional-peer'), {
      recursive: true,
    });
    const input = join(project, 'program.js');
    const program = `import { accelerate, multiply } from 'sparlane-optional-peer';${PRODUCTS}`;
    await writeFile(input, program);
    if (bundler === 'vite') {
      const lib = { entry: input, formats: ['es' as const], fileName: () => 'built.js' };
      await build({
        root: project,
        configFile: false,
        logLevel: 'error',
        build: { lib, outDir: project, emptyOutDir: false },
      });
    } else {
      const bundle = await rolldown({ input, cwd: project, onLog: () => {} });
      await bundle.write({ file: join(project, 'built.js') });
      await bundle.close();
    }
    expect(await run(await readFile(join(project, 'built.js'), 'utf8'), `${bundler}.mjs`)).toBe(
      `false,false ${EXPECTED}`,
    );
  });

  test('the memory of the engine is freed with the matrices of the library', async () => {
    const program = `
      import { accelerate, multiply } from ${JSON.stringify(join(PEER, 'index.js'))};
      import { gallery, LinearOperator } from ${JSON.stringify(join(ROOT, 'dist/node/index.js'))};
      const { apply } = LinearOperator.prototype;
      const used = [];
      LinearOperator.prototype.apply = function (...args) { used.push(this.space.heap.bytesInUse); return apply.apply(this, args); };
      await accelerate();
      for (let k = 0; k < 30; k++) {
        const A = { ...gallery('laplace2d5', { nx: 50, ny: 50 }) };
        multiply(A, new Float64Array(A.cols));
        await new Promise((turn) => setTimeout(turn));
        gc();
        await new Promise((turn) => setTimeout(turn, 10));
      }
      console.log(Math.max(...used) / used[0]);`;
    expect(Number(await run(program, 'collected.mjs', '--expose-gc'))).toBeLessThan(10);
  });
});

describe('examples/one-file', () => {
  const USE = `
    startEngine().then((engine) => {
      const y = new Float64Array(2);
      engine.operator([[4, 1], [1, 3]]).apply([1, 2], y);
      console.log(engine.threads, y.join());
    });`;

  test.each([
    ['esm', 'fast.mjs', "import { startEngine } from './fast.mjs';"],
    ['cjs', 'fast.cjs', "const { startEngine } = require('./fast.cjs');"],
  ])('%s: imports nothing, and computes', async (format, file, load) => {
    await promisify(execFile)(process.execPath, [join(ONE_FILE, 'build.mjs'), folder, format]);
    const text = await readFile(join(folder, file), 'utf8');
    // In a folder without packages, and without the files of the library.
    expect(/\bimport\(|\brequire\(/.test(text)).toBe(false);
    expect(await run(`${load}${USE}`, `use-${file}`)).toBe('1 6,7');
  });
});
