/** What every stored matrix has; a format says what differs. */
import type { Dtype } from '../core/types.js';
import type { HeapScope } from '../memory/heap.js';
import { type Cost, costOf, type MatrixInfo, type Stages, type StoredMatrix } from './format.js';

/** What a format says of the matrix as a whole. */
export type StoredDescription = Pick<MatrixInfo, 'spec' | 'dtype' | 'rows' | 'cols' | 'nnz' | 'warnings'>;

export abstract class Stored implements StoredMatrix {
  readonly spec: string;
  readonly dtype: Dtype;
  readonly rows: number;
  readonly cols: number;
  readonly nnz: number;
  readonly warnings: readonly string[];
  /** Has all arrays of the matrix, and frees them. */
  protected readonly scope: HeapScope;

  /** Takes ownership of the scope. */
  protected constructor(scope: HeapScope, { spec, dtype, rows, cols, nnz, warnings = [] }: StoredDescription) {
    this.scope = scope;
    this.spec = spec;
    this.dtype = dtype;
    this.rows = rows;
    this.cols = cols;
    this.nnz = nnz;
    this.warnings = warnings;
  }

  abstract readonly stages: Stages;

  /** The arrays that a product reads in addition to x and y. */
  abstract readonly arrays: readonly (ArrayBufferView | undefined)[];

  abstract forEachEntry(visit: (row: number, col: number, value: number) => void): void;

  get storedEntries(): number {
    return this.nnz;
  }

  get multipliesPadding(): boolean {
    return this.storedEntries > this.nnz;
  }

  get bytes(): number {
    return this.scope.bytes;
  }

  cost(): Cost {
    return costOf(this, this.arrays);
  }

  /** Frees one of its arrays, which must then not be read: a complex matrix has other values (`complex/stored.ts`). */
  forget(array: ArrayBufferView): void {
    this.scope.free(array);
  }

  [Symbol.dispose](): void {
    this.scope[Symbol.dispose]();
  }
}
