/**
 * The interface of a storage format. A new format is `assembly/X/`, `src/formats/X/`, `test/formats/X/` and its line in `registry.ts`. If `auto` shall
 * choose it, the cost models (`choice/constants.ts`, `backends/cuda/`) name it too. Other code names only `csr`, the yardstick, and `csrk`, whose
 * groups are an option of operators; the conformance suite names a few formats in checks of products that several of them share.
 *
 * Every matrix enters as CSR (the hub) and leaves as entries; there is no conversion between two formats.
 */
import type { CsrMatrix } from '../core/csr.js';
import { CsrBuilder } from '../core/csr-builder.js';
import { type ErrorCode, mismatch, SparlaneError } from '../core/errors.js';
import type { Parameters, ParameterValues } from '../core/parameters.js';
import type { Span } from '../core/span.js';
import type { Tuning } from '../core/tuning.js';
import { type Dtype, type FloatArray, type Symmetry, vectorArray } from '../core/types.js';
import type { Examined, Features } from '../features/features.js';
import type { Heap } from '../memory/heap.js';
import type { Keepable } from './layout/keep.js';
import type { RunLoop } from './layout/loop.js';
import type { ValueKind } from './layout/values.js';

/** The least cost of one product y ← A x: every array of the matrix, x and y are moved once. */
export interface Cost {
  readonly bytes: number;
  /** 2 · nnz; padding is not counted. */
  readonly flops: number;
}

/** The number of entries that a layout stores side by side, and the parameter that sets it: `csr5 omega`. */
export interface Lanes {
  readonly parameter: string;
  readonly count: number;
}

/** The number of lanes that CPU kernels require of layouts whose lanes are a parameter. Devices may use another one. */
export const CPU_LANES = 4;

/**
 * What is computed with a matrix. `spmv`: y ← α A x + β y. `spmv_t`: y ← α Aᵀ x + β y. `spmm`: Y ← α A X + β Y, X and Y blocks
 * of vectors, row-major, whose columns have the bits of single products on a CPU; `spmm_fast`: the same with sums in another order.
 */
export type Verb = 'spmv' | 'spmv_t' | 'spmm' | 'spmm_fast';

/** The sums of block products: those of single products, with their bits; or the fastest ones, which are equal up to rounding. */
export type BlockSums = 'single' | 'fast';

/** What one kernel does: a verb, or a step of one that is not itself a product. */
export type KernelVerb = Verb | 'unary' | 'scale' | 'add_halos' | 'reduce' | 'trsv';

/** A kernel without its dtype. All dtypes have the same kernels. */
export interface KernelId {
  /** Its layout: `csr`, `bsr3`; or, if it reads no matrix, `y`. */
  readonly base: string;
  /** Bits of a column index. Default: 32. */
  readonly columns?: 16 | 32;
  /** Default: `full`. */
  readonly values?: ValueKind;
  readonly verb: KernelVerb;
}

/** The layout that a kernel reads, as text: `csrk16_table`. Kernels of one layout differ in verb and dtype. */
export function layoutName({ base, columns = 32, values = 'full' }: Omit<KernelId, 'verb'>): string {
  return `${base}${columns === 32 ? '' : columns}${values === 'full' ? '' : `_${values}`}`;
}

/** A layout as a kernel sees it: its header, and units that are computed independently. */
export interface Layout extends Span {
  /** Address of the header block, the only argument that describes the matrix to a kernel. */
  readonly header: number;
}

/**
 * One kernel over a layout. A product is a sequence of one or more stages: a format built from two others (HYB is ELL and
 * COO) has the stages of both.
 */
export interface Stage extends Layout {
  readonly kernel: KernelId;
  /** Whether it adds to the y of the previous stages: its β is 1, regardless of the caller's. Default: false. */
  readonly adds?: boolean;
  /**
   * Whether units may end inside a row. The kernel then writes the row and its partial sum to the part's carry slot;
   * carries are added in the order of the parts (`execution/carries.ts`). Default: false.
   */
  readonly carries?: boolean;
  /** Least number of parts per thread, if there are several threads. Default: 1. */
  readonly oversubscription?: number;
  /** The lanes of a layout whose lanes are a parameter. Default: those of the CPU kernels. */
  readonly lanes?: Lanes;
  /**
   * Whether its units may add to any element of y. A plan then gives every part a y of its own (`layout/scatter.ts`), and the kernel
   * reads a header that refers to `header`. Default: false.
   */
  readonly scatters?: boolean;
}

/** The stages of a matrix, by what they compute with it. Every format has products; without `spmm`, blocks are k products. */
export type Stages = { readonly spmv: readonly Stage[] } & { readonly [verb in Verb]?: readonly Stage[] };

