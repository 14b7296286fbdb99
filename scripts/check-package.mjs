/**
 * Checks the published packages as users get them: the manifests and types of the tarballs, the library alone, the
 * command line alone, both in one project, and the programs in the READMEs of the packages for other libraries. Prints
 * the number of packages that each of them installs, and their size. With `--runtimes`, other runtimes run the installed
 * packages, too.
 *
 * usage: npm run check:package      (after `npm run build`)
 *        npm run check:package -- --runtimes node20,node22,node24,node26,bun,deno
 */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { attempt, evaluate, inFolder, install, installedSize, pack, print, run } from './installed.mjs';
import { installRuntimes } from './runtimes.mjs';

const BIN = fileURLToPath(new URL('../node_modules/.bin', import.meta.url));

/** This program prints a sum, and before it each hint, as of threads that do not start. */
const PRODUCT = `
  import { createEngine, gallery } from 'sparlane';
  const engine = await createEngine({ threads: 2, onHint: ({ message }) => console.log(message) });
  const A = engine.operator(gallery('laplace2d5', { nx: 300, ny: 300 }));
  const y = engine.vector(A.rows);
  A.apply(engine.vector(A.cols).fill(1), y);
  console.log(y.data.reduce((sum, value) => sum + value, 0));
  await engine.dispose();`;
/** The same by the engine in a thread. */
const ASYNC_PRODUCT = `
  import { createAsyncEngine } from 'sparlane/async';
  const engine = await createAsyncEngine({ threads: 2 });
  const A = await engine.operator({ gallery: 'gallery:laplace2d5?nx=300&ny=300' });
  const y = await A.apply(new Float64Array(A.cols).fill(1));
  console.log(y.reduce((sum, value) => sum + value, 0));`;
/** Pictures, by their own entry. */
const PICTURES = `
  import { gallery } from 'sparlane';
  import { spy } from 'sparlane/pictures';
  const matrix = gallery('laplace2d5', { nx: 3, ny: 2 });
  console.log(spy(matrix).startsWith('<svg'), spy(matrix, { as: 'png' }).subarray(1, 4).join());`;
/** The addon is compiled by its users: before that, it says so. */
const MPI = `
  import { mpiStatus } from 'sparlane';
  console.log((await mpiStatus()).state);`;
/** Programs that use examples/optional-peer, a library with sparlane as an optional peer, by the way in which they load it. */
const PEER = (library, sparlane) => `
  const { accelerate, multiply } = ${library};
  const A = { rows: 2, cols: 2, rowPtr: [0, 1, 3], colIdx: [0, 0, 1], values: [2, 1, 3] };
  const y = [multiply(A, [1, 2])];
  accelerate().then((accelerated) => {
    const counts = { products: 0 };
    if (accelerated) countProducts(${sparlane}, counts);
    y.push(multiply(A, [1, 2]));
    console.log(accelerated, counts.products, y.join(' '));
  });
  function countProducts({ LinearOperator: { prototype } }, counts) {
    const { apply } = prototype;
    prototype.apply = function (...args) { counts.products++; return apply.apply(this, args); };
  }`;
const PEERS = {
  module: `import * as library from 'sparlane-optional-peer'; const sparlane = await import('sparlane').catch(() => {});
    ${PEER('library', 'sparlane')}`,
  commonjs: PEER("require('sparlane-optional-peer')", "require('sparlane')"),
};

/** So many packages are installed with the library, which is one of them, as the README says. */
const PACKAGES = 12;

/** This program prints how many native addons its process has loaded after a product on two threads. */
const ADDONS = `${PRODUCT}
  console.log(process.report.getReport().sharedObjects.filter((path) => path.endsWith('.node')).length);`;

/** Sum of A 1: each row of the boundary contributes the number of its missing entries. */
const SUM = '1200';

/** For npx: only installed packages, nothing from the registry. */
const SPARLANE = ['--no', '--', 'sparlane'];
const NO_COMMAND_LINE = 'npx @sparlane/cli';

