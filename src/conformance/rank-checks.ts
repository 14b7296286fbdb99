/**
 * What ranks must do together, whatever they reach each other by: products and solves of a matrix that is dealt to them have the results
 * of one process. Every rank runs these checks at the same time, and finds the same.
 */
import { sliceRows } from '../algebra/rows.js';
import { transposeMatrix } from '../algebra/transpose.js';
import type { CsrMatrix } from '../core/csr.js';
import { SparlaneError } from '../core/errors.js';
import { DTYPES, type Dtype, vectorArray } from '../core/types.js';
import type { LinearOperator } from '../operators/operator.js';
import type { Communicator } from '../ranks/communicator.js';
import { type RankPartition, rowsOfRank } from '../ranks/partition.js';
import { compareProduct, expectedProduct } from './expected.js';
import { Findings } from './findings.js';
import { conformanceMatrices, type DataKind, sampleVector, withValues } from './matrices.js';

/** The first row of each rank, and the number of rows. */
type Deal = (rows: number, ranks: number) => Uint32Array;

/** The ways in which rows are dealt: evenly; ever more to the next rank; none to the first and the last one of three. */
export const DEALS: Readonly<Record<string, Deal>> = {
  even: (rows, ranks) => Uint32Array.from({ length: ranks + 1 }, (_, r) => Math.floor((rows * r) / ranks)),
  uneven: (rows, ranks) => Uint32Array.from({ length: ranks + 1 }, (_, r) => Math.floor(rows * (r / ranks) ** 2)),
  empty: (rows, ranks) => Uint32Array.from({ length: ranks + 1 }, (_, r) => (r > ranks / 2 ? rows : 0)),
};

/** α and β, exact in f32: results of integers are exact too. */
const FACTORS = [
  [1, 0],
  [-0.25, 0.5],
  [2, 1],
] as const;

export function dealt(matrix: CsrMatrix, deal: Deal, ranks: number): RankPartition {
  const bounds = deal(matrix.rows, ranks);
  return { ranks, bounds, name: 'natural', order: undefined, halo: [], imbalance: 1 };
}

/**
 * Products of all matrices of the suite.
 *
 * @param specs formats of both parts; all deals and dtypes, and products of the transpose, only with the first one
 * @param brief each deal of a matrix with one dtype only, and each format but the first with integers or real numbers only, in turn from one
 *   matrix to the next
 * @param every only each so manieth of the matrices, from the first one on
 */
export function checkRankProducts(
  comm: Communicator,
  specs: readonly string[],
  { brief = false, every = 1 }: { readonly brief?: boolean; readonly every?: number } = {},
): Findings {
  const findings = new Findings();
  const inUse = comm.engine.heap.bytesInUse;
  conformanceMatrices().forEach(({ name, matrix }, turn) => {
    if (turn % every !== 0) return;
    for (const kind of ['integer', 'real'] as const) {
      const sides = sidesOf(withValues(matrix, kind), kind);
      specs.forEach((spec, place) => {
        if (brief && place > 0 && (turn + place) % 2 !== (kind === 'real' ? 1 : 0)) return;
        const deals = place === 0 ? Object.entries(DEALS) : [['uneven', DEALS.uneven!] as const];
        deals.forEach(([how, deal], way) => {
          const one = place === 0 ? turn + way : place;
          const dtypes = place === 0 && !brief ? DTYPES : [DTYPES[one % DTYPES.length]!];
          for (const dtype of dtypes) {
            findings.about(`${name}, ${how}, ${kind}, ${dtype}, ${spec}`);
            const which = { spec, dtype, transposed: place === 0 };
            findings.attempt('product', () => checkProducts(findings, comm, sides, deal, which));
          }
        });
      });
    }
  });
  const left = comm.engine.heap.bytesInUse - inUse;
  findings.expect(left === 0, 'memory', () => `${left} bytes stay allocated`);
  return findings;
}

/** A matrix and its transpose, with a vector for each side. */
interface Sides {
  readonly kind: Exclude<DataKind, 'special'>;
  readonly matrix: CsrMatrix;
  readonly transpose: CsrMatrix;
  /** As long as x of A. */
  readonly right: Float64Array;
  /** As long as y of A. */
  readonly left: Float64Array;
}

function sidesOf(matrix: CsrMatrix, kind: Sides['kind']): Sides {
  const general: CsrMatrix = { ...matrix, symmetry: 'general' };
  const [right, left] = [sampleVector(matrix.cols, kind, 1), sampleVector(matrix.rows, kind, 2)];
  return { kind, matrix, transpose: transposeMatrix(general), right, left };
}

interface Which {
  readonly spec: string;
  readonly dtype: Dtype;
  readonly transposed: boolean;
}

