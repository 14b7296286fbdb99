/**
 * What a storage format is to the rest of the house. A new one is `assembly/X.ts`, `src/formats/X.ts`,
 * `test/formats/X.test.ts` and its line in `registry.ts`; nothing else knows a format by name.
 *
 * Every matrix enters as CSR (the hub) and leaves as entries; there is no conversion between two formats.
 */
import type { CsrMatrix } from '../core/csr.js';
import { CsrBuilder } from '../core/csr-builder.js';
import type { Parameters } from '../core/parameters.js';
import type { Dtype } from '../core/types.js';
import type { Heap } from '../memory/heap.js';

/** What one product y ← A x costs at least: every array of the matrix, x and y moved once. */
export interface Cost {
  readonly bytes: number;
  /** 2 · nnz; padding is not work. */
  readonly flops: number;
}

/** A matrix laid out in the shared heap. */
export interface StoredMatrix extends Disposable {
  /** The format and the parameters that differ from their defaults: `csrk?k=3`. */
  readonly spec: string;
  /** Its kernels are named `<kernel>_spmv_<dtype>`. */
  readonly kernel: string;
  readonly dtype: Dtype;
  readonly rows: number;
  readonly cols: number;
  /** Entries of the matrix, padding not counted. */
  readonly nnz: number;
  /** Entries the layout holds, padding counted. */
  readonly storedEntries: number;
  /** Bytes of heap it occupies. */
  readonly bytes: number;
  /** Address of the header block: all that a kernel needs to know. */
  readonly header: number;
  /** Indivisible pieces (rows, super-rows, …) that a kernel takes a range of. */
  readonly units: number;
  /** Work of the units before `unit`, in entries or what costs as much; ascends from 0. Parts are balanced by it. */
  workBefore(unit: number): number;
  /** Every entry, padding left out, values as they are stored. */
  forEachEntry(visit: (row: number, col: number, value: number) => void): void;
  cost(): Cost;
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
  /** What "all formats" means: specs that differ enough to be tested and measured on their own. */
  readonly variants: readonly string[];
  /**
   * Lays a matrix out. Whatever was allocated is freed again where it fails.
   *
   * @throws SparlaneError `heap` where it does not fit, `fill-in` where it would be mostly padding, `argument` where a
   *   parameter is unknown or out of range.
   */
  fromCsr(heap: Heap, csr: CsrMatrix, dtype: Dtype, given: Readonly<Record<string, unknown>>): StoredMatrix;
}

/** Back to the hub, in canonical order. */
export function toCsr(matrix: StoredMatrix): CsrMatrix {
  const builder = new CsrBuilder(matrix.rows, matrix.cols);
  matrix.forEachEntry((row, col, value) => builder.add(row, col, value));
  return builder.build();
}
