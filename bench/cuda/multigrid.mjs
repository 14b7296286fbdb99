/**
 * Multigrid on a device and on the cores beside it: cg with amg, its set-up, which is on the CPU in both cases, and its iterations. The residual that cg gives is
 * recomputed from x.
 *
 * usage: npx bench cuda/multigrid [--problems 7-point,elasticity,5-point,mesh] [--quick] [--threads N] [--out FILE]
 */
import { appendFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { randomStream, unit } from '../../dist/gallery/draw.js';
import { cg, createEngine, gallery, parseGalleryUrl, precondition } from '../../dist/index.node.js';
import { print } from '../contenders.mjs';
import { blockModes } from '../multigrid/problems.mjs';
import { median } from '../times.mjs';

const { values: flags } = parseArgs({
  options: {
    problems: { type: 'string', default: '7-point,elasticity,5-point,mesh' },
    quick: { type: 'boolean', default: false },
    threads: { type: 'string', default: `${availableParallelism()}` },
    out: { type: 'string' },
  },
});

const PROBLEMS = [
  { name: '7-point', url: 'laplace3d7?nx=160&ny=160&nz=160', quick: 'laplace3d7?nx=16&ny=16&nz=16' },
  {
    ...{ name: 'elasticity', url: 'elasticity3d?nx=40&ny=40&nz=40', quick: 'elasticity3d?nx=6&ny=6&nz=6' },
    ...{ spec: 'amg?block=3&theta=0.02', modes: blockModes },
  },
  { name: '5-point', url: 'laplace2d5?nx=1000&ny=1000', quick: 'laplace2d5?nx=60&ny=50' },
  { name: 'mesh', url: 'delaunay?n=198000', quick: 'delaunay?n=3000' },
];
const CASES = [
  { dtype: 'f64', smoother: 'spai0' },
  { dtype: 'mixed', smoother: 'spai0' },
  { dtype: 'f64', smoother: 'chebyshev' },
];
const ROUNDS = flags.quick ? 1 : 3;
const SEED = 1;

const engines = {
  gpu: await createEngine({ device: 'cuda', threads: Number(flags.threads), onHint: () => {} }),
  cpu: await createEngine({ threads: Number(flags.threads), onHint: () => {} }),
};
print(`${engines.gpu.gpus[0].space.info.name}, ${flags.threads} threads`);
for (const problem of PROBLEMS.filter(({ name }) => flags.problems.split(',').includes(name))) {
  const { name: family, given } = parseGalleryUrl(`gallery:${flags.quick ? problem.quick : problem.url}`);
  const matrix = gallery(family, given);
  const random = randomStream(SEED, 'values');
  const b = Float64Array.from({ length: matrix.rows }, () => 0.5 + unit(random));
  const near = problem.modes === undefined ? {} : { nearNullSpace: problem.modes(given) };
  print(`${problem.name}: ${matrix.rows} rows, ${matrix.nnz} entries`);
  for (const { dtype, smoother } of CASES) {
    const base = problem.spec ?? 'amg';
    const spec = `${base}${base.includes('?') ? '&' : '?'}smoother=${smoother}`;
    for (const [place, engine] of Object.entries(engines))
      report({ problem: problem.name, place, spec, dtype, ...measure(engine, matrix, b, spec, { dtype, ...near }) });
  }
}
for (const engine of Object.values(engines)) await engine.dispose();

function measure(engine, matrix, b, spec, options) {
  const A = engine.operator(matrix);
  const right = engine.vector(b);
  const times = { setupMs: [], solveMs: [], updateMs: [] };
  let found;
  // The first round is not counted: code is compiled in it.
  for (let round = 0; round <= ROUNDS; round++) {
    const begin = performance.now();
    const M = precondition(engine, matrix, spec, options);
    const made = performance.now();
    const { x, iterations, relativeResidual, reason } = cg(A, right, { preconditioner: M });
    x.toArray();
    const solved = performance.now();
    M.update(matrix.values);
    const updated = performance.now();
    x.dispose();
    M.dispose();
    found = { iterations, relativeResidual, reason };
    if (round === 0) continue;
    times.setupMs.push(made - begin);
    times.solveMs.push(solved - made);
    times.updateMs.push(updated - solved);
  }
  right.dispose();
  A.dispose();
  return { ...Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)])), ...found };
}

function report(row) {
  const { place, spec, dtype, setupMs, solveMs, updateMs, iterations, relativeResidual, reason } = row;
  print(
    `  ${place.padEnd(4)} ${spec.padEnd(40)} ${dtype.padEnd(6)} set-up ${setupMs.toFixed(0).padStart(6)} update ${updateMs.toFixed(0).padStart(6)} cg ${solveMs.toFixed(1).padStart(8)} ms, ${iterations} iterations, ${relativeResidual.toExponential(1)} (${reason})`,
  );
  if (flags.out) appendFileSync(flags.out, `${JSON.stringify(row)}\n`);
}