/** The stages of a matrix for a verb. @throws SparlaneError `kernel` if its format has no kernels for it */
export function stagesOf({ spec, stages }: Pick<StoredMatrix, 'spec' | 'stages'>, verb: Verb): readonly Stage[] {
  const found = stages[verb];
  if (found === undefined) throw mismatch('kernel', 'format', `one with kernels for ${verb}`, spec);
  return found;
}

/** The stage of a kernel over all units of a layout. */
export function stageOver(layout: Layout, kernel: KernelId, more: Omit<Stage, 'kernel' | keyof Layout> = {}): Stage {
  const { header, units } = layout;
  return { kernel, header, units, workBefore: (unit) => layout.workBefore(unit), ...more };
}

/** A product of one stage, and the block product whose kernel has the same name, or the name of `base`. */
export function productAndBlocks(product: Stage, base: string = product.kernel.base): Stages {
  return { spmv: [product], spmm: [{ ...product, kernel: { ...product.kernel, base, verb: 'spmm' } }] };
}

/**
 * Threads that are asleep are not woken for less work than this (`execution/small-commands.ts`), and a triangular solve of less stays on the caller's
 * thread. For a 5-point Laplacian of 100 k entries, a second thread that stands by reduces 58 µs to 30; one that must be woken increases 60 µs to 73,
 * and gains only from 300 k entries on. (2 cores of an AMD EPYC Zen 4, Node 20, f64, November 2026.)
 */
export const ALONE_BELOW = 100_000;

/**
 * A product of less work than this is one part, on the caller's thread. In a loop two threads take 1.2 times as long as one with 9,000 entries and rows,
 * 1.0 with 14,000, 0.8 with 21,000 and 0.6 with 60,000 (`csr`, 2 cores of an AMD EPYC Zen 5, Node 20, f64); in the median of all formats of 242 matrices
 * 0.66 with 12,500 to 18,000 (Zen 4, `bench/results/2026-11-27-fit.jsonl.gz`); with 16,000 to 19,000 4, 8 and 16 threads 0.61, 0.48 and 0.56 (four products
 * of `csr`, geometric means, each of the medians of 11 turns, 16 cores of an Intel Xeon, Node 24, November 2026). Two threads take part from 20,000 on
 * (`execution/small-commands.ts`).
 */
export const ONE_PART_BELOW = 14_000;

/**
 * The dependence of the bits of y, in addition to the matrix and the vectors.
 *
 * - `nothing`: neither the parts nor their number
 * - `parts`: the number of parts, since rows are summed piece by piece; the same number gives the same bits
 * - `chance`: the timing of threads, because of atomic adds
 */
export type SummationOrder = 'nothing' | 'parts' | 'chance';

/** Compressed rows of entries in full, as in `CsrMatrix`. */
export interface StoredEntries {
  readonly rowPtr: Uint32Array;
  readonly colIdx: Uint32Array;
  readonly values: FloatArray;
}

/** What is known of a matrix stored in one or several formats: its entries, its size, its cost. */
export interface MatrixInfo {
  /** The format and the parameters that differ from their defaults: `csrk?k=3`. */
  readonly spec: string;
  /** Default: `nothing`. */
  readonly bitsDependOn?: SummationOrder;
  /**
   * Whether there is padding: zeros that are multiplied by elements of x which their row does not use. If these are not
   * finite, more of y may be NaN than should be. Default: false.
   */
  readonly multipliesPadding?: boolean;
  /** One sentence for each request that could not be met: `index=16: …`. Default: none. */
  readonly warnings?: readonly string[];
  readonly dtype: Dtype;
  readonly rows: number;
  readonly cols: number;
  /** Entries of the matrix, without padding. */
  readonly nnz: number;
  /** Entries of the layout, with padding. */
  readonly storedEntries: number;
  /** Bytes of heap it occupies. */
  readonly bytes: number;
  /** The arrays of a layout that has them. Undefined: entries are only visited. */
  readonly entries?: StoredEntries | undefined;
  /** The relation of A to Aᵀ, if the layout depends on it. Default: unknown. */
  readonly symmetry?: Symmetry;
  /** Visits every entry except padding, with its value as stored. */
  forEachEntry(visit: (row: number, col: number, value: number) => void): void;
  cost(): Cost;
}

/** A matrix stored in the shared heap. */
export interface StoredMatrix extends MatrixInfo, Disposable {
  /**
   * For each verb its stages, in order. A stage that does not add receives the caller's β and writes every element of y
   * once. This is the first stage, or, if that one writes partial sums elsewhere, the stage that collects them.
   */
  readonly stages: Stages;
  /** The components of a matrix stored in several formats, in order, each warmed up by its own spec. Default: itself. */
  readonly pieces?: readonly StoredMatrix[];
  /** Stores another matrix in the same way, to warm its kernels up. Default: by the same spec. */
  like?(heap: Heap, matrix: CsrMatrix): StoredMatrix;
  /**
   * Ways to compute products, all with the same bits: each function makes the products that follow take its way. Which is the fastest depends
   * on the processor; the first is taken from the begin. Default: there is only one.
   */
  readonly ways?: readonly (() => void)[];
}

