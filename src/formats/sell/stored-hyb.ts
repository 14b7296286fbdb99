/**
 * Chunks, then COO: the storage of `hyb`, and of `sell` with cut hub rows. Without remaining entries it is chunks alone;
 * every format made of chunks is therefore stored by this file.
 */
import type { CsrMatrix } from '../../core/csr.js';
import { formatSpec, type Parameters, type ParameterValues } from '../../core/parameters.js';
import { evenly, rowSpan } from '../../core/span.js';
import type { Dtype } from '../../core/types.js';
import type { Heap, HeapScope } from '../../memory/heap.js';
import { type EntryStructure, StoredCoo } from '../coo/coo.js';
import type { Stages, StoredMatrix, SummationOrder } from '../format.js';
import { basesOf, tooWide } from '../layout/column-bases.js';
import { checkFill } from '../layout/fill.js';
import { placePointers, summed } from '../layout/pointers.js';
import { type EncodedValues, encodePadded, type StoredValues, warningsOf } from '../layout/values.js';
import { type ConversionWorkspace, workspaceFor } from '../layout/workspace.js';
import { Stored } from '../stored.js';
import type { RowChunks } from './chunks.js';
import { countRest, placeRest } from './rest-loops.js';
import { type ChunkOptions, StoredChunks } from './stored-chunks.js';

/** Chunks, and the rest of the matrix, whose product is added to theirs in y. */
export class StoredHyb extends Stored {
  readonly chunks: StoredChunks;
  readonly rest: StoredCoo;

  /** Takes ownership of the scope. */
  constructor(scope: HeapScope, csr: CsrMatrix, dtype: Dtype, options: ChunkOptions) {
    const { runLoop } = options;
    using workspace = workspaceFor(scope.heap, csr, runLoop);
    const { matrix, values } = restOf(csr, options, workspace);
    const spec = formatSpec('coo', {}, values.kind === 'full' ? {} : { values: values.kind });
    const chunks = new StoredChunks(scope, csr, dtype, options);
    const rest = new StoredCoo(scope, matrix, dtype, { spec, values, adds: true, runLoop });
    const { rows, cols, warnings } = chunks;
    super(scope, { spec: chunks.spec, dtype, rows, cols, nnz: chunks.nnz + rest.nnz, warnings });
    this.chunks = chunks;
    this.rest = rest;
  }

  override get storedEntries(): number {
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

  forEachEntry(visit: (row: number, col: number, value: number) => void): void {
    this.chunks.forEachEntry(visit);
    this.rest.forEachEntry(visit);
  }

  get arrays(): readonly (ArrayBufferView | undefined)[] {
    return [...this.chunks.arrays, ...this.rest.arrays];
  }
}

/** Cost of a row in a pass over row lengths, in entries. */
const LENGTH_WORK = 1 / 2;

/** The entries that are not in chunks, as a matrix of the same size, whose arrays are those of the workspace. */
function restOf(
  csr: CsrMatrix,
  { chunks, values: encoded }: ChunkOptions,
  workspace: ConversionWorkspace,
): { matrix: EntryStructure; values: EncodedValues } {
  const { rows, rowPtr, colIdx: columns } = csr;
  const { rowLength, inside } = chunks;
  const { entries } = encoded;
  const { runLoop, array } = workspace;
  const nnz = csr.nnz - inside;
  const counts = array(Uint32Array, rows);
  runLoop(countRest, { rowPtr, rowLength, counts }, evenly(rows, LENGTH_WORK));
  const restPtr = placePointers(array(Uint32Array, rows + 1), summed(counts, workspace), runLoop);
  const colIdx = array(Uint32Array, nnz);
  const values = array<StoredValues>(typeOf(entries), entries.length === 0 ? 0 : nnz);
  runLoop(
    placeRest,
    { rowPtr, rowLength, columns, entries, restPtr, colIdx, values },
    rowSpan({ rows, rowPtr: restPtr }),
  );
  const matrix: EntryStructure = { ...csr, nnz, rowPtr: restPtr, colIdx, symmetry: 'general' };
  return { matrix, values: { ...encoded, entries: values } };
}

function typeOf(entries: StoredValues) {
  if (entries instanceof Uint8Array) return Uint8Array;
  return entries instanceof Float64Array ? Float64Array : Float32Array;
}

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
  chunks: RowChunks,
  { name, parameters, resolved }: ChunkRequest,
  workspace: ConversionWorkspace,
): StoredMatrix {
  const { runLoop } = workspace;
  checkFill(name, chunks.storedEntries, csr.nnz, resolved.maxFill);
  const values = encodePadded(csr, dtype, resolved.values, workspace);
  const found = resolved.index === '16' ? basesOf(csr, chunks.chunkHeight, chunks, workspace) : undefined;
  const bases = typeof found === 'object' ? found : undefined;
  const warnings = [...(typeof found === 'number' ? [tooWide(`chunk ${found}`)] : []), ...warningsOf(values)];
  const index = bases === undefined ? '32' : '16';
  const spec = formatSpec(name, parameters, { ...resolved, index, values: values.kind });
  const options = { spec, chunks, values, bases, warnings, runLoop };
  const hasRest = chunks.inside < csr.nnz;
  return heap.build((scope) => new (hasRest ? StoredHyb : StoredChunks)(scope, csr, dtype, options));
}
