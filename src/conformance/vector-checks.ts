/** What vectors, scalars and recordings must do in every space: on a device, or in the heap. */

import { SparlaneError } from '../core/errors.js';
import { UNIT_ROUNDOFF } from '../core/norms.js';
import { type Dtype, type FloatArray, vectorArray } from '../core/types.js';
import type { Engine } from '../engine/engine.js';
import { gallery } from '../gallery/registry.js';
import type { Scalar } from '../memory/scalar.js';
import type { Vector } from '../memory/vector.js';
import { Findings } from './findings.js';
import { sampleVector } from './matrices.js';
import { checkRecordings } from './recording-checks.js';

/**
 * None, one, less than a warp, around a chunk of the heap's kernel, some blocks, enough for several threads, and more than one piece
 * for each multiprocessor.
 */
const LENGTHS = [0, 1, 31, 1023, 1024, 1025, 5000, 300_001, 1_300_001];

const DTYPES = ['f64', 'f32'] as const;

/** Long enough for a dot product of two pieces on a device; the longest is for devices only. */
const MAX_LENGTH = { brief: 5000, heap: 300_001, device: 1_300_001 };

/** In the engine's space: its device, or the heap where it has none. */
export function checkVectors(engine: Engine, brief = false): Findings {
  const findings = new Findings();
  for (const dtype of DTYPES) {
    for (const length of LENGTHS) {
      if (length > MAX_LENGTH[brief ? 'brief' : engine.space.heap === undefined ? 'device' : 'heap']) continue;
      findings.about(`${length} × ${dtype}`);
      findings.attempt('vectors', () => checkOperations(findings, engine, length, dtype));
    }
  }
  findings.about('scalars');
  findings.attempt('scalars', () => checkScalars(findings, engine));
  findings.about('recordings');
  findings.attempt('lists of operations', () => checkRecordings(findings, engine, brief));
  findings.attempt('conjugate gradients', () => checkConjugateGradients(findings, engine));
  findings.attempt('refusals', () => checkRefusals(findings, engine));
  return findings;
}

/** A vector of the engine's space. */
function vectorOf(engine: Engine, source: number | ArrayLike<number>, dtype: Dtype = 'f64'): Vector {
  return engine.vector(source, { dtype });
}

/** Integers: every result is exact, whatever the order of sums, and the same in f32. */
function checkOperations(findings: Findings, engine: Engine, length: number, dtype: Dtype): void {
  const [xs, ys] = [sampleVector(length, 'integer', 1), sampleVector(length, 'integer', 2)];
  using x = vectorOf(engine, xs, dtype);
  using y = vectorOf(engine, ys, dtype);
  using two = engine.scalar(2);
  using result = engine.scalar(7);
  const expected = Float64Array.from(ys);
  const same = (check: string) => {
    const wrong = y.toArray().findIndex((value, i) => value !== expected[i]);
    findings.expect(wrong < 0, check, () => `y[${wrong}] is ${y.toArray()[wrong]}, not ${expected[wrong]}`);
  };
  const step = (check: string, queue: () => void, of: (x: number, y: number) => number) => {
    queue();
    for (let i = 0; i < length; i++) expected[i] = of(xs[i]!, expected[i]!);
    same(check);
  };
  const sum = (of: (x: number, y: number) => number) => xs.reduce((total, value, i) => total + of(value, ys[i]!), 0);
  findings.expect(x.dot(y, result).value === sum((a, b) => a * b), 'dot', () => `is ${result.value}`);
  findings.expect(x.dot(x, result).value === sum((a) => a * a), 'dot with itself', () => `is ${result.value}`);
  findings.expect(x.norm(result).value === Math.sqrt(sum((a) => a * a)), 'norm', () => `is ${result.value}`);
  using other = engine.scalar();
  y.dots([x, y], [result, other]);
  findings.expect(result.value === sum((a, b) => a * b), 'first of two dots', () => `is ${result.value}`);
  findings.expect(other.value === sum((_, b) => b * b), 'second of two dots', () => `is ${other.value}`);
  step(
    'axpy',
    () => y.axpy(3, x),
    (a, b) => 3 * a + b,
  );
  step(
    'axpy by a scalar',
    () => y.axpy(two.times(-1), x),
    (a, b) => -2 * a + b,
  );
  step(
    'axpby',
    () => y.axpby(-1, x, two),
    (a, b) => -a + 2 * b,
  );
  using one = vectorOf(engine, new Float64Array(length).fill(1), dtype);
  step(
    'axpys',
    () => y.axpys([1, 2, two, -1, 3], [x, one, x, one, x]),
    (a, b) => b + 6 * a + 1,
  );
  step(
    'axpys with itself',
    () => y.axpys([1, -1, 1, 2], [x, one, y, x]),
    (a, b) => 2 * (b + a - 1) + 2 * a,
  );
  step(
    'scale',
    () => y.scale(two),
    (_, b) => 2 * b,
  );
  step(
    'multiply',
    () => y.multiply(x, y),
    (a, b) => a * b,
  );
  step(
    'multiply overwrites',
    () => y.fill(Number.NaN).multiply(x, x),
    (a) => a * a,
  );
  step(
    'overwrites',
    () => y.fill(Number.NaN).axpby(1, x, 0),
    (a) => a,
  );
  step(
    'copyFrom',
    () => y.fill(0).copyFrom(x),
    (a) => a,
  );
  if (length > 0) checkSums(findings, engine, length, dtype);
}

