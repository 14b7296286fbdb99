/**
 * CSR-k: CSR with its rows grouped into super-rows, and for k = 3 those into super-super-rows.
 *
 * Source: Lane & Booth 2022, §2.2 (figure 1, listing 1), sizes from §4.2. Kernels: `assembly/csrk.ts`.
 * Differs: k = 2 by default, as the paper's own CPU runs; the groups here are runs of equal length in the order given
 *   (the paper takes them from the coarse graphs of Band-k).
 * For: matrices with an order worth keeping, and one matrix shared by CPU and GPU: the three CSR arrays are CSR's own, and
 *   the header begins with CSR's, so the kernels of `csr` run on a CSR-k matrix as it is.
 * Layout: of [10 0 20; 0 0 0; 0 0 30; 40 50 60] with two rows per super-row and two super-rows per super-super-row, CSR and
 *
 *     superRowPtr        0  2  4     u32, super-rows + 1, in rows
 *     superSuperRowPtr   0     2     u32, super-super-rows + 1, in super-rows; only k = 3
 *
 * Cost: CSR's, and 4 bytes per group.
 */
import type { CsrMatrix } from '../core/csr.js';
import { formatSpec, resolveParameters } from '../core/parameters.js';
import type { Dtype } from '../core/types.js';
import type { HeapScope } from '../memory/heap.js';
import { StoredCsr } from './csr.js';
import type { Cost, Format } from './format.js';

/** Super-row sizes that the paper tunes over on CPUs: 2ⁱ and 1.5 · 2ⁱ, i = 3 … 11 (§4.2). */
export const SUPER_ROW_SIZES: readonly number[] = Array.from({ length: 9 }, (_, i) => [8 << i, 12 << i]).flat();

/** "Good enough" for all matrices on CPUs (§4.2). */
const SUPER_ROW_SIZE = 96;

/** The paper gives none for CPUs; some 800 rows are a part that a thread may claim, and its x and y fit into L1. */
const SUPER_SUPER_ROW_SIZE = 8;

export class StoredCsrk extends StoredCsr {
  override readonly kernel = 'csrk';
  override readonly spec: string;
  readonly superRowPtr: Uint32Array;
  /** Only for k = 3. */
  readonly superSuperRowPtr: Uint32Array | undefined;

  constructor(
    scope: HeapScope,
    csr: CsrMatrix,
    dtype: Dtype,
    spec: string,
    superRows: Uint32Array,
    coarsest?: Uint32Array,
  ) {
    const superRowPtr = scope.array(Uint32Array, superRows.length);
    superRowPtr.set(superRows);
    const superSuperRowPtr = coarsest && scope.array(Uint32Array, coarsest.length);
    if (coarsest) superSuperRowPtr!.set(coarsest);
    const units = (coarsest ?? superRows).length - 1;
    super(scope, csr, dtype, [units, superRowPtr.byteOffset, superSuperRowPtr?.byteOffset ?? 0]); // CsrkHeader
    this.spec = spec;
    this.superRowPtr = superRowPtr;
    this.superSuperRowPtr = superSuperRowPtr;
  }

  override get units(): number {
    return (this.superSuperRowPtr ?? this.superRowPtr).length - 1;
  }

  override workBefore(unit: number): number {
    const superRow = this.superSuperRowPtr === undefined ? unit : this.superSuperRowPtr[unit]!;
    return super.workBefore(this.superRowPtr[superRow]!);
  }

  override cost(): Cost {
    const { bytes, flops } = super.cost();
    return { bytes: bytes + this.superRowPtr.byteLength + (this.superSuperRowPtr?.byteLength ?? 0), flops };
  }
}

/** Pointers to runs of `size`, the last one shorter. */
function runs(count: number, size: number): Uint32Array {
  return Uint32Array.from({ length: Math.ceil(count / size) + 1 }, (_, group) => Math.min(group * size, count));
}

const parameters = {
  k: { kind: 'integer', default: 2, min: 2, max: 3, doc: 'levels: 2 = super-rows, 3 = super-super-rows too' },
  superRowSize: { kind: 'integer', default: SUPER_ROW_SIZE, min: 1, max: 2 ** 24, doc: 'rows per super-row' },
  superSuperRowSize: {
    kind: 'integer',
    default: SUPER_SUPER_ROW_SIZE,
    min: 1,
    max: 2 ** 24,
    doc: 'super-rows per super-super-row (k = 3)',
  },
} as const;

export const csrk: Format = {
  name: 'csrk',
  summary: 'CSR in super-rows (k = 2) and super-super-rows (k = 3)',
  source: 'Lane & Booth 2022, §2.2 and §4.2',
  suits: 'ordered matrices; one matrix for CPU and GPU',
  parameters,
  variants: ['csrk', 'csrk?k=3'],
  fromCsr(heap, matrix, dtype, given) {
    const resolved = resolveParameters('csrk', parameters, given);
    const superRows = runs(matrix.rows, resolved.superRowSize);
    const coarsest = resolved.k === 3 ? runs(superRows.length - 1, resolved.superSuperRowSize) : undefined;
    const spec = formatSpec('csrk', parameters, resolved);
    return heap.build((scope) => new StoredCsrk(scope, matrix, dtype, spec, superRows, coarsest));
  },
};