/** Its addon is compiled from these by the user. */
const MPI_FILES = [
  ...['CMakeLists.txt', 'LICENSE', 'README.md', 'addon.c', 'calls.c', 'control.c', 'exchange.c', 'groups.c'],
  ...['guard.c', 'guarded.c', 'index.d.ts', 'index.js', 'lifeline.c', 'lifeline.h', 'mail.c', 'messages.c'],
  ...['package.json', 'sparlane-mpi.h', 'sparse.c'],
].map((file) => `package/${file}`);

/** Packages that connect another library, and what the first program of their README prints, without spaces, which runtimes set differently. */
const FRAMEWORKS = {
  '@sparlane/graphs': {
    needs: ['graphology@0.26', 'graphology-metrics@2'],
    prints: /^(0\.3103){2}\{a:0,b:0,c:0,d:1,e:1,f:1\}0\.4284true$/,
  },
  '@sparlane/mathjs': {
    needs: ['mathjs@15'],
    prints: /^(\[\[2\],\[4\],\[10\]\]){2}\[.*\]\[12,-24,140\]$/,
  },
  '@sparlane/tfjs': {
    needs: ['@tensorflow/tfjs-core@4', '@tensorflow/tfjs-backend-cpu@4'],
    prints: /Tensor\[\[1,0\],\[5,3\]\]Tensor\[\[1,1\],\[0,0\],\[5,5\]\]$/,
  },
};

const { values } = parseArgs({ options: { runtimes: { type: 'string', default: '' } } });

await inFolder((folder) => {
  const others = installRuntimes(join(folder, 'runtimes'), values.runtimes.split(',').filter(Boolean));
  /** This Node, and the others. */
  const runtimes = [{ name: `Node ${process.versions.node}`, command: undefined }, ...others];
  const tarballs = pack(folder);
  const { sparlane, '@sparlane/cli': cli, '@sparlane/mpi': mpi } = tarballs;
  for (const tarball of Object.values(tarballs)) run(folder, join(BIN, 'publint'), 'run', tarball, '--strict');
  const wasm = ['./kernels.simd.wasm', './kernels.relaxed-simd.wasm'];
  run(folder, join(BIN, 'attw'), sparlane, '--profile', 'esm-only', '--exclude-entrypoints', ...wasm);
  for (const name of Object.keys(FRAMEWORKS)) run(folder, join(BIN, 'attw'), tarballs[name], '--profile', 'esm-only');
  print('publint, attw: ok');
  expect('the files of @sparlane/mpi', run(folder, 'tar', '-tzf', mpi).trim().split('\n').sort(), MPI_FILES);

  // Turbopack takes one beside a script for the script: that of `sparlane/member` is in another folder.
  const declarations = run(folder, 'tar', '-tzf', sparlane)
    .split('\n')
    .filter((file) => file.endsWith('.d.cts'));
  expect('the declarations of CommonJS in sparlane', declarations, ['package/dist/execution/member.node.d.cts']);

  const library = join(folder, 'library');
  add(library, sparlane);
  checkProduct(library, runtimes);
  const { status, stderr } = attempt(library, 'node_modules/.bin/sparlane', 'formats');
  expect('sparlane without a command line', [status, stderr.includes(NO_COMMAND_LINE)], [2, true]);

  checkAddons(join(folder, 'addons'), sparlane);
  checkPeer(join(folder, 'peer'), sparlane, runtimes);

  const commands = join(folder, 'commands');
  add(commands, cli);
  checkCommands(commands);
  for (const { name, command } of others) checkMultiply(name, commands, command);

  // Both have a command `sparlane`, which must work in either order of installation.
  add(library, cli);
  add(commands, sparlane);
  for (const both of [library, commands]) {
    checkCommands(both);
    checkProduct(both, runtimes.slice(0, 1));
  }

  for (const [name, { needs, prints }] of Object.entries(FRAMEWORKS)) {
    const project = join(folder, name.slice(name.indexOf('/') + 1));
    add(project, sparlane, tarballs[name], ...needs);
    const program = firstProgram(join(project, 'node_modules', name, 'README.md'));
    for (const runtime of runtimes) {
      const said = evaluate(project, program, runtime.command).replaceAll(/\s|,(?=\s*[}\]])/g, '');
      if (!prints.test(said))
        throw new Error(`${runtime.name}, the program of ${name}: expected ${prints}, got ${said}`);
    }
  }

  const ranks = join(folder, 'ranks');
  add(ranks, sparlane, mpi);
  for (const { name, command } of runtimes)
    expect(`${name}, the state of MPI`, evaluate(ranks, MPI, command).trim(), 'cannot-load');
  print(`ran on ${runtimes.map(({ name }) => name).join(', ')}`);
});

