/** One product of one matrix: setup, verification, and report. `multiply` has one of them, `bench` many. */
import { machineCosts } from '../choice/machine.js';
import { ComplexOperator, complexOperator } from '../complex/operator.js';
import { compareProduct, type ExpectedProduct } from '../conformance/expected.js';
import type { ComplexMatrix } from '../core/complex.js';
import type { CsrMatrix } from '../core/csr.js';
import { assemble } from '../core/owned.js';
import type { Dtype, FloatArray } from '../core/types.js';
import type { Engine } from '../engine/engine.js';
import type { Vector } from '../memory/vector.js';
import type { MatrixOperator } from '../operators/matrix-operator.js';
import { AUTO } from '../operators/operator-options.js';
import { deviceAlone } from './bandwidth.js';
import type { SampleTimes, Timed } from './timing.js';

/** The matrix, and how to multiply it. */
export interface Combination {
  /** The matrix as named on the command line. */
  readonly matrix: string;
  /** A format, or `auto`. */
  readonly requested: string;
  readonly dtype: Dtype;
  /** Null on a device. */
  readonly threads: number | null;
}

export interface VerifiedProduct extends Disposable {
  readonly operator: MatrixOperator;
  /** After one product. */
  readonly y: FloatArray;
  /** Maximum of |yᵢ − expectedᵢ| / (|A||x|)ᵢ. */
  readonly maxError: number;
  /** The error in y; undefined if y is within the bound. */
  readonly fault: string | undefined;
  /** y ← A x; resolves when it is done. */
  readonly run: () => void;
  /**
   * For timing. A device times by its own clock: with its caches emptied before each product, and right after another
   * one.
   */
  readonly timed: readonly Timed[];
}

/** Converts the matrix, multiplies once and compares. */
export function prepareProduct(
  engine: Engine,
  matrix: CsrMatrix | ComplexMatrix,
  { requested, dtype }: Combination,
  x: ArrayLike<number>,
  expected: ExpectedProduct,
): VerifiedProduct {
  return assemble((owned) => {
    const operator = owned.own(operatorOf(engine, matrix, requested, dtype));
    const vector = (source: number | ArrayLike<number>) => owned.own(engine.vector(source, { dtype }));
    const from = vector(x);
    const to = vector(operator.rows);
    const run = () => {
      operator.apply(from, to);
      engine.space.synchronize();
    };
    run();
    const y = engine.device === 'cuda' ? to.toArray() : to.data;
    const { maxError, firstWrong } = compareProduct(expected, y);
    const fault = faultAt(firstWrong, y, expected);
    return {
      operator,
      y,
      maxError,
      fault,
      run,
      timed: timedOf(engine, operator, from, to, run),
      [Symbol.dispose]: () => owned[Symbol.dispose](),
    };
  });
}

/** Of a complex matrix, `auto` is the default of `complexOperator`. */
function operatorOf(
  engine: Engine,
  matrix: CsrMatrix | ComplexMatrix,
  requested: string,
  dtype: Dtype,
): MatrixOperator {
  if (matrix.field !== 'complex') return engine.operator(matrix, { format: requested, dtype });
  const format = requested === AUTO ? {} : { format: requested };
  return complexOperator(engine, matrix, { ...format, dtype: dtype === 'f32' ? 'c64' : 'c128' });
}

function timedOf(
  engine: Engine,
  operator: MatrixOperator,
  x: Vector,
  y: Vector,
  run: () => void,
): VerifiedProduct['timed'] {
  const device = deviceAlone(engine);
  if (device === undefined) return [{ run }];
  const clock = (cold: boolean) => (calls: number) => device.time(() => operator.apply(x, y), calls, cold);
  return [
    { run, clock: clock(true) },
    { run, clock: clock(false) },
  ];
}

/** The error in the first wrong row; undefined for −1, if none is wrong. */
export function faultAt(row: number, y: FloatArray, expected: ExpectedProduct): string | undefined {
  if (row < 0) return undefined;
  return `y[${row}]: expected ${expected.y[row]} ± ${expected.tolerance[row]}, got ${y[row]}`;
}

/** The processors that compute, as reports name them. */
export interface Computer {
  readonly device: 'cpu' | 'cuda' | 'hybrid';
  /** The build of the kernels; on a device its name; in hybrid mode both. */
  readonly binary: string;
}

