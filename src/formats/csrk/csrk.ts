/**
 * CSR-k: CSR with its rows grouped into super-rows, and for k = 3 super-rows grouped into super-super-rows.
 *
 * Source: Lane & Booth 2022, §2.2 (figure 1, listing 1); sizes from §4 (`sizes.ts`). Kernels: `assembly/csrk/csrk.ts`.
 * Differs: k = 2 by default, as in the paper's CPU runs. The groups are runs of equal length in the given order, unless
 *   the caller passes the groups of Band-k (`reorder/bandk.ts`), which the paper uses. For k = 3 on a device their
 *   sizes come from the paper's closed formulas, except with `index=16`: small super-rows would need too many column
 *   bases.
 * For: matrices with a good order, and one matrix shared by CPU and GPU: the three CSR arrays are those of CSR, and the
 *   header begins with CSR's header: the kernels of `csr` run on a CSR-k matrix without conversion.
 * Layout: of [10 0 20; 0 0 0; 0 0 30; 40 50 60] with two rows per super-row and two super-rows per super-super-row, CSR and
 *
 *     superRowPtr        0  2  4     u32, super-rows + 1, in rows
 *     superSuperRowPtr   0     2     u32, super-super-rows + 1, in super-rows; only k = 3
 *
 * Differs too: with `index=16` columns are 16-bit offsets from a base per super-row (`superRowBase`), two bytes less per
 *   entry; the arrays are then not CSR any more. If a super-row spans more than 2¹⁶ columns, 32 bits are kept.
 * Cost: CSR's, and 4 bytes per group; with `index=16`, 2 bytes less per entry and 4 more per super-row.
 */
import type { CsrMatrix } from '../../core/csr.js';
import { checkGroups, type Groups, SUPER_ROW_SIZE, SUPER_SUPER_ROW_SIZE } from '../../core/groups.js';
import { formatSpec, type ParametersOf, resolveParameters } from '../../core/parameters.js';
import type { Tuning } from '../../core/tuning.js';
import type { Dtype } from '../../core/types.js';
import { extendHeader, placeHeader, readHeader } from '../../memory/header.js';
import type { HeapScope } from '../../memory/heap.js';
import { CSR_HEADER, StoredCsr } from '../csr/csr.js';
import { type Format, layoutName, type Stage, vectorBytes } from '../format.js';
import { basesOf, isNarrow, runs, tooWide } from '../layout/column-bases.js';
import { placeOffsets } from '../layout/column-loops.js';
import { heaviestGroup } from '../layout/heaviest.js';
import type { Keepable } from '../layout/keep.js';
import { type RunLoop, serially } from '../layout/loop.js';
import { READ_PAST } from '../layout/read-past.js';
import { asParameter, type EncodedValues, encodeValues, valueProspects, valuesParameter } from '../layout/values.js';
import { workspaceFor } from '../layout/workspace.js';
import { gpuSizes, type TunedGpu, tunedSize } from './sizes.js';

export interface CsrkOptions {
  readonly spec: string;
  /** Groups of any size, with rows and super-rows in order. */
  readonly groups: Groups;
  readonly values: EncodedValues;
  /** For 16-bit columns: what `basesOf` returns. Default: 32 bits. */
  readonly bases?: Uint32Array | undefined;
  readonly warnings?: readonly string[];
  readonly runLoop?: RunLoop | undefined;
  readonly keepable?: Keepable | undefined;
}

/** Begins with the words of CSR's header. */
const GROUP_WORDS = {
  /** The number of groups of the coarsest level. */
  units: 'u32',
  superRowPtr: 'usize',
  /** 0 for k = 2: a unit is then one super-row. */
  superSuperRowPtr: 'usize',
  /** With 16-bit columns: the base column of each super-row; else 0. */
  superRowBase: 'usize',
} as const;

export const CSRK_HEADER: typeof CSR_HEADER & typeof GROUP_WORDS = extendHeader(CSR_HEADER, GROUP_WORDS);

export class StoredCsrk extends StoredCsr {
  readonly superRowPtr: Uint32Array;
  /** Only for k = 3. */
  readonly superSuperRowPtr: Uint32Array | undefined;
  /** Only with 16-bit columns: the base column of each super-row. */
  readonly superRowBase: Uint32Array | undefined;