function checkProducts(
  findings: Findings,
  comm: Communicator,
  sides: Sides,
  deal: Deal,
  { spec, dtype, transposed }: Which,
): void {
  const { matrix, left, right, kind } = sides;
  const { rank, size } = comm;
  const partition = dealt(matrix, deal, size);
  const colBounds = matrix.rows === matrix.cols ? partition.bounds : DEALS.even!(matrix.cols, size);
  const [rows, cols] = [partition.bounds, colBounds].map((bounds) => [bounds[rank]!, bounds[rank + 1]!] as const);
  using A = comm.operator(rowsOfRank(matrix, partition, rank), { format: spec, ghostFormat: spec, dtype });
  const of = { kind, dtype };
  checkProduct(findings, comm, A, { ...of, matrix, x: right, y: left, xRange: cols!, yRange: rows! });
  if (!transposed) return;
  const At = A.transposed();
  const product = { ...of, matrix: sides.transpose, x: left, y: right, xRange: rows!, yRange: cols! };
  checkProduct(findings, comm, At, product);
  findings.expect(A.transposed() === At && At.transposed() === A, 'transposed twice', () => 'another operator');
}

type Range = readonly [begin: number, end: number];

interface Product {
  readonly kind: Sides['kind'];
  readonly dtype: Dtype;
  /** All of it, and all of x and y. */
  readonly matrix: CsrMatrix;
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Elements of this rank. */
  readonly xRange: Range;
  readonly yRange: Range;
}

/** Each rank checks its elements of y. */
function checkProduct(findings: Findings, comm: Communicator, A: LinearOperator, product: Product): void {
  const { kind, dtype, matrix, xRange, yRange } = product;
  const type = vectorArray(dtype);
  const [xs, before] = [type.from(product.x), type.from(product.y.subarray(...yRange))];
  using x = comm.vector(xs.subarray(...xRange), { dtype });
  using y = comm.vector(before, { dtype });
  const rows = sliceRows({ ...matrix, symmetry: 'general' }, ...yRange);
  for (const [alpha, beta] of FACTORS) {
    const multiply = () => {
      if (beta === 0) y.fill(Number.NaN);
      else y.set(before);
      A.apply(x, y, alpha, beta);
      return y.toArray();
    };
    const got = multiply();
    const expected = expectedProduct(rows, dtype, xs, before, alpha, beta);
    const firstWrong =
      kind === 'integer'
        ? got.findIndex((value, i) => value !== expected.y[i])
        : compareProduct(expected, got).firstWrong;
    findings.expect(
      got.length === rows.rows && firstWrong < 0,
      `α = ${alpha}, β = ${beta}`,
      () => `y differs: ${firstWrong}`,
    );
    const again = multiply();
    findings.expect(
      again.every((value, i) => value === got[i]),
      'the same bits again',
      () => 'they differ',
    );
  }
  y.set(before);
  using recording = comm.space.record(() => A.apply(x, y, -0.5, 1));
  recording.launch();
  recording.launch();
  const launched = y.toArray();
  y.set(before);
  A.apply(x, y, -0.5, 1);
  A.apply(x, y, -0.5, 1);
  findings.expect(
    y.toArray().every((value, i) => value === launched[i]),
    'recorded',
    () => 'other bits',
  );
}

/** Sums over vectors of which each rank has a part, of unequal lengths, also none. */
export function checkRankVectors(comm: Communicator): Findings {
  const findings = new Findings();
  const { rank, size } = comm;
  for (const rows of [0, 1, size, 1025, 5000]) {
    findings.about(`${rows} elements`);
    const bounds = DEALS.uneven!(rows, size);
    const [first, end] = [bounds[rank]!, bounds[rank + 1]!];
    const [xs, ys] = [sampleVector(rows, 'integer', 1), sampleVector(rows, 'integer', 2)];
    const dot = (a: ArrayLike<number>, b: ArrayLike<number>) =>
      Array.from({ length: rows }, (_, i) => a[i]! * b[i]!).reduce((s, v) => s + v, 0);
    using x = comm.vector(xs.subarray(first, end));
    using y = comm.vector(ys.subarray(first, end));
    using s = comm.scalar();
    using t = comm.scalar();
    const is = (what: string, value: number, expected: number) =>
      findings.expect(value === expected, what, () => `${value} instead of ${expected}`);
    is('dot', x.dot(y, s).value, dot(xs, ys));
    is('norm', x.norm(s).value, Math.sqrt(dot(xs, xs)));
    x.dots([y, x], [s, t]);
    is('dots', s.value, dot(xs, ys));
    is('dots', t.value, dot(xs, xs));
    using recording = comm.space.record(() => {
      x.dot(y, s);
      s.setProduct(s, 2);
      x.dots([x, y], [t, t]);
    });
    recording.launch();
    recording.launch();
    is('recorded dot', s.value, 2 * dot(xs, ys));
    is('recorded dots', t.value, dot(xs, ys));
    checkBlocks(
      findings,
      comm,
      [xs.subarray(first, end), ys.subarray(first, end)],
      [dot(xs, xs), dot(xs, ys), dot(ys, ys)],
    );
  }
  return findings;
}