/** A layout that a format offers for a matrix, with the figures of its product, estimated without conversion. */
export interface Prospect {
  readonly spec: string;
  /** The layout of the kernel that does most of the work (`layoutName`): the key to its speed in the cost model. */
  readonly kernel: string;
  /** Bytes that a product moves, as `cost()` would return. */
  readonly bytes: number;
  /** Entries that the kernel processes, with padding. */
  readonly entries: number;
  /** Steps in addition to entries and rows: pieces, vectors of a block, columns of groups, entries of a rest, lines of x. Default: 0. */
  readonly steps?: number;
  /** So many of the steps are computed by a second stage, when the first has ended. Default: 0. */
  readonly afterwards?: number;
  /** Outer iterations of the kernel, if they are not rows: groups of rows, block rows, chunks. Default: the rows of the matrix. */
  readonly groups?: number;
  /** Pieces of equal work that threads take whole, if they are not groups. Default: the groups. */
  readonly units?: number;
  /** Threads cannot divide so many entries in a single product, such as those of the longest row. In a product with a block they never divide a row. Default: 0. */
  readonly indivisible?: number;
  /** Share of outer iterations whose length differs from the one before, 0 to 1. Default: `Features.unsteady`. */
  readonly unsteady?: number;
  /** Scattered gathers of this layout, relative to those of the matrix in its order. Default: 1. */
  readonly scattered?: number;
  /** Rows that are computed side by side, so that a line of x that they share and that L1 does not keep is read once. Default: 1. */
  readonly together?: number;
  /** Whether rows are computed in an order other than that of y. Default: false. */
  readonly permuted?: boolean;
  /** On a device: kernels in addition to the first. Default: 0. */
  readonly launches?: number;
}

/** Options of a conversion that do not depend on the format. */
export interface ConversionOptions {
  /** The measurements of this machine, for parameters that are not given. */
  readonly tuning?: Tuning | undefined;
  /** Runs the long loops. Default: on the caller's thread. */
  readonly runLoop?: RunLoop | undefined;
  /** Arrays of the matrix that the layout may keep. Default: none. */
  readonly keepable?: Keepable | undefined;
}

/** A format: how it stores a matrix, for which ones it suits, and what computes with it. */
export interface Format {
  readonly name: string;
  readonly parameters: Parameters;
  /** Whether its layouts may hold padding; `StoredMatrix.multipliesPadding` states it for one layout. Default: false. */
  readonly mayPad?: boolean;
  /** One line that describes the format. */
  readonly summary: string;
  /** Paper and section. */
  readonly source: string;
  /** The matrices that the format suits. */
  readonly suits: string;
  /** The specs of this format in "all formats": those that differ enough to be tested and measured separately. */
  readonly variants: readonly string[];
  /** The layouts that it offers for a matrix, for the CPU or a device; empty if the format does not suit it. Default: always empty. */
  prospects?(examined: Examined, dtype: Dtype, onDevice: boolean): readonly Prospect[];
  /** The values of parameters that are not given, for a product on a device. Default: the same as on the CPU. */
  onDevice?(csr: CsrMatrix, given: Readonly<Record<string, unknown>>): ParameterValues;
  /**
   * Converts a matrix. If it fails, all that was allocated is freed.
   *
   * @throws SparlaneError `heap` if it does not fit, `fill-in` if it would be mostly padding, `argument` if a parameter is
   *   unknown or out of range, `shape` or `structure` if the format requires another kind of matrix (square, symmetric …).
   */
  fromCsr(
    heap: Heap,
    csr: CsrMatrix,
    dtype: Dtype,
    given: Readonly<Record<string, unknown>>,
    options?: ConversionOptions,
  ): StoredMatrix;
}

/** The cost of a product that moves each of these arrays, x and y once. */
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

/** Whether an error of `fromCsr` means that the format does not suit the matrix, or that the matrix does not fit. */
export function isRefusal(error: unknown): error is SparlaneError {
  return error instanceof SparlaneError && REFUSALS.includes(error.code);
}

const REFUSALS: readonly ErrorCode[] = ['fill-in', 'shape', 'structure', 'heap'];

/** Converts back to CSR, in canonical order. @throws SparlaneError `argument` if the argument is not a stored matrix */
export function toCsr(matrix: MatrixInfo): CsrMatrix {
  if (typeof matrix?.forEachEntry !== 'function') throw mismatch('argument', 'matrix', 'a stored matrix', matrix);
  const builder = new CsrBuilder(matrix.rows, matrix.cols);
  matrix.forEachEntry((row, col, value) => builder.add(row, col, value));
  return builder.build();
}
