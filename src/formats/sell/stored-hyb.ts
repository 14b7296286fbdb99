/**
 * Chunks, then COO: the storage of `hyb`, and of `sell` with cut hub rows. Without remaining entries it is chunks alone;
 * every format made of chunks is therefore stored by this file.
 */
import type { CsrMatrix } from '../../core/csr.js';
import {
  formatSpec,
  type NumberParameter,
  type Parameters,
  type ParameterValues,
  type WordParameter,
} from '../../core/parameters.js';
import type { Dtype, FloatArray } from '../../core/types.js';
import type { Heap, HeapScope } from '../../memory/heap.js';
import { StoredCoo } from '../coo.js';
import { type Cost, costOf, type Stages, type StoredMatrix, type SummationOrder } from '../format.js';
import { basesOf, runs, tooWide } from '../layout/column-bases.js';
import { type RunLoop, serially } from '../layout/loop.js';
import { type EncodedValues, encodePadded, paddedValuesParameter, warningsOf } from '../layout/values.js';
import { type Chunks, checkFill, sum } from './chunks.js';
import { type ChunkOptions, StoredChunks } from './stored-chunks.js';

/** Chunks, and the rest of the matrix, whose product is added to theirs in y. */
export class StoredHyb implements StoredMatrix {
  readonly chunks: StoredChunks;
  readonly rest: StoredCoo;
  readonly #scope: HeapScope;

  /** Takes ownership of the scope. */
  constructor(scope: HeapScope, csr: CsrMatrix, dtype: Dtype, options: ChunkOptions) {
    const { matrix, taken } = restOf(csr, options.chunks.rowLength);
    const values: EncodedValues = { ...options.values, entries: take(options.values.entries, taken) };
    const spec = formatSpec('coo', {}, values.kind === 'full' ? {} : { values: values.kind });
    this.#scope = scope;
    this.chunks = new StoredChunks(scope, csr, dtype, options);
    this.rest = new StoredCoo(scope, matrix, dtype, { spec, values, adds: true });
  }

  get spec(): string {
    return this.chunks.spec;
  }

  get dtype(): Dtype {
    return this.chunks.dtype;
  }

  get rows(): number {
    return this.chunks.rows;
  }

  get cols(): number {
    return this.chunks.cols;
  }

  get nnz(): number {
    return this.chunks.nnz + this.rest.nnz;
  }

  get storedEntries(): number {
    return this.chunks.storedEntries + this.rest.nnz;
  }

  get pieces(): readonly StoredMatrix[] {
    return [this.chunks, this.rest];
  }

  get stages(): Stages {
    const [chunks, rest] = [this.chunks.stages, this.rest.stages];
    return {
      spmv: [...chunks.spmv, ...rest.spmv],
      spmv_t: [...chunks.spmv_t!, ...rest.spmv_t!],
      spmm: [...chunks.spmm!, ...rest.spmm!],
    };
  }

  get bitsDependOn(): SummationOrder {
    return this.rest.bitsDependOn;
  }

  get multipliesPadding(): boolean {
    return this.chunks.multipliesPadding;
  }

  get warnings(): readonly string[] {
    return this.chunks.warnings;
  }

  get bytes(): number {
    return this.#scope.bytes;
  }

  forEachEntry(visit: (row: number, col: number, value: number) => void): void {
    this.chunks.forEachEntry(visit);
    this.rest.forEachEntry(visit);
  }

  cost(): Cost {
    return costOf(this, [...this.chunks.arrays, ...this.rest.arrays]);
  }

  [Symbol.dispose](): void {
    this.#scope[Symbol.dispose]();
  }
}

/** The entries of each row after its first `rowLength`, as a matrix of the same size, and their places in the original. */
function restOf(csr: CsrMatrix, rowLength: Uint32Array): { matrix: CsrMatrix; taken: Uint32Array } {
  const { rows } = csr;
  const taken = new Uint32Array(csr.nnz - sum(rowLength));
  const rowPtr = new Uint32Array(rows + 1);
  let write = 0;
  for (let i = 0; i < rows; i++) {
    for (let k = csr.rowPtr[i]! + rowLength[i]!; k < csr.rowPtr[i + 1]!; k++) taken[write++] = k;
    rowPtr[i + 1] = write;
  }
  const colIdx = take(csr.colIdx, taken);
  const values = take(csr.values, taken);
  return { matrix: { ...csr, nnz: write, rowPtr, colIdx, values, symmetry: 'general' }, taken };
}

/** The columns, values or codes at the given places. */
function take<T extends Uint32Array | Uint8Array | FloatArray>(source: T, taken: Uint32Array): T {
  const result = source.slice(0, taken.length) as T;
  for (let k = 0; k < taken.length; k++) result[k] = source[taken[k]!]!;
  return result;
}

type ChunkParameters = {
  readonly index: WordParameter;
  readonly values: WordParameter;
  readonly maxFill: NumberParameter;
};

/** The parameters of all formats made of chunks. */
export const chunkParameters: ChunkParameters = {
  index: {
    kind: 'word',
    default: '32',
    allowed: ['32', '16'],
    doc: 'bits per column: 32, or 16 from a base per chunk',
  },
  values: paddedValuesParameter,
  maxFill: {
    kind: 'number',
    default: 3,
    min: 1,
    max: 1e6,
    doc: 'stored places per entry above which a matrix is refused; 65536 places are always allowed',
  },
};

/** The request to a format made of chunks. */
export interface ChunkRequest {
  readonly name: string;
  readonly parameters: Parameters;
  readonly resolved: ParameterValues & { readonly index: string; readonly values: string; readonly maxFill: number };
}

/** Stores chunks, and the rest if there is one. */
export function storeChunks(
  heap: Heap,
  csr: CsrMatrix,
  dtype: Dtype,
  chunks: Chunks,
  { name, parameters, resolved }: ChunkRequest,
  runLoop: RunLoop = serially,
): StoredMatrix {
  checkFill(name, chunks, csr.nnz, resolved.maxFill);
  const values = encodePadded(csr, dtype, resolved.values);
  const found = resolved.index === '16' ? basesOf(csr, runs(csr.rows, chunks.chunkHeight), chunks) : undefined;
  const bases = typeof found === 'object' ? found : undefined;
  const warnings = [...(typeof found === 'number' ? [tooWide(`chunk ${found}`)] : []), ...warningsOf(values)];
  const index = bases === undefined ? '32' : '16';
  const spec = formatSpec(name, parameters, { ...resolved, index, values: values.kind });
  const options = { spec, chunks, values, bases, warnings, runLoop };
  const hasRest = sum(chunks.rowLength) < csr.nnz;
  return heap.build((scope) => new (hasRest ? StoredHyb : StoredChunks)(scope, csr, dtype, options));
}
