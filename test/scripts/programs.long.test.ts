/** The programs of README and of some documents, run as a reader would: they end by themselves, say nothing wrong, and print what the text promises. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gallery, save } from '#dist/index.node.js';
import { programsIn } from '../../scripts/programs.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** By a piece of the program: what it prints. */
const PROMISES: readonly (readonly [program: string, printed: RegExp])[] = [
  ['const { matrix, b } = applyDirichlet(', /^Float64Array\(4\) \[ 0, 1, \S+, \S+ \]\n$/],
  ["gallery('laplace2d5', { nx: 300, ny: 300 });\nconst b", /^true \d+ \d\.\d+e-(9|1\d) \[/],
  ["gallery('diffusion2d'", /^tolerance \d/],
  ["'convection2d', given);\nconst b", /^true tolerance \d+ \d\.\d+e-(9|1\d) \w+ \[/],
  ['await engine.solve(', /^tolerance 2 \d/],
  ['engine.exponential(grid', /^0\.0314\d+ 0\.0087\d+ 228\.\d+ 1585\.\d+\nFloat64Array\(3\) \[/],
  ['using solver = createSolver', /^\w+ \d/],
  ['using F = factor', /^(2|1\.9999999\d+|2\.0000000\d+) cholesky \d(\.\d+)?e-1\d /],
  ['solveAsync(engine, matrix, b', /tolerance 20000\n$/],
  ['console.log(`multigrid: ', /^multigrid: 17 iterations, each multiplies the residual by 0\.3\d\n$/],
  ['console.log(`elasticity: ', /^elasticity: 21 iterations, 3 levels, displaced by \d+\n$/],
  ['console.log(`time steps: ', /^time steps: (1?\d, ){3}1?\d iterations\n$/],
  ['console.log(`singular: ', /^singular: true, [12]\d iterations, mean 0\.000000\n$/],
  ['eigs(engine, matrix, 10)', /^Float64Array\(10\) \[\s+0\.00193\d+,[^\]]+\] 10 tolerance Float64Array/],
  ['svds(engine, links, 10)', /^Float64Array\(10\) \[[^\]]+\] 10 tolerance Float64Array\(10\)[\s\S]+\n4096 4096 10\n/],
  ['fiedler(engine, roads)', /^0\.00\d+ 600 1200 Uint32Array\(600\)/],
  [
    'using factors = factor',
    /^chebyshev 85 0\.0314\d+\n\{ value: 233\.\d+, error: 1\.\d+, products: 60 \}\n394\n1585\.\d+ 16\.\d+ /,
  ],
  ['console.log(`synchronous: ', /^synchronous: 6,7 1,2 true\n$/],
  ['cgMany(A, B)', /^\[ \d+, \d+, \d+, \d+ \]/],
  ['console.log(`grid: ', /^grid: 961 rows, 4681 entries\nwalk: sums up to 1\.000000000\nlaplacian: symmetric\n$/],
  [
    'console.log(`coarse: ',
    /^coarse: 961 rows, 8281 entries\nscaled: symmetric, 1 on the diagonal\nsolved: true, csr\n$/,
  ],
  [
    "console.log('galerkin:'",
    /\ngalerkin: 8,-1,-1,6\ngraphs: 3,-3,-3,3 13\nsolved: (tolerance,?){11}\ndirect: (0\.3654,){3}0\.1827,0\.1827\neigenvalues: 2\.2679 5\.7321\n/,
  ],
  ['console.log(`columns: ', /^columns: true\n$/],
  ['console.log(`projected: ', /^projected: true\n$/],
  ['console.log(`solved: ${alone', /^solved: true true true\n$/],
];

const programs: { readonly name: string; readonly text: string }[] = [
  'README.md',
  'docs/solving.md',
  'docs/multigrid.md',
  'docs/eigenvalues.md',
  'docs/algebra.md',
  'docs/blocks.md',
  'docs/coming-from.md',
  'docs/in-your-library.md',
].flatMap((document) => programsIn(ROOT, document));

let folder: string;
beforeAll(async () => {
  // Within the checkout, so that `sparlane` is the package itself.
  mkdirSync(join(ROOT, 'node_modules/.cache'), { recursive: true });
  folder = mkdtempSync(join(ROOT, 'node_modules/.cache/programs-'));
  const plain = join(folder, 'bcsstk13.mtx');
  await save(plain, gallery('laplace2d5', { nx: 30, ny: 30 }));
  writeFileSync(`${plain}.gz`, gzipSync(readFileSync(plain)));
  for (const { name, text } of programs) writeFileSync(join(folder, `${name}.mts`), text);
  // `using` is newer than some versions of Node. Types are checked by `check-types`.
  const files = programs.map(({ name }) => `${name}.mts`);
  const options = ['--noCheck', '--ignoreConfig', '--target', 'es2022', '--module', 'nodenext'];
  execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options, ...files], {
    cwd: folder,
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

test('every promise is of one program', () => {
  for (const [piece] of PROMISES) expect(programs.filter(({ text }) => text.includes(piece)).length).toBe(1);
});

test.each(programs)('$name', async ({ name, text }) => {
  const { code, stdout, stderr } = await run(join(folder, `${name}.mjs`));
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).not.toMatch(
    /\b(stagnated|breakdown|not-finite|not-definite|stopped|NaN|undefined)\b|^(true|false)? ?iterations\b/m,
  );
  for (const [piece, printed] of PROMISES) if (text.includes(piece)) expect(stdout).toMatch(printed);
});

function run(file: string): Promise<{ code: unknown; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [file], { cwd: folder, timeout: 150_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : (error.code ?? error.signal), stdout, stderr }),
    );
  });
}