/** Real numbers: repeated sums have the same bits, and are near the sum from left to right. */
function checkSums(findings: Findings, engine: Engine, length: number, dtype: Dtype): void {
  const xs: FloatArray = vectorArray(dtype).from(sampleVector(length, 'real', 3));
  const ys: FloatArray = vectorArray(dtype).from(sampleVector(length, 'real', 4));
  using x = vectorOf(engine, xs, dtype);
  using y = vectorOf(engine, ys, dtype);
  using result = engine.scalar();
  let [sum, magnitude] = [0, 0];
  for (let i = 0; i < length; i++) {
    sum += xs[i]! * ys[i]!;
    magnitude += Math.abs(xs[i]! * ys[i]!);
  }
  const first = x.dot(y, result).value;
  const bound = 2 * length * UNIT_ROUNDOFF.f64 * magnitude;
  findings.expect(Math.abs(first - sum) <= bound, 'dot of reals', () => `is ${first}, not ${sum} ± ${bound}`);
  for (let time = 0; time < 3; time++) {
    const again = x.dot(y, result).value;
    findings.expect(Object.is(again, first), 'dot again', () => `is ${again}, was ${first}`);
  }
}

function checkScalars(findings: Findings, engine: Engine): void {
  using a = engine.scalar(6);
  using b = engine.scalar(-3);
  using result = engine.scalar();
  const expect = (check: string, scalar: Scalar, expected: number) =>
    findings.expect(scalar.value === expected, check, () => `is ${scalar.value}, not ${expected}`);
  expect('set', result.set(0.1), 0.1);
  expect('sum', result.setSum(a, b), 3);
  expect('sum with a number', result.setSum(a, 0.5), 6.5);
  expect('difference', result.setDifference(a, b.times(2)), 12);
  expect('product', result.setProduct(a, b), -18);
  expect('quotient', result.setQuotient(a, b), -2);
  expect('root', result.setRoot(a.times(1.5)), 3);
  expect('of itself', result.setProduct(result, result), 9);
}

const CG_SIZE = 40;
const CG_STEPS = 200;

