/**
 * What a storage format is to the rest of the library. A new one is `assembly/X.ts`, `src/formats/X.ts`,
 * `test/formats/X.test.ts` and its line in `registry.ts`; nothing else knows a format by name.
 *
 * Every matrix enters as CSR (the hub) and leaves as entries; there is no conversion between two formats.
 */
import type { CsrMatrix } from '../core/csr.js';
import { CsrBuilder } from '../core/csr-builder.js';
import { type ErrorCode, mismatch, SparlaneError } from '../core/errors.js';
import type { Parameters, ParameterValues } from '../core/parameters.js';
import type { Tuning } from '../core/tuning.js';
import { type Dtype, vectorArray } from '../core/types.js';
import type { Heap } from '../memory/heap.js';
import type { Examined, Features } from './features.js';

/** What one product y ← A x costs at least: every array of the matrix, x and y moved once. */
export interface Cost {
  readonly bytes: number;
  /** 2 · nnz; padding is not work. */
  readonly flops: number;
}

/** How many entries of a layout lie side by side, and the parameter that says so: `csr5 omega`. */
export interface Lanes {
  readonly parameter: string;
  readonly count: number;
}

/** What the CPU's kernels take of layouts that could have another number of lanes, for a device. */
export const CPU_LANES = 4;

/**
 * One kernel over a range of units. A product is one stage or several, one after the other: a format built of two (HYB is
 * ELL and COO) has the stages of both.
 */
export interface Stage {
  /** Its kernels are named `<kernel>_spmv_<dtype>`. */
  readonly kernel: string;
  /** Address of the header block: all that a kernel needs to know. */
  readonly header: number;
  /** Indivisible pieces (rows, super-rows, …) that a kernel takes a range of. */
  readonly units: number;
  /** Work of the units before `unit`, in entries or what costs as much; ascends from 0. Parts are balanced by it. */
  workBefore(unit: number): number;
  /** Adds to what the stages before it left in y: its β is 1, whatever the caller's. Default: false. */
  readonly adds?: boolean;
  /**
   * Units may end amid a row. The kernel then leaves the row and its sum so far in the part's carry slot, and they are
   * added in the order of the parts (`execution/carries.ts`). Default: false.
   */
  readonly carries?: boolean;
  /** Parts per thread at least, where there are several threads. Default: 1. */
  readonly oversubscription?: number;
  /** Of a layout whose lanes are a parameter. Default: as the CPU's kernels have them. */
  readonly lanes?: Lanes;
}

/**
 * Work below which a product stays on the caller. At 100 k entries of a 5-point Laplacian a second thread that stands by
 * makes 58 µs 30; one that has to be woken makes 60 µs 73, and pays from 300 k on. (2 cores of an AMD EPYC Zen 4, Node 20,
 * f64, November 2026.)
 */
export const ALONE_BELOW = 100_000;

/**
 * What the bits of y depend on beside the matrix and the vectors.
 *
 * - `nothing`: neither the parts nor their number
 * - `parts`: their number, since rows are summed piece by piece; the same number gives the same bits
 * - `chance`: who comes first: atomic adds
 */
export type SummationOrder = 'nothing' | 'parts' | 'chance';

/** A matrix laid out in the shared heap. */
export interface StoredMatrix extends Disposable {
  /** The format and the parameters that differ from their defaults: `csrk?k=3`. */
  readonly spec: string;
  /**
   * What a product does, in order. The stages that do not add get the caller's β, and write every element of y once: the
   * first one, or, where that leaves partial sums elsewhere, the one that collects them.
   */
  readonly stages: readonly Stage[];
  /** What a matrix stored in several formats is composed of, each warmed up by its own spec, in order. Default: itself. */
  readonly pieces?: readonly StoredMatrix[];
  /** Default: `nothing`. */
  readonly bitsDependOn?: SummationOrder;
  /**
   * Whether there is padding: zeros that are multiplied by elements of x which their row does not use, so that where x is
   * not finite more of y may be NaN than should be. Default: false.
   */
  readonly multipliesPadding?: boolean;
  /** What was asked for and could not be had, in a sentence each: `index=16: …`. Default: none. */
  readonly warnings?: readonly string[];
  readonly dtype: Dtype;
  readonly rows: number;
  readonly cols: number;
  /** Entries of the matrix, padding not counted. */
  readonly nnz: number;
  /** Entries the layout holds, padding counted. */
  readonly storedEntries: number;
  /** Bytes of heap it occupies. */
  readonly bytes: number;
  /** Every entry, padding left out, values as they are stored. */
  forEachEntry(visit: (row: number, col: number, value: number) => void): void;
  cost(): Cost;
}