/** Sums of blocks of two columns. */
function checkBlocks(
  findings: Findings,
  comm: Communicator,
  columns: readonly [Float64Array, Float64Array],
  [xx, xy, yy]: readonly number[],
): void {
  const [left, right] = columns;
  using block = comm.vector(Float64Array.of(...left, ...right), { columns: 2, order: 'column' });
  using gram = comm.vector(2, { columns: 2 });
  using s = comm.scalar();
  using t = comm.scalar();
  block.gram(block, gram);
  const got = [...gram.toArray()];
  findings.expect(
    [xx, xy, xy, yy].every((value, i) => value === got[i]),
    'gram',
    () => got.join(),
  );
  block.columnDots(block, [s, t]);
  findings.expect(s.value === xx && t.value === yy, 'columnDots', () => `${s.value}, ${t.value}`);
}

function isRefused(call: () => unknown): boolean {
  try {
    call();
  } catch (error) {
    return error instanceof SparlaneError && error.code === 'argument';
  }
  return false;
}

/** What ranks tell each other, whatever its size. */
export function checkRankCalls(comm: Communicator): Findings {
  const findings = new Findings();
  const { rank, size } = comm;
  const is = (what: string, holds: boolean) => findings.expect(holds, what, () => 'it is not');
  const ranks = Array.from({ length: size }, (_, r) => r);
  for (const length of [0, 1, 13, 14, 15, 5000, 40_000]) {
    findings.about(`${length} numbers`);
    const sums = comm.allreduce(Float64Array.from({ length }, (_, i) => i + rank));
    is('sum', sums.length === length && sums.every((value, i) => value === size * i + (size * (size - 1)) / 2));
    const maxima = comm.allreduce(
      Float64Array.from({ length }, (_, i) => (i % size === rank ? i : -1)),
      'max',
    );
    is(
      'maximum',
      maxima.every((value, i) => value === i),
    );
    const root = length % size;
    const told = comm.broadcast(
      Uint32Array.from({ length }, (_, i) => (rank === root ? 3 * i : 7)),
      root,
    );
    is(
      'broadcast',
      told.every((value, i) => value === 3 * i),
    );
    const all = comm.allgather(new Float32Array(length * rank).fill(rank + 0.5));
    const expected = ranks.flatMap((r) => new Array<number>(length * r).fill(r + 0.5));
    is('allgather', all.length === expected.length && all.every((value, i) => value === expected[i]));
    // Every other rank gets nothing from the others.
    const sizeOf = (to: number) => (to % 2 === 0 ? length : 0);
    const parts = comm.alltoall(ranks.map((to) => new Float64Array(sizeOf(to)).fill(size * rank + to)));
    const isFrom = (part: Float64Array, from: number) => part.every((value) => value === size * from + rank);
    is(
      'alltoall',
      parts.length === size && parts.every((part, from) => part.length === sizeOf(rank) && isFrom(part, from)),
    );
    const gathered = comm.gather(new Float64Array(length).fill(rank), root);
    const isWhole = (part: Float64Array, from: number) =>
      part.length === length && part.every((value) => value === from);
    is('gather', gathered.length === (rank === root ? size : 0) && gathered.every(isWhole));
    const scattered = comm.scatter(
      rank === root ? ranks.map((to) => new Float64Array(length).fill(to)) : undefined,
      root,
    );
    is('scatter', isWhole(scattered, rank));
    comm.barrier();
  }
  is('minimum', comm.allreduce(rank, 'min') === 0 && comm.allreduce(Float64Array.of(-rank, 3), 'min')[0] === 1 - size);
  is('number', comm.allreduce(rank) === (size * (size - 1)) / 2);
  is('NaN', Number.isNaN(comm.allreduce(rank === 0 ? Number.NaN : 1, 'max')));
  // Rounded differently in any other order than that of the tree.
  const thirds = comm.allreduce(1 / (3 + rank));
  const same = comm.allgather(Float64Array.of(thirds));
  is(
    'the same bits on all ranks',
    same.every((value) => value === thirds),
  );
  findings.about('started reductions');
  for (let turn = 0; turn < 5; turn++) {
    const started = comm.startAllreduce(Float64Array.of(1 / (3 + rank), turn), turn === 3 ? 'max' : 'sum');
    // Other calls may come in between.
    if (turn % 2 === 0) comm.barrier();
    const blocking = comm.allreduce(Float64Array.of(1 / (3 + rank), turn), turn === 3 ? 'max' : 'sum');
    const reduced = started.wait();
    is(
      'the bits of allreduce',
      reduced.every((value, i) => value === blocking[i]),
    );
    is('the same again', started.wait() === reduced);
  }
  const least = comm.startAllreduce(rank + 1, 'min');
  is(
    'one at a time',
    isRefused(() => comm.startAllreduce(1)),
  );
  is('number that was started', least.wait() === 1);
  is(
    'few numbers',
    isRefused(() => comm.startAllreduce(new Float64Array(15))),
  );
  return findings;
}
