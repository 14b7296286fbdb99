/**
 * Products on a GPU and the CPU at once, on several GPUs, or in several memories of the CPU: for every division of the rows, y must be complete, and no
 * memory may stay allocated.
 */
import type { CsrMatrix } from '../core/csr.js';
import { DTYPES, type Dtype, vectorArray } from '../core/types.js';
import type { Engine } from '../engine/engine.js';
import { gallery } from '../gallery/registry.js';
import type { Distribution } from '../operators/row-partition.js';
import { compareProduct, expectedProduct } from './expected.js';
import { Findings } from './findings.js';
import { sampleVector } from './matrices.js';

/** From no rows, over products that consist only of latency, to products with work for both halves. */
const MATRICES: readonly [name: string, matrix: () => CsrMatrix][] = [
  ['no rows', () => gallery('dense', { rows: 0, cols: 3 })],
  ['one row', () => gallery('dense', { rows: 1, cols: 40 })],
  ['5-point 40²', () => gallery('laplace2d5', { nx: 40, ny: 40 })],
  ['5-point 700²', () => gallery('laplace2d5', { nx: 700, ny: 700 })],
  ['R-MAT 2¹⁶', () => gallery('rmat', { scale: 16 })],
  ['circuit', () => gallery('circuit', { n: 200_000, hubs: 2, hubLength: 50_000 })],
];

const FORMATS = ['auto', 'csr', 'sell?index=16', 'csr5'];

const FACTORS = [
  [1, 0],
  [-0.5, 2],
] as const;

/** Rows are divided over several GPUs, or over so many memories. Default: as the engine divides them. */
type Division = { readonly distribution?: Distribution; readonly memories?: number };

/** Checks products of divided rows. @param engine computes with `device: 'hybrid'`, on several GPUs, or on the CPU */
export function checkDivided(engine: Engine, divisions: readonly Division[] = [{}]): Findings {
  const findings = new Findings();
  for (const [name, make] of MATRICES) {
    const matrix = make();
    findings.about(name);
    for (const division of divisions) {
      for (const format of FORMATS) {
        for (const dtype of DTYPES) {
          const check = [format, dtype, ...Object.values(division)].join(' ');
          findings.attempt(check, () => checkOne(findings, engine, matrix, { format, dtype, ...division }, check));
        }
      }
    }
  }
  return findings;
}

interface Divided extends Division {
  readonly format: string;
  readonly dtype: Dtype;
}

function checkOne(findings: Findings, engine: Engine, matrix: CsrMatrix, options: Divided, name: string): void {
  const { heap } = engine;
  const bytesBefore = heap.bytesInUse;
  const { dtype } = options;
  const type = vectorArray(dtype);
  {
    using operator = engine.operator(matrix, options);
    using x = engine.vector(sampleVector(matrix.cols, 'real', 1), { dtype });
    using y = engine.vector(matrix.rows, { dtype });
    for (const [alpha, beta] of FACTORS) {
      const before =
        beta === 0 ? new type(matrix.rows).fill(Number.NaN) : type.from(sampleVector(matrix.rows, 'real', 2));
      const expected = expectedProduct(matrix, dtype, x.toArray(), before, alpha, beta);
      operator.apply(x, y.set(before), alpha, beta);
      const numbers = y.toArray();
      const wrong = compareProduct(expected, numbers).firstWrong;
      const check = `${name}, α = ${alpha}, β = ${beta}`;
      findings.expect(wrong < 0, check, () => `y[${wrong}] is ${numbers[wrong]}, not ${expected.y[wrong]}`);
    }
  }
  const kept = heap.bytesInUse - bytesBefore;
  findings.expect(kept === 0, `${name}, memory given back`, () => `${kept} bytes kept`);
}