/** A layout that a format offers for a matrix, and what a product would take, told without laying it out. */
export interface Prospect {
  readonly spec: string;
  /** The kernel that does most of it, without its dtype: what its speed is known by. */
  readonly kernel: string;
  /** Bytes that a product moves: what `cost()` would say. */
  readonly bytes: number;
  /** Entries that the kernel steps over, padding counted. */
  readonly entries: number;
  /** What it does beside entries and rows: pieces, blocks, columns of groups, entries of a rest. Default: 0. */
  readonly steps?: number;
  /** Entries that no two threads can share: of the longest row, say. Default: 0. */
  readonly indivisible?: number;
  /** Share of its outer loops' ends that are not like the one before, 0 to 1. Default: of rows, `Features.unsteady`. */
  readonly unsteady?: number;
  /** Share of the scattered gathers that it still makes, 0 to 1. Default: 1. */
  readonly scattered?: number;
  /** Whether rows are computed in another order than they have in y. Default: false. */
  readonly permuted?: boolean;
}

export interface Format {
  readonly name: string;
  /** One line: what it is. */
  readonly summary: string;
  /** Paper and section. */
  readonly source: string;
  /** Which matrices it is for. */
  readonly suits: string;
  readonly parameters: Parameters;
  /** Whether layouts of it may hold padding (`StoredMatrix.multipliesPadding`); one that holds none may say so. Default: false. */
  readonly mayPad?: boolean;
  /** What "all formats" means: specs that differ enough to be tested and measured on their own. */
  readonly variants: readonly string[];
  /** The layouts to choose from for such a matrix; none where it is not for it. Default: none, ever. */
  prospects?(examined: Examined, dtype: Dtype): readonly Prospect[];
  /** Where a device computes: what parameters are that are not given. Default: as elsewhere. */
  onDevice?(csr: CsrMatrix, given: Readonly<Record<string, unknown>>): ParameterValues;
  /**
   * Lays a matrix out. Whatever was allocated is freed again where it fails.
   *
   * @param tuning what was measured on this machine, for parameters that are not given
   * @throws SparlaneError `heap` where it does not fit, `fill-in` where it would be mostly padding, `argument` where a
   *   parameter is unknown or out of range, `shape` or `structure` where the format is for other matrices (square,
   *   symmetric …).
   */
  fromCsr(
    heap: Heap,
    csr: CsrMatrix,
    dtype: Dtype,
    given: Readonly<Record<string, unknown>>,
    tuning?: Tuning,
  ): StoredMatrix;
}

/** The cost of a product that reads every one of these arrays, and x and y, once. */
export function costOf(
  { dtype, rows, cols, nnz }: Pick<StoredMatrix, 'dtype' | 'rows' | 'cols' | 'nnz'>,
  arrays: readonly (ArrayBufferView | undefined)[],
): Cost {
  const vectors = vectorBytes({ rows, cols }, dtype);
  return { bytes: arrays.reduce((sum, array) => sum + (array?.byteLength ?? 0), vectors), flops: 2 * nnz };
}

/** Bytes of x and y. */
export function vectorBytes({ rows, cols }: Pick<Features, 'rows' | 'cols'>, dtype: Dtype): number {
  return vectorArray(dtype).BYTES_PER_ELEMENT * (rows + cols);
}

/** Whether an error of `fromCsr` says that this format is not for this matrix, or that it does not fit. */
export function isRefusal(error: unknown): error is SparlaneError {
  return error instanceof SparlaneError && REFUSALS.includes(error.code);
}

const REFUSALS: readonly ErrorCode[] = ['fill-in', 'shape', 'structure', 'heap'];

/** Back to the hub, in canonical order. @throws SparlaneError `argument` for what no format has stored */
export function toCsr(matrix: StoredMatrix): CsrMatrix {
  if (typeof matrix?.forEachEntry !== 'function') throw mismatch('argument', 'matrix', 'a stored matrix', matrix);
  const builder = new CsrBuilder(matrix.rows, matrix.cols);
  matrix.forEachEntry((row, col, value) => builder.add(row, col, value));
  return builder.build();
}