  constructor(scope: HeapScope, csr: CsrMatrix, dtype: Dtype, { groups, bases, ...options }: CsrkOptions) {
    const { superRowPtr, superSuperRowPtr } = placeGroups(scope, groups);
    const superRowBase = bases && scope.copy(Uint32Array, bases);
    super(scope, csr, dtype, {
      ...options,
      base: 'csrk',
      placeHeader: (words) =>
        placeHeader(scope, CSRK_HEADER, { ...words, ...groupWords({ superRowPtr, superSuperRowPtr }), superRowBase }),
      ...(bases && { colIdx: offsets(scope, csr, superRowPtr, superRowBase!, options.runLoop) }),
    });
    this.superRowPtr = superRowPtr;
    this.superSuperRowPtr = superSuperRowPtr;
    this.superRowBase = superRowBase;
  }

  override get units(): number {
    return (this.superSuperRowPtr ?? this.superRowPtr).length - 1;
  }

  override workBefore(unit: number): number {
    const superRow = this.superSuperRowPtr === undefined ? unit : this.superSuperRowPtr[unit]!;
    return this.workBeforeRow(this.superRowPtr[superRow]!);
  }

  /** With 32-bit columns CSR's own, since groups make no difference; otherwise over the groups. */
  protected override get scattering(): Stage {
    const scattering = super.scattering;
    if (this.superRowBase === undefined) return scattering;
    const kernel = { ...scattering.kernel, base: 'csrk' };
    return { ...scattering, kernel, units: this.units, workBefore: (unit) => this.workBefore(unit) };
  }

  override forEachEntry(visit: (row: number, col: number, value: number) => void): void {
    const { rowPtr, colIdx, superRowPtr, superRowBase } = this;
    for (let group = 0; group + 1 < superRowPtr.length; group++) {
      const base = superRowBase?.[group] ?? 0;
      for (let i = superRowPtr[group]!; i < superRowPtr[group + 1]!; i++) {
        for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) visit(i, base + colIdx[k]!, this.valueOfEntry(k));
      }
    }
  }

  override get arrays(): readonly (ArrayBufferView | undefined)[] {
    return [...super.arrays, this.superRowPtr, this.superSuperRowPtr, this.superRowBase];
  }

  /**
   * The address of a header of the same entries in other groups: to try sizes without storing the entries again. It is
   * valid while the scope and this matrix live. Not for 16-bit columns, which count from a base per super-row.
   */
  regrouped(scope: HeapScope, groups: Groups): number {
    const own = readHeader(scope.heap, CSRK_HEADER, this.header);
    return placeHeader(scope, CSRK_HEADER, { ...own, ...groupWords(placeGroups(scope, groups)) });
  }
}

function placeGroups(scope: HeapScope, { superRowPtr, superSuperRowPtr }: Groups): Groups {
  return {
    superRowPtr: scope.copy(Uint32Array, superRowPtr),
    superSuperRowPtr: superSuperRowPtr && scope.copy(Uint32Array, superSuperRowPtr),
  };
}

/** The header words of groups that are in the heap. */
function groupWords({ superRowPtr, superSuperRowPtr }: Groups) {
  return { units: (superSuperRowPtr ?? superRowPtr).length - 1, superRowPtr, superSuperRowPtr };
}

/** Columns as offsets from the bases of their groups. */
function offsets(
  scope: HeapScope,
  { rowPtr, colIdx: columns, nnz }: CsrMatrix,
  groupPtr: Uint32Array,
  bases: Uint32Array,
  runLoop: RunLoop = serially,
): Uint16Array {
  const colIdx = scope.array(Uint16Array, nnz + READ_PAST);
  const workBefore = (group: number) => rowPtr[groupPtr[group]!]!;
  runLoop(placeOffsets, { groupPtr, rowPtr, columns, bases, colIdx }, { units: bases.length, workBefore });
  return colIdx.fill(0, nnz);
}

/** The GPU whose formulas give the sizes on a device: the newest one that has formulas. */
const ON_DEVICE: TunedGpu = 'hopper';

const parameters: ParametersOf<'k' | 'superRowSize' | 'superSuperRowSize', 'index' | 'values'> = {
  k: { kind: 'integer', default: 2, min: 2, max: 3, doc: 'levels: 2 = super-rows, 3 = super-super-rows too' },
  superRowSize: {
    kind: 'integer',
    default: SUPER_ROW_SIZE,
    min: 1,
    max: 2 ** 24,
    tuned: true,
    doc: "rows per super-row; default: as measured by 'sparlane tune', or on a device (k = 3) by the row density",
  },
  superSuperRowSize: {
    kind: 'integer',
    default: SUPER_SUPER_ROW_SIZE,
    min: 1,
    max: 2 ** 24,
    tuned: true,
    doc: 'super-rows per super-super-row (k = 3)',
  },
  index: {
    kind: 'word',
    default: '32',
    allowed: ['32', '16'],
    doc: 'bits per column: 32, or 16 from a base per super-row',
  },
  values: valuesParameter,
};