/** The keys of `--json`; those up to `maxError` are guaranteed. */
export interface ProductReport extends Computer {
  readonly matrix: string;
  readonly rows: number;
  readonly cols: number;
  readonly nnz: number;
  /** Only of a complex matrix, whose values are pairs of numbers. */
  readonly field?: 'complex';
  /** As requested, or for `auto` as chosen. */
  readonly format: string;
  readonly dtype: Dtype;
  /** Null on a device. */
  readonly threads: number | null;
  readonly setupMs: number;
  /** This and all times derived from it: on a device by its clock, with its caches emptied before each product. */
  readonly medianMs: number;
  readonly minMs: number;
  readonly gflops: number;
  readonly gbps: number;
  /** `gbps` / `bandwidthGbps`; not a share of the memory bandwidth if `inCache`. */
  readonly bandwidthFraction: number;
  readonly maxError: number;
  /** Whether the arrays of the product are in a cache of the CPU: see `isInCache`. */
  readonly inCache: boolean;
  readonly requested: string;
  readonly parts: number;
  readonly products: number;
  readonly spreadPercent: number;
  readonly bandwidthGbps: number;
  /** On a device, the median of consecutive products. */
  readonly warmMs?: number;
  /** On a device, random gathers of f64 per nanosecond, from an x of 16 MiB. */
  readonly gathersPerNs?: number;
}

/** Baselines measured with a product. */
export type Yardsticks = Pick<ProductReport, 'bandwidthGbps' | 'gathersPerNs'>;

export function computerOf({ device, gpus, binary }: Engine): Computer {
  if (device === 'cpu') return { device, binary };
  const { name } = gpus[0]!.space.info;
  return { device, binary: device === 'hybrid' ? `${binary} + ${name}` : name };
}

/** The threads of a product, including its caller; null if a device computes alone. */
export function threadsOf(engine: Engine): number | null {
  return deviceAlone(engine) === undefined ? engine.threads : null;
}

/** `timings` of the product's `timed`. */
export function reportProduct(
  engine: Engine,
  { matrix, requested, dtype, threads }: Combination,
  { operator, maxError }: VerifiedProduct,
  timings: readonly SampleTimes[],
  yardsticks: Yardsticks,
): ProductReport {
  const { rows, cols, nnz, ...field } = sizesOf(operator);
  const { bytes, flops } = operator.matrix.cost();
  const [timing, warm] = timings;
  const { medianMs, minMs, spreadPercent, samples } = timing!;
  const format = operator.decision === undefined && requested !== AUTO ? requested : operator.matrix.spec;
  const computer = computerOf(engine);
  const gbps = bytes / medianMs / 1e6;
  const bandwidthFraction = gbps / yardsticks.bandwidthGbps;
  const inCache = computer.device === 'cpu' && isInCache(bytes, bandwidthFraction);
  return {
    ...{ matrix, rows, cols, nnz, ...field, format, ...computer, dtype, threads },
    ...{ setupMs: operator.setupMs, medianMs, minMs },
    ...{ gflops: flops / medianMs / 1e6, gbps, bandwidthFraction, maxError, inCache },
    ...{ requested, parts: operator.plan.parts, products: samples, spreadPercent, ...yardsticks },
    ...(warm && { warmMs: warm.medianMs }),
  };
}

/** Those of the matrix: a complex operator is one of its real equivalent. */
function sizesOf(operator: MatrixOperator): Pick<ProductReport, 'rows' | 'cols' | 'nnz' | 'field'> {
  const { rows, cols, nnz } = operator.matrix;
  if (!(operator instanceof ComplexOperator)) return { rows, cols, nnz };
  return { rows: rows / 2, cols: cols / 2, nnz: nnz / 4, field: 'complex' };
}

/** Last-level cache of the cost model, in bytes. */
const [, CACHE_BYTES] = machineCosts(1).cacheBytes;

/**
 * A product that moves its bytes faster than this multiple of the memory bandwidth does not read them from memory;
 * smaller ratios are noise.
 */
const FASTER_THAN_MEMORY = 1.2;

/**
 * Whether a product on the CPU runs from a cache: its bytes fit in the last-level cache of the cost model, or they move faster
 * than the measured memory bandwidth.
 */
export function isInCache(bytes: number, bandwidthFraction: number): boolean {
  return bytes <= CACHE_BYTES || bandwidthFraction > FASTER_THAN_MEMORY;
}

/** `85 %` of the memory bandwidth, or `cache`. */
export function busShare({ inCache, bandwidthFraction }: Pick<ProductReport, 'inCache' | 'bandwidthFraction'>): string {
  return inCache ? 'cache' : `${(100 * bandwidthFraction).toFixed(0)} %`;
}
