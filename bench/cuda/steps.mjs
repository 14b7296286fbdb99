/**
 * A step of conjugate gradients on the device, three ways: with a round trip for each dot product, with its scalars on
 * the device, and recorded as a graph. Microseconds per step by the host's clock, over many steps with one wait at the
 * end. Then a step of `cg` with jacobi, by the difference of a long and a short solve, beside the time that the bytes of
 * its operations take at the bandwidth measured in the same run.
 *
 * usage: npx bench cuda/steps [--edges 100,300,1000,2000] [--dtype f64] [--steps 200] [--plain PROGRAM]
 *   --plain: `steps.cu`, compiled: the same step by cuSPARSE and plain kernels, beside ours
 */
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { cg, createEngine, gallery, precondition } from '../../dist/index.node.js';
import { benchVector, print } from '../contenders.mjs';
import { median } from '../times.mjs';

const { values: flags } = parseArgs({
  options: {
    edges: { type: 'string', default: '100,300,1000,2000' },
    dtype: { type: 'string', default: 'f64' },
    steps: { type: 'string', default: '200' },
    plain: { type: 'string' },
  },
});

const ROUNDS = 5;
/** Smaller systems are solved before the steps are over. */
const LEAST_EDGE = 300;
/** Vectors that a step of cg with jacobi reads and writes beside its product: two updates, M, three dot products, and the new direction. */
const SOLVER_VECTORS = 2 * 3 + 3 + (2 + 2 + 1) + 3;
const steps = Number(flags.steps);
const engine = await createEngine({ device: 'cuda', threads: 1 });
const stream = engine.gpus[0].space.createReadStream(2 ** 30);
const bytesPerUs = stream.bytes / (1e3 * median([...stream.clock(ROUNDS)]));

for (const edge of flags.edges.split(',').map(Number)) {
  const matrix = gallery('laplace2d5', { nx: edge, ny: edge });
  const system = setUp(matrix);
  const graph = engine.record(() => step(system));
  const ways = {
    'round trips': () => stepWithRoundTrips(system),
    queued: () => step(system),
    'as a graph': () => graph.launch(),
  };
  const us = Object.entries(ways).map(([name, run]) => `${name} ${measure(system, run).toFixed(1)} µs`);
  print(`5-point ${edge}², ${flags.dtype}: ${us.join(', ')}`);
  graph.dispose();
  if (edge >= LEAST_EDGE) printSolverStep(system, matrix);
  for (const one of Object.values(system)) one.dispose?.();
}
await engine.dispose();

function setUp(matrix) {
  const { rows } = matrix;
  const b = benchVector(rows);
  const vector = (source) => engine.vector(source, { dtype: flags.dtype });
  const [x, r, p, q] = [rows, b, b, rows].map(vector);
  const [rr, rrBefore, pq, ratio] = [0, 0, 0, 0].map((value) => engine.scalar(value));
  return { b, operator: engine.operator(matrix, { dtype: flags.dtype }), x, r, p, q, rr, rrBefore, pq, ratio };
}

function restart({ b, x, r, p, rr }) {
  x.fill(0);
  r.set(b);
  p.set(b);
  r.dot(r, rr);
}

function step({ operator, x, r, p, q, rr, rrBefore, pq, ratio }) {
  operator.apply(p, q);
  p.dot(q, pq);
  ratio.setQuotient(rr, pq);
  x.axpy(ratio, p);
  r.axpy(ratio.times(-1), q);
  rrBefore.setSum(rr, 0);
  r.dot(r, rr);
  ratio.setQuotient(rr, rrBefore);
  p.axpby(1, r, ratio);
}

function stepWithRoundTrips({ operator, x, r, p, q, rr, pq }) {
  operator.apply(p, q);
  const before = rr.value;
  const alpha = before / p.dot(q, pq).value;
  x.axpy(alpha, p);
  r.axpy(-alpha, q);
  p.axpby(1, r, r.dot(r, rr).value / before);
}

function printSolverStep({ operator, b }, matrix) {
  const M = precondition(engine, matrix, 'jacobi', { dtype: flags.dtype });
  const right = engine.vector(b, { dtype: flags.dtype });
  // A solve ends at a check: its steps are a few more than it was asked for.
  const solveOf = (maxIterations) => {
    const solves = Array.from({ length: ROUNDS }, () => {
      const begin = performance.now();
      const { iterations } = cg(operator, right, { preconditioner: M, rtol: 1e-300, maxIterations });
      return { iterations, us: 1000 * (performance.now() - begin) };
    });
    return solves.reduce((best, solve) => (solve.us < best.us ? solve : best));
  };
  solveOf(16);
  const [short, long] = [solveOf(16), solveOf(16 + steps)];
  const us = (long.us - short.us) / (long.iterations - short.iterations);
  const vectorBytes = SOLVER_VECTORS * operator.rows * right.type.BYTES_PER_ELEMENT;
  const boundUs = (operator.matrix.cost().bytes + vectorBytes) / bytesPerUs;
  const format = operator.matrix.spec;
  print(
    `  cg with jacobi, ${format}: ${us.toFixed(1)} µs, ${(us / boundUs).toFixed(2)} × its bytes at ${(bytesPerUs / 1e3).toFixed(0)} GB/s${besidePlain(us, Math.sqrt(operator.rows))}`,
  );
  right.dispose();
  M.dispose();
}

/** The time beside that of plain kernels. */
function besidePlain(us, edge) {
  if (flags.plain === undefined) return '';
  const plain = JSON.parse(execFileSync(flags.plain, [`${edge}`], { encoding: 'utf8' }));
  return `, ${(us / plain.us).toFixed(2)} × the ${plain.us.toFixed(1)} µs of plain kernels`;
}

function measure(system, run) {
  const times = Array.from({ length: ROUNDS }, () => {
    restart(system);
    engine.space.synchronize();
    const begin = performance.now();
    for (let count = 0; count < steps; count++) run();
    engine.space.synchronize();
    return (1000 * (performance.now() - begin)) / steps;
  });
  return median(times);
}