export const csrk: Format = {
  name: 'csrk',
  parameters,
  summary: 'CSR in super-rows (k = 2) and super-super-rows (k = 3)',
  source: 'Lane & Booth 2022, §2.2 and §4.2',
  suits: 'ordered matrices; one layout for CPU and GPU',
  variants: ['csrk', 'csrk?k=3', 'csrk?index=16', 'csrk?index=16&values=table'],
  /** For k = 3 with 32-bit columns, the sizes for a GPU, if neither is given. */
  onDevice({ rows, nnz }, { k, superRowSize, superSuperRowSize, groups, index = '32' }) {
    const isOpen = [superRowSize, superSuperRowSize, groups].every((size) => size === undefined);
    if (!isOpen || Number(k) !== 3 || index !== '32') return {};
    const sizes = gpuSizes(ON_DEVICE, nnz / Math.max(rows, 1));
    return { superRowSize: sizes.superRowSize, superSuperRowSize: sizes.superSuperRowSize };
  },
  /** Only with 16-bit columns: with 32 it is the same as CSR. */
  prospects({ matrix, features, sample }, dtype) {
    if (!isNarrow(sample, SUPER_ROW_SIZE)) return [];
    const { rows, nnz } = features;
    const groups = Math.ceil(rows / SUPER_ROW_SIZE);
    return valueProspects(features, dtype).map(({ values, kind, bytes }) => ({
      spec: formatSpec('csrk', parameters, { index: '16', values }),
      kernel: layoutName({ base: 'csrk', columns: 16, values: kind }),
      bytes: nnz * (2 + bytes) + 4 * (rows + 1) + 8 * groups + vectorBytes(features, dtype),
      entries: nnz,
      indivisible: heaviestGroup(matrix, SUPER_ROW_SIZE),
    }));
  },
  fromCsr(heap, matrix, dtype, asked, { tuning, runLoop, keepable } = {}) {
    const given = withTuning(matrix, dtype, asked, tuning);
    const { groups, ...resolved } = resolve(matrix.rows, given);
    using workspace = workspaceFor(heap, matrix, runLoop);
    const superRowPtr = workspace.array(Uint32Array, groups.superRowPtr.length);
    superRowPtr.set(groups.superRowPtr);
    const found = resolved.index === '16' ? basesOf(matrix, superRowPtr, {}, workspace) : undefined;
    // Perhaps too wide only because tuned super-rows are larger: 16-bit columns gain more than the tuned size.
    if (typeof found === 'number' && given !== asked)
      return csrk.fromCsr(heap, matrix, dtype, asked, { runLoop, keepable });
    const values = encodeValues(matrix, dtype, resolved.values, workspace);
    const bases = typeof found === 'object' ? found : undefined;
    const warnings = typeof found === 'number' ? [tooWide(`super-row ${found}`)] : [];
    const index = bases === undefined ? '32' : '16';
    const spec = formatSpec('csrk', parameters, { ...resolved, index, values: asParameter(values) }, given);
    const options = { spec, groups, values, bases, warnings, runLoop, keepable };
    return heap.build((scope) => new StoredCsrk(scope, matrix, dtype, options));
  },
};

/**
 * The given parameters, with the tuned size if none is given. Only for k = 2: the built-in number of super-rows per
 * super-super-row belongs to the built-in size.
 */
function withTuning(
  matrix: CsrMatrix,
  dtype: Dtype,
  asked: Readonly<Record<string, unknown>>,
  tuning: Tuning | undefined,
): Readonly<Record<string, unknown>> {
  const { k = 2, superRowSize, groups } = asked;
  if (tuning === undefined || superRowSize !== undefined || groups !== undefined || Number(k) !== 2) return asked;
  const size = tunedSize(tuning, dtype, matrix);
  return size === undefined ? asked : { ...asked, superRowSize: size };
}

/** The parameters and the groups: the given groups, or runs of equal length by the parameters. */
function resolve(rows: number, { groups, ...given }: Readonly<Record<string, unknown>>) {
  if (groups !== undefined) {
    const { index, values } = parameters;
    const rest = resolveParameters('csrk with groups', { index, values }, given);
    const checked = checkGroups(groups as Groups, rows);
    return { k: checked.superSuperRowPtr === undefined ? 2 : 3, ...rest, groups: checked };
  }
  const resolved = resolveParameters('csrk', parameters, given);
  const superRowPtr = runs(rows, resolved.superRowSize);
  const superSuperRowPtr = resolved.k === 3 ? runs(superRowPtr.length - 1, resolved.superSuperRowSize) : undefined;
  return { ...resolved, groups: { superRowPtr, superSuperRowPtr } };
}
