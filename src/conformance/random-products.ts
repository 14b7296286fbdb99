/**
 * Products with random matrices and random options (`random-cases.ts`), each compared with the sum of its definition. What a fixed list of cases
 * forgets to combine, chance combines.
 */
import { type CsrMatrix, csrMatrix } from '../core/csr.js';
import { SparlaneError } from '../core/errors.js';
import { type Dtype, rounded, vectorArray } from '../core/types.js';
import type { Engine } from '../engine/engine.js';
import { below, type RandomStream, randomStream, unit } from '../gallery/draw.js';
import { ByRowsOperator } from '../operators/by-rows.js';
import type { MatrixOperator } from '../operators/matrix-operator.js';
import type { LinearOperator } from '../operators/operator.js';
import { permuted } from '../operators/permuted.js';
import { compareProduct, expectedProduct } from './expected.js';
import { Findings } from './findings.js';
import { spoilFreeMemory } from './garbage.js';
import { pick, type RandomCase, randomCase } from './random-cases.js';
import { transposeOf } from './transposed-checks.js';

/** Exact in f32, so that the products of both precisions have the same factors. */
const FACTORS: readonly (readonly [alpha: number, beta: number])[] = [
  [1, 0],
  [-2, 0],
  [1, 1],
  [0.5, -0.25],
  [0, 2],
];
const COLUMNS = [1, 1, 2, 3, 4, 8, 9, 16];
const ROUNDS = 4;

export interface RandomOptions {
  /** Products to make at least; one with a block of k columns counts k times. */
  readonly products: number;
  /** The first case's seed; each case has the next one. Default 0. A failure names the seed of its case. */
  readonly seed?: number;
}

/** Runs random products; the findings name the seed and the options of a case that fails. */
export function checkRandomProducts(
  engine: Engine,
  { products, seed = 0 }: RandomOptions,
): Findings & { products: number } {
  const findings = Object.assign(new Findings(), { products: 0 });
  const onCpu = engine.device === 'cpu';
  const limits = { onCpu, severalMemories: onCpu && engine.team.servesOthers };
  for (let next = seed; findings.products < products; next++) {
    const random = randomStream(next, 'structure');
    const drawn = randomCase(random, limits);
    const { bytesInUse } = engine.heap;
    spoilFreeMemory(engine.heap);
    findings.about(`seed ${next}: ${drawn.text}`);
    findings.attempt('operator', () => {
      findings.products += checkCase(findings, engine, drawn, random);
    });
    const kept = engine.heap.bytesInUse - bytesInUse;
    findings.expect(kept === 0, 'memory given back', () => `${kept} bytes kept`);
  }
  return findings;
}

function checkCase(
  findings: Findings,
  engine: Engine,
  { source, options, inHeap }: RandomCase,
  random: RandomStream,
): number {
  const matrix = csrMatrix(source);
  using inside = inHeap ? engine.matrix(source) : undefined;
  const made = operatorOf(engine, inside ?? source, options);
  if (made === undefined) {
    findings.refused++;
    return 0;
  }
  using A = made;
  const { ordering } = A;
  // A permuted operator has no transpose of its own, and owns what it permutes.
  using acting = ordering === undefined ? undefined : permuted(A, ordering);
  const dtype = options.dtype ?? 'f64';
  let products = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const isTransposed = acting === undefined && below(random, 5) === 0;
    const operator = isTransposed ? transposedOf(engine, A, random) : (acting ?? A);
    const expected = isTransposed ? transposeOf(matrix) : matrix;
    const columns = acting === undefined ? pick(random, COLUMNS) : 1;
    checkProduct(findings, engine, { operator, matrix: expected, dtype, columns, random, isTransposed });
    products += columns;
  }
  if (ordering === undefined && below(random, 4) === 0) checkEntries(findings, A, matrix, dtype);
  return products;
}

/** Undefined if the drawn parameters of a format do not fit together, or not the matrix, or if a device has no kernel for it. `auto` takes every matrix. */
function operatorOf(
  engine: Engine,
  source: RandomCase['source'],
  options: RandomCase['options'],
): MatrixOperator | undefined {
  try {
    return engine.operator(source, options);
  } catch (error) {
    const isRefused = error instanceof SparlaneError && options.format !== undefined;
    if (isRefused && ['argument', 'shape', 'structure', 'fill-in', 'kernel'].includes(error.code)) return undefined;
    throw error;
  }
}

function transposedOf(engine: Engine, A: MatrixOperator, random: RandomStream): MatrixOperator {
  const [backend = engine.cpu] = engine.gpus;
  const parts = A instanceof ByRowsOperator ? A.parts : [{ operator: A }];
  const scatters = () => parts.every((part) => backend.computes(part.operator.matrix as never, 'spmv_t'));
  const isShared = below(random, 2) === 0 && scatters();
  return A.transposed(isShared ? { memory: 'shared' } : {});
}

interface Product {
  readonly operator: LinearOperator;
  readonly matrix: CsrMatrix;
  readonly dtype: Dtype;
  readonly columns: number;
  readonly random: RandomStream;
  readonly isTransposed: boolean;
}

function checkProduct(
  findings: Findings,
  engine: Engine,
  { operator, matrix, dtype, columns, random, isTransposed }: Product,
): void {
  const { rows, cols } = matrix;
  const [alpha, beta] = pick(random, FACTORS);
  const xs = numbers(random, dtype, cols * columns);
  const ys = beta === 0 ? numbers(random, dtype, rows * columns).fill(NaN) : numbers(random, dtype, rows * columns);
  const shape = columns === 1 ? ({ dtype } as const) : ({ dtype, columns, order: 'column' } as const);
  using x = engine.vector(xs, shape);
  using y = engine.vector(ys, shape);
  operator.apply(x, y, alpha, beta);
  const result = y.toArray({ order: 'column' });
  for (let j = 0; j < columns; j++) {
    const part = <A extends Float64Array | Float32Array>(all: A, n: number) => all.subarray(j * n, (j + 1) * n) as A;
    const expected = expectedProduct(matrix, dtype, part(xs, cols), part(ys, rows), alpha, beta);
    const got = part(result, rows);
    const { firstWrong } = compareProduct(expected, got);
    const what = `${isTransposed ? 'Aᵀ, ' : ''}${operator}, α = ${alpha}, β = ${beta}, column ${j} of ${columns}`;
    findings.expect(
      firstWrong < 0,
      what,
      () => `y[${firstWrong}] is ${got[firstWrong]}, not ${expected.y[firstWrong]}`,
    );
  }
}

function checkEntries(findings: Findings, A: MatrixOperator, matrix: CsrMatrix, dtype: Dtype): void {
  const { colIdx, values } = A.toCsr();
  const stored = rounded(matrix.values, dtype);
  const wrong = stored.findIndex((value, k) => !Object.is(values[k], value) || colIdx[k] !== matrix.colIdx[k]);
  const isWhole = values.length === stored.length;
  findings.expect(isWhole && wrong < 0, 'toCsr', () => `entry ${wrong} is ${values[wrong]}, not ${stored[wrong]}`);
}

function numbers(random: RandomStream, dtype: Dtype, length: number): Float64Array | Float32Array {
  return new (vectorArray(dtype))(length).map(() => (2 * unit(random) - 1) * 2 ** (below(random, 9) - 4));
}
