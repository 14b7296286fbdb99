/**
 * Triangular solves on a device: ic0 by packs of super-rows (STS-k), by level sets and by Jacobi sweeps, with preconditioners that need
 * none beside them. For each one the time of z ← M⁻¹ r by the clock of the device, the iterations and the time of cg, and its set-up. A
 * solve in stages is verified against the one on the CPU. With --methods also other widths and limits of narrow stages.
 *
 * usage: npx bench cuda/triangular [--matrices 5-point,27-point,mesh] [--quick] [--methods] [--out FILE]
 */
import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { randomStream, unit } from '../../dist/gallery/draw.js';
import { cg, createEngine, gallery, parseGalleryUrl, precondition } from '../../dist/index.node.js';
import { print } from '../contenders.mjs';
import { median, time } from '../times.mjs';

const { values: flags } = parseArgs({
  options: {
    matrices: { type: 'string', default: '5-point,27-point,mesh' },
    quick: { type: 'boolean', default: false },
    methods: { type: 'boolean', default: false },
    out: { type: 'string' },
  },
});

/** `quick`: of the same kind, small, for use under slow tools such as sanitizers. */
const MATRICES = [
  { name: '5-point', url: 'laplace2d5?nx=1000&ny=1000', quick: 'laplace2d5?nx=60&ny=50' },
  { name: '27-point', url: 'laplace3d27?nx=64&ny=64&nz=64', quick: 'laplace3d27?nx=14&ny=14&nz=14' },
  { name: 'mesh', url: 'delaunay?n=198000', quick: 'delaunay?n=3000' },
];
const STAGED = [
  ...[1, 4, 16, 80].map((size) => `ic0?solve=sts3&superRowSize=${size}`),
  'ilu0?solve=sts3&superRowSize=4',
  'ic0?solve=levels',
];
const OTHERS = ['amg', 'amg?smoother=chebyshev', 'ic0?solve=sweeps', 'fsai', 'chebyshev', 'jacobi'];
const METHODS = [1, 2, 4, 8, 16, 32].flatMap((width) => [0, 4, 16].map((narrow) => ({ width, narrow })));
const METHOD_SPECS = ['ic0?solve=sts3&superRowSize=1', 'ic0?solve=sts3&superRowSize=16', 'ic0?solve=levels'];

const SAMPLES = flags.quick ? 2 : 20;
const SEED = 1;
const TOLERANCE = 1e-10;

const engine = await createEngine({ device: 'cuda', threads: 8, onHint: () => {} });
const onCpu = await createEngine({ threads: 8, onHint: () => {} });
const device = engine.gpus[0];
const plan = device.plan.bind(device);
print(device.space.info.name);
for (const { name, url, quick } of MATRICES.filter((one) => flags.matrices.split(',').includes(one.name))) {
  const { name: family, given } = parseGalleryUrl(`gallery:${flags.quick ? quick : url}`);
  const matrix = gallery(family, given);
  const random = randomStream(SEED, 'values');
  const b = Float64Array.from({ length: matrix.rows }, () => 0.5 + unit(random));
  print(`${name}: ${matrix.rows} rows, ${matrix.nnz} entries`);
  for (const spec of STAGED) verify(matrix, b, spec);
  for (const spec of [...STAGED, ...OTHERS])
    report({ kind: 'solver', matrix: name, spec, ...measure(matrix, b, spec) });
  for (const spec of flags.methods ? METHOD_SPECS : []) compareMethods(name, matrix, b, spec);
}
await engine.dispose();
await onCpu.dispose();

function verify(matrix, r, spec) {
  const [z, expected] = [engine, onCpu].map((on) => {
    const M = precondition(on, matrix, spec);
    const result = new Float64Array(matrix.rows);
    M.apply(r, result);
    M.dispose();
    return result;
  });
  const largest = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const distance = z.reduce((most, value, i) => Math.max(most, Math.abs(value - expected[i])), 0);
  if (!(distance <= TOLERANCE * largest)) throw new Error(`${spec}: ${distance / largest} from the solve on the CPU`);
}

function measure(matrix, b, spec) {
  const M = precondition(engine, matrix, spec);
  const A = engine.operator(matrix);
  const right = engine.vector(b);
  const { stages, setupMs } = M.explain();
  const applyUs = timeOf((r, z) => M.apply(r, z), b);
  const solve = () => {
    const { x, iterations, reason, relativeResidual } = cg(A, right, { preconditioner: M });
    x.dispose();
    return { iterations, reason, relativeResidual };
  };
  const outcome = solve();
  const cgMs = time(solve);
  for (const each of [M, A, right]) each.dispose();
  return { applyUs, stages, setupMs, ...outcome, cgMs };
}

/** Microseconds of z ← M⁻¹ r, as a graph. */
function timeOf(apply, b) {
  const [r, z] = [engine.vector(b), engine.vector(b.length)];
  const graph = engine.record(() => apply(r, z));
  graph.launch();
  const us = 1000 * median(device.space.time(() => graph.launch(), SAMPLES, false));
  for (const each of [graph, r, z]) each.dispose();
  return us;
}

/** Plans of one set of factors, by each method. */
function compareMethods(name, matrix, b, spec) {
  const plans = [];
  device.plan = (stored, verb, options) => {
    for (const { width, narrow } of METHODS) {
      const method = `stages?width=${width}&narrow=${narrow}`;
      plans.push({ method, made: plan(stored, verb, { ...options, method }) });
    }
    return plan(stored, verb, options);
  };
  const M = precondition(engine, matrix, spec);
  device.plan = plan;
  for (const { method, made } of plans) {
    report({ kind: 'method', matrix: name, spec, method, applyUs: timeOf((r, z) => made.run(r, z, 1, 0), b) });
    made[Symbol.dispose]();
  }
  M.dispose();
}

function report(line) {
  const {
    spec,
    method = '',
    applyUs,
    stages = '',
    iterations = '',
    cgMs,
    setupMs,
    reason = 'tolerance',
    relativeResidual,
  } = line;
  const more =
    cgMs === undefined ? method : `${iterations} iterations, cg ${cgMs.toFixed(0)} ms, set-up ${setupMs.toFixed(0)} ms`;
  const note = reason === 'tolerance' ? '' : `, ${reason} at ${relativeResidual.toExponential(1)}`;
  print(`  ${spec.padEnd(32)} ${applyUs.toFixed(1).padStart(9)} µs  ${`${stages}`.padStart(5)} stages  ${more}${note}`);
  if (flags.out) appendFileSync(flags.out, `${JSON.stringify(line)}\n`);
}