/** The first block of JavaScript of a document. */
function firstProgram(document) {
  const [, program] = /^```js\n(.*?)^```$/ms.exec(readFileSync(document, 'utf8'));
  return program;
}

/** Installs packages, and prints the contents of the project afterwards. */
function add(project, ...added) {
  install(project, ...added);
  const { packages, bytes } = installedSize(project);
  const { dependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
  print(`${Object.keys(dependencies).join(', ')}: ${packages} packages, ${(bytes / 2 ** 20).toFixed(1)} MiB`);
}

function checkProduct(project, runtimes) {
  for (const { name, command } of runtimes) {
    for (const product of [PRODUCT, ASYNC_PRODUCT])
      expect(`${name}, the product of the installed library`, evaluate(project, product, command).trim(), SUM);
    expect(`${name}, pictures of the installed library`, evaluate(project, PICTURES, command).trim(), 'true 80,78,71');
  }
}

/** Checks that the library and the packages that it brings have no native addon. */
function checkAddons(project, sparlane) {
  install(project, sparlane);
  const files = readdirSync(join(project, 'node_modules'), { recursive: true });
  expect(
    'the native addons',
    files.filter((path) => path.endsWith('.node')),
    [],
  );
  expect('the native addons that are loaded', evaluate(project, ADDONS).trim(), `${SUM}\n0`);
  expect('the packages', installedSize(project).packages, PACKAGES);
}

/** Checks examples/optional-peer, installed alone and with the library. */
function checkPeer(project, sparlane, runtimes) {
  const example = fileURLToPath(new URL('../examples/optional-peer', import.meta.url));
  mkdirSync(project);
  const [{ filename }] = JSON.parse(run(project, 'npm', 'pack', example, '--ignore-scripts', '--json'));
  install(project, join(project, filename));
  expect(
    'sparlane, installed with a library to which it is optional',
    existsSync(join(project, 'node_modules/sparlane')),
    false,
  );
  for (const [added, printed] of [
    [[], 'false 0 2,7 2,7'],
    [[sparlane], 'true 1 2,7 2,7'],
  ]) {
    if (added.length > 0) install(project, ...added);
    for (const { name, command } of runtimes) {
      for (const [kind, program] of Object.entries(PEERS))
        expect(`${name}, ${kind}, an optional peer`, evaluate(project, program, command, kind).trim(), printed);
    }
  }
}

/** The command line of a project, on another runtime. */
function checkMultiply(name, project, command) {
  const bin = join(project, 'node_modules/@sparlane/cli/dist/bin.node.js');
  const { maxError } = JSON.parse(
    run(project, ...command, bin, 'multiply', 'gallery:laplace2d5?nx=50&ny=50', '--json'),
  );
  expect(`${name}, maxError of sparlane multiply`, maxError, 0);
}

function checkCommands(project) {
  const sparlane = (...args) => run(project, 'npx', ...SPARLANE, ...args);
  const { version } = JSON.parse(readFileSync(join(project, 'node_modules/@sparlane/cli/package.json'), 'utf8'));
  expect('sparlane --version', sparlane('--version').trim(), version);
  expect('sparlane formats', sparlane('formats').startsWith('format '), true);
  const { maxError } = JSON.parse(sparlane('multiply', 'gallery:laplace2d5?nx=50&ny=50', '--json'));
  expect('maxError of sparlane multiply', maxError, 0);
}

function expect(what, got, wanted) {
  const [shown, asked] = [got, wanted].map((value) => JSON.stringify(value));
  if (shown !== asked) throw new Error(`${what}: expected ${asked}, got ${shown}`);
}
