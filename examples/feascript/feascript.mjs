/**
 * The fin of FEAScript's example `heatConduction2DFin`, solved by FEAScript with mathjs, and with sparlane in its place (`fast-math.mjs`), on finer and finer
 * meshes: temperatures and CPU times.
 *
 * usage: node examples/feascript/feascript.mjs CHECKOUT [ELEMENTS,…]
 *   CHECKOUT   of github.com/FEAScript/FEAScript-core, after `npm install`: the package is not in every registry
 *   ELEMENTS   along the height of the fin, half of those along its length; default 4,8,16
 */
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createEngine } from 'sparlane';
import { fastMath } from './fast-math.mjs';

const [checkout, elements = '4,8,16'] = process.argv.slice(2);
const root = pathToFileURL(`${resolve(checkout)}/`);
const { FEAScriptModel } = await import(new URL('src/FEAScript.js', root));
const mathjs = createRequire(root)('mathjs');

const ROUNDS = 3;
/** Solves of both before the first that is timed, until their code is compiled. */
const WARM_UP = 30;

/** FEAScript logs while it works. */
for (const name of ['log', 'warn', 'error', 'time', 'timeEnd']) console[name] = () => {};
const print = (line) => void process.stdout.write(`${line}\n`);

function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The temperatures with a library of functions, and the time, of which `solveMs` is the time of the linear system. */
function solved(math, count) {
  let solveMs = 0;
  const timed =
    (name) =>
    (...args) => {
      const begin = cpuMs();
      const result = math[name](...args);
      solveMs += cpuMs() - begin;
      return result;
    };
  globalThis.math = { ...math, sparse: timed('sparse'), slu: timed('slu'), lusolve: timed('lusolve') };
  const model = new FEAScriptModel();
  model.setModelConfig('heatConductionScript');
  const mesh = { meshDimension: '2D', elementOrder: 'quadratic', maxX: 4, maxY: 2 };
  model.setMeshConfig({ ...mesh, numElementsX: 2 * count, numElementsY: count });
  model.addBoundaryCondition('0', ['constantTemperature', 200]);
  model.addBoundaryCondition('1', ['symmetry']);
  model.addBoundaryCondition('2', ['convection', 1, 20]);
  model.addBoundaryCondition('3', ['constantTemperature', 200]);
  model.setSolverMethod('lusolve');
  const begin = cpuMs();
  const { solutionVector } = model.solve();
  return { x: solutionVector.flat(), ms: cpuMs() - begin, solveMs };
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

const engine = await createEngine({ threads: 1 });
const fast = fastMath(engine, mathjs);
for (let k = 0; k < WARM_UP; k++) for (const math of [mathjs, fast]) solved(math, 4);
print('unknowns  mathjs, ms: all, system  sparlane, ms: all, system  ratios: all, system  greatest difference');
for (const count of elements.split(',').map(Number)) {
  const rounds = Array.from({ length: ROUNDS }, () => [solved(mathjs, count), solved(fast, count)]);
  const of = (number) => median(rounds.map(number)).toFixed(1);
  const times = [
    of(([own]) => own.ms),
    of(([own]) => own.solveMs),
    of(([, ours]) => ours.ms),
    of(([, ours]) => ours.solveMs),
  ];
  const ratios = [of(([own, ours]) => own.ms / ours.ms), of(([own, ours]) => own.solveMs / ours.solveMs)];
  const [own, ours] = rounds[0];
  const difference = Math.max(...own.x.map((value, i) => Math.abs(value - ours.x[i])));
  print([own.x.length, ...times, ...ratios, difference.toExponential(1)].join('  '));
}
await engine.dispose();
