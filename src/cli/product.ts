/** One product of one matrix: set up, verified, and what is reported of it. `multiply` has one of them, `bench` many. */
import { compareProduct, type ExpectedProduct } from '../conformance/expected.js';
import type { CsrMatrix } from '../core/csr.js';
import type { Dtype, FloatArray } from '../core/types.js';
import { DeviceVector } from '../memory/device.js';
import type { Engine } from '../operators/engine.js';
import type { MatrixOperator } from '../operators/matrix-operator.js';
import type { Timing } from './timing.js';

/** What to multiply, and how. */
export interface Combination {
  /** As the command line names it. */
  readonly matrix: string;
  /** A format, or `auto`. */
  readonly requested: string;
  readonly dtype: Dtype;
  readonly threads: number;
}

export interface VerifiedProduct extends Disposable {
  readonly operator: MatrixOperator;
  /** After one product. */
  readonly y: FloatArray;
  /** Greatest |yᵢ − expectedᵢ| / (|A||x|)ᵢ. */
  readonly maxError: number;
  /** What is wrong with y; undefined where it is within the bound. */
  readonly fault: string | undefined;
  /** y ← A x, waited for. */
  readonly run: () => void;
}

/** Lays the matrix out, multiplies once and compares. */
export function prepareProduct(
  engine: Engine,
  matrix: CsrMatrix,
  { requested, dtype }: Combination,
  x: ArrayLike<number>,
  expected: ExpectedProduct,
): VerifiedProduct {
  const owned: Disposable[] = [];
  const own = <T extends Disposable>(resource: T): T => {
    owned.unshift(resource);
    return resource;
  };
  const dispose = () => {
    for (const resource of owned.splice(0)) resource[Symbol.dispose]();
  };
  try {
    const vectorType = dtype === 'f32' ? 'f32' : 'f64';
    const operator = own(engine.operator(matrix, { format: requested, dtype }));
    const { device } = engine;
    const vector = (source: number | ArrayLike<number>) =>
      own(device === undefined ? engine.vector(source, vectorType) : engine.deviceVector(source, vectorType));
    const from = vector(x);
    const to = vector(matrix.rows);
    const run = () => {
      operator.apply(from, to);
      device?.synchronize();
    };
    run();
    const y = to instanceof DeviceVector ? to.toArray() : to.data;
    const { maxError, firstWrong } = compareProduct(expected, y);
    const fault = faultAt(firstWrong, y, expected);
    return { operator, y, maxError, fault, run, [Symbol.dispose]: dispose };
  } catch (error) {
    dispose();
    throw error;
  }
}

/** What is wrong in the first row that is; undefined for −1, where none is. */
export function faultAt(row: number, y: FloatArray, expected: ExpectedProduct): string | undefined {
  if (row < 0) return undefined;
  return `y[${row}]: expected ${expected.y[row]} ± ${expected.tolerance[row]}, got ${y[row]}`;
}

/** The keys of `--json`; those up to `maxError` are a promise. */
export interface ProductReport {
  readonly matrix: string;
  readonly rows: number;
  readonly cols: number;
  readonly nnz: number;
  /** As requested, or, for `auto`, as chosen. */
  readonly format: string;
  readonly device: 'cpu' | 'cuda';
  readonly dtype: Dtype;
  readonly threads: number;
  readonly setupMs: number;
  readonly medianMs: number;
  readonly minMs: number;
  readonly gflops: number;
  readonly gbps: number;
  readonly bandwidthFraction: number;
  readonly maxError: number;
  readonly requested: string;
  readonly binary: string;
  readonly parts: number;
  readonly products: number;
  readonly spreadPercent: number;
  readonly bandwidthGbps: number;
}

export function reportProduct(
  engine: Engine,
  { matrix, requested, dtype, threads }: Combination,
  { operator, maxError }: VerifiedProduct,
  timing: Timing,
  bandwidthGbps: number,
): ProductReport {
  const { rows, cols, nnz } = operator.matrix;
  const { bytes, flops } = operator.matrix.cost();
  const { medianMs, minMs, spreadPercent, samples } = timing;
  const format = operator.decision === undefined ? requested : operator.matrix.spec;
  const gbps = bytes / medianMs / 1e6;
  return {
    ...{ matrix, rows, cols, nnz, format, device: engine.device === undefined ? 'cpu' : 'cuda', dtype, threads },
    ...{ setupMs: operator.setupMs, medianMs, minMs },
    ...{ gflops: flops / medianMs / 1e6, gbps, bandwidthFraction: gbps / bandwidthGbps, maxError },
    ...{
      requested,
      binary: engine.device?.info.name ?? engine.binary,
      parts: operator.plan.parts,
      products: samples,
      spreadPercent,
      bandwidthGbps,
    },
  };
}