/** Solves A x = b with A 5-point, each step one launch; then b − A x is small. */
function checkConjugateGradients(findings: Findings, engine: Engine): void {
  const matrix = gallery('laplace2d5', { nx: CG_SIZE, ny: CG_SIZE });
  const { rows } = matrix;
  using operator = engine.operator(matrix, { format: 'csr' });
  const b = sampleVector(rows, 'integer', 5);
  const vectors = [rows, b, b, rows].map((source) => vectorOf(engine, source));
  const [x, r, p, q] = vectors as [Vector, Vector, Vector, Vector];
  const scalars = Array.from({ length: 4 }, () => engine.scalar());
  const [rr, rrBefore, pq, alpha] = scalars as [Scalar, Scalar, Scalar, Scalar];
  const start = r.dot(r, rr).value;
  const graph = engine.record(() => {
    operator.apply(p, q);
    p.dot(q, pq);
    alpha.setQuotient(rr, pq);
    x.axpy(alpha, p);
    r.axpy(alpha.times(-1), q);
    rrBefore.setSum(rr, 0);
    r.dot(r, rr);
    alpha.setQuotient(rr, rrBefore);
    p.axpby(1, r, alpha);
  });
  findings.expect(rr.value === start, 'nothing runs while it is recorded', () => `(r, r) is ${rr.value}, not ${start}`);
  for (let step = 0; step < CG_STEPS; step++) graph.launch();
  findings.expect(rr.value < 1e-20 * start, 'converges', () => `(r, r) is ${rr.value} of ${start}`);
  r.set(b);
  operator.apply(x, r, -1, 1);
  const left = r.norm(rr).value;
  findings.expect(left < 1e-9 * Math.sqrt(start), 'solves', () => `‖b − A x‖ is ${left}, ‖b‖ ${Math.sqrt(start)}`);
  for (const one of [...vectors, ...scalars]) one.dispose();
  // A graph keeps the memory that it uses.
  graph.launch();
  engine.space.synchronize();
  graph.dispose();
}

/** What cannot be recorded, and vectors that do not fit, are refused, and the space goes on. */
function checkRefusals(findings: Findings, engine: Engine): void {
  using x = vectorOf(engine, [1, 2, 3]);
  using short = vectorOf(engine, 2);
  using single = vectorOf(engine, 3, 'f32');
  using scalar = engine.scalar();
  const disposed = vectorOf(engine, 3);
  disposed.dispose();
  const refusals: [check: string, code: string, attempt: () => unknown][] = [
    ['an upload is recorded', 'argument', () => engine.record(() => x.fill(0))],
    ['a download is recorded', 'argument', () => engine.record(() => x.toArray())],
    ['an allocation is recorded', 'argument', () => engine.record(() => vectorOf(engine, 3))],
    ['a value is recorded', 'argument', () => engine.record(() => scalar.value)],
    ['a change of a scalar is recorded', 'argument', () => engine.record(() => scalar.set(1))],
    ['a recording is recorded', 'argument', () => engine.record(() => engine.record(() => {}))],
    ['another length', 'shape', () => x.axpy(1, short)],
    ['another type', 'argument', () => x.dot(single, scalar)],
    ['a factor that is none', 'argument', () => x.scale(Number.NaN)],
    ['a disposed vector', 'argument', () => x.axpy(1, disposed)],
    ['more vectors than results', 'shape', () => x.dots([x, x], [scalar])],
  ];
  if (engine.device === 'cuda')
    refusals.push(['a wait is recorded', 'argument', () => engine.record(() => engine.space.synchronize())]);
  for (const [check, code, attempt] of refusals) {
    let thrown: unknown;
    try {
      attempt();
    } catch (error) {
      thrown = error;
    }
    const isRight = thrown instanceof SparlaneError && thrown.code === code;
    findings.expect(isRight, check, () => `expected an error of code ${code}, got ${thrown}`);
  }
  using graph = engine.record(() => x.scale(2));
  graph.launch();
  findings.expect(x.toArray().join() === '2,4,6', 'the space goes on', () => `x is ${x.toArray().join()}`);
}
