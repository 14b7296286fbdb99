/**
 * The figures of docs/in-your-library.md: CPU time of a process that starts an engine, and of products with arrays and with vectors of the engine beside a loop in
 * JavaScript, in turn on one thread. CPU time, because it says most on a machine with other work. In a checkout with CUDA, the start of an engine also loads that addon.
 *
 * usage: npx bench library [--small]      (after `npm run build`)
 */
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { multiplyByLoop } from '../examples/optional-peer/own-loop.cjs';
import { inFolder, print } from '../scripts/installed.mjs';
import { describeMachine } from './machine.mjs';
import { cpuMs, median } from './times.mjs';

const { values: flags } = parseArgs({ options: { small: { type: 'boolean', default: false } } });
const PROCESSES = flags.small ? 1 : 15;
const ROUNDS = flags.small ? 1 : 21;
/** A contender multiplies at least so many entries in a round. */
const ENTRIES = flags.small ? 1e5 : 2e6;
/** The matrices are 5-point grids of n² for each n. */
const GRIDS = flags.small ? [10] : [6, 10, 14, 20, 40, 100, 300];

/** Returns a program that prints the CPU time of each of its `STEPS` in ms. */
const startOf = (module, start) => `
  const times = [];
  const timed = async (step) => {
    const before = process.cpuUsage();
    const result = await step();
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
    return result;
  };
  const library = await timed(() => import(${JSON.stringify(module)}));
  const engine = await timed(() => library.${start});
  await timed(() => engine.operator([[2, 0], [1, 3]]).apply([1, 1], new Float64Array(2)));
  await timed(() => library.${start});
  process.stdout.write(JSON.stringify(times), () => process.exit());`;

/** These steps of a program are timed, and are the columns of the table. */
const STEPS = ['import', 'engine', 'first product', 'another engine'];

function timesOfStart(program) {
  const runs = Array.from({ length: PROCESSES }, () =>
    JSON.parse(execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })),
  );
  return STEPS.map((_, step) => median(runs.map((times) => times[step])).toFixed(0));
}

async function starts(folder) {
  execFileSync(process.execPath, ['examples/one-file/build.mjs', folder], { cwd: new URL('..', import.meta.url) });
  const node = new URL('../dist/node/index.js', import.meta.url).href;
  print(`\n| CPU time of a process, ms | ${STEPS.join(' | ')} |\n| --- |${' ---: |'.repeat(STEPS.length)}`);
  for (const [name, program] of [
    ['`sparlane`, one thread', startOf(node, 'createEngine({ threads: 1 })')],
    ['`sparlane`, two threads', startOf(node, 'createEngine({ threads: 2 })')],
    ['`examples/one-file`, one thread', startOf(`${folder}/fast.mjs`, 'startEngine()')],
  ])
    print(`| ${[name, ...timesOfStart(program)].join(' | ')} |`);
}

/** Returns the mean CPU time of many calls in µs. */
function cpuMicroseconds(call, calls) {
  const before = cpuMs();
  for (let k = 0; k < calls; k++) call();
  return ((cpuMs() - before) * 1000) / calls;
}

async function products() {
  const { createEngine, gallery } = await import('../dist/node/index.js');
  const engine = await createEngine({ threads: 1 });
  print(
    '\n| 5 points, entries | loop, µs | loop / arrays | loop / vectors of the engine |\n| ---: | ---: | ---: | ---: |',
  );
  for (const n of GRIDS) {
    const matrix = gallery('laplace2d5', { nx: n, ny: n });
    const A = engine.operator(matrix);
    const x = new Float64Array(matrix.cols).fill(1);
    const own = [engine.vector(x), engine.vector(matrix.rows)];
    const contenders = [
      () => multiplyByLoop(matrix, x),
      () => A.apply(x, new Float64Array(matrix.rows)),
      () => A.apply(...own),
    ];
    const times = contenders.map(() => []);
    const calls = Math.max(20, Math.ceil(ENTRIES / matrix.nnz));
    for (let round = 0; round < ROUNDS; round++)
      for (const [k, call] of contenders.entries()) times[k].push(cpuMicroseconds(call, calls));
    const [loop, arrays, vectors] = times.map(median);
    print(`| ${matrix.nnz} | ${loop.toFixed(2)} | ${(loop / arrays).toFixed(2)} | ${(loop / vectors).toFixed(2)} |`);
  }
}

print(JSON.stringify(await describeMachine()));
await inFolder(starts);
await products();
