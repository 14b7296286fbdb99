/**
 * What ranks must do together, whatever they reach each other by: products and solves of a matrix that is dealt to them have the results
 * of one process. Every rank runs these checks at the same time, and finds the same.
 */
import { sliceRows } from '../algebra/rows.js';
import { transposeMatrix } from '../algebra/transpose.js';
import type { CsrMatrix } from '../core/csr.js';
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
