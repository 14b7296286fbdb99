/**
 * Fewer bytes for values: 8-bit codes into a table if there are at most 256 different values (stencils, graphs), and no
 * bytes if every value is 1 (patterns). A format that offers this has the parameter `values`, and kernels for each
 * kind. A matrix without the property is stored in full, and a warning gives the reason.
 */
import type { CsrMatrix } from '../../core/csr.js';
import { type Dtype, type FloatArray, valueArray, vectorArray } from '../../core/types.js';
import type { Features } from '../../features/features.js';
import type { HeapScope } from '../../memory/heap.js';
import { MAX_VALUES } from './code-book.js';
import { codesOf, firstOther } from './codes.js';
import { copyWith } from './copy-loop.js';
import { type Keepable, keep } from './keep.js';
import { type RunLoop, serially } from './loop.js';
import { ALONE, type ConversionWorkspace } from './workspace.js';

/** How a layout stores values: each by itself, as codes of a table of values, or not at all, since all are 1. */
export type ValueKind = 'full' | 'table' | 'pattern';

/** Values in full, or codes; empty for a pattern. */
export type StoredValues = FloatArray | Uint8Array;

/** The parameter `values` of formats that have all three kinds. */
export const valuesParameter = {
  kind: 'word',
  default: 'auto',
  allowed: ['auto', 'full', 'table', 'pattern'],
  doc: 'full; table: 8-bit codes of at most 256 values; pattern: all ones; auto: pattern or full',
} as const;

/** A way to store values that suits a matrix. */
export interface ValueProspect {
  /** The parameter `values`. */
  readonly values: string;
  readonly kind: ValueKind;
  /** Bytes per entry. */
  readonly bytes: number;
}

/** Values in full, or without bytes for a pattern; in addition a table, if the sample has few different values. */
export function valueProspects(
  { field, differentValues }: Features,
  dtype: Dtype,
  { padded = false }: { padded?: boolean } = {},
): readonly ValueProspect[] {
  if (field === 'pattern' && !padded) return [{ values: valuesParameter.default, kind: 'pattern', bytes: 0 }];
  const values = padded ? paddedValuesParameter.default : valuesParameter.default;
  const inFull: ValueProspect = { values, kind: 'full', bytes: valueArray(dtype).BYTES_PER_ELEMENT };
  const most = padded ? MAX_VALUES - 1 : MAX_VALUES;
  return differentValues > most ? [inFull] : [inFull, { values: 'table', kind: 'table', bytes: 1 }];
}

/** The values of a matrix as they will be stored, in the order of the hub. */
export interface EncodedValues {
  readonly kind: ValueKind;
  /** Values, not yet rounded to the dtype, or codes; empty for a pattern. */
  readonly entries: StoredValues;
  /** The value of each code, in the type of the sums; empty without codes. */
  readonly table: FloatArray;
  /** The reason why the requested kind was not possible. */
  readonly warning?: string;
}

/** The entries are those of the matrix, not copied, or an array of the workspace. */
export function encodeValues(
  matrix: CsrMatrix,
  dtype: Dtype,
  wanted: string,
  workspace: ConversionWorkspace = ALONE,
): EncodedValues {
  const { values, field } = matrix;
  if (wanted === 'pattern' || (wanted === 'auto' && field === 'pattern')) {
    const other = firstOther(values, workspace);
    if (other === values.length)
      return {
        kind: 'pattern',
        entries: new Uint8Array(0),
        table: new Float64Array(0),
      };
    if (wanted === 'pattern') return full(matrix, `values=pattern: expected all values 1, got ${values[other]}`);
  }
  if (wanted !== 'table') return full(matrix);
  const coded = codesOf(values, valueArray(dtype) === Float32Array, workspace);
  if (coded === undefined) return full(matrix, `values=table: expected up to ${MAX_VALUES} different values, got more`);
  return {
    kind: 'table',
    entries: coded.codes,
    table: new (vectorArray(dtype))(coded.table),
  };
}

/** The warnings about values of a stored matrix: one or none. */
export function warningsOf({ warning }: EncodedValues): readonly string[] {
  return warning === undefined ? [] : [warning];
}

/** The parameter `values` for values stored this way: its default if they are stored in full. */
export function asParameter({ kind }: EncodedValues): string {
  return kind === 'full' ? valuesParameter.default : kind;
}

/** Values of a format that pads, with the zero of its padding, as a value or as a code. */
export interface PaddedValues extends EncodedValues {
  readonly zero: number;
}

/** The parameter `values` of formats that pad: a pattern has no zero to pad with. */
export const paddedValuesParameter = {
  kind: 'word',
  default: 'full',
  allowed: ['full', 'table'],
  doc: 'full; table: 8-bit codes of at most 256 values, the 0 of padding included',
} as const;

/** As `encodeValues`; a table contains +0 and thus has room for 255 other values. */
export function encodePadded(
  matrix: CsrMatrix,
  dtype: Dtype,
  wanted: string,
  workspace: ConversionWorkspace = ALONE,
): PaddedValues {
  const encoded = encodeValues(matrix, dtype, wanted, workspace);
  if (encoded.kind !== 'table') return { ...encoded, zero: 0 };
  const { table } = encoded;
  const zero = table.findIndex((value) => Object.is(value, 0));
  if (zero >= 0) return { ...encoded, zero };
  if (table.length === MAX_VALUES)
    return {
      ...full(matrix, `values=table: expected room for the 0 of padding, got ${MAX_VALUES} other values`),
      zero: 0,
    };
  return { ...encoded, table: vectorArray(dtype).of(...table, 0), zero: table.length };
}

function full({ values }: CsrMatrix, warning?: string): EncodedValues {
  const encoded: EncodedValues = {
    kind: 'full',
    entries: values,
    table: new Float64Array(0),
  };
  return warning === undefined ? encoded : { ...encoded, warning: `${warning}; stored in full` };
}

/** Allocates room for `length` values of an encoding; the caller writes them. */
export function valueRoom(scope: HeapScope, encoded: EncodedValues, dtype: Dtype, length: number): StoredValues {
  if (encoded.kind === 'pattern') return new Uint8Array(0);
  return scope.array<StoredValues>(encoded.kind === 'table' ? Uint8Array : valueArray(dtype), length);
}

/** Stores values in the order of CSR, rounded to the dtype, followed by `past` places that a kernel may read. */
export function placeValues(
  scope: HeapScope,
  encoded: EncodedValues,
  dtype: Dtype,
  past: number,
  runLoop: RunLoop = serially,
  keepable?: Keepable,
): StoredValues {
  const { length } = encoded.entries;
  const kept = keep<FloatArray>(scope, keepable, encoded.entries, valueArray(dtype), past);
  if (kept !== undefined) return kept;
  const values = valueRoom(scope, encoded, dtype, length + past);
  copyWith(runLoop, encoded.entries, values);
  return values.fill(0, length);
}

/** The value stored at a place, in full, as a code, or as a pattern. */
export function valueAt(values: StoredValues, table: FloatArray, place: number): number {
  if (values.length === 0) return 1;
  return table.length === 0 ? values[place]! : table[values[place]!]!;
}

/** Stores the table in the heap, with room for one value per possible code; its address is 0 if there is none. */
export function placeTable(scope: HeapScope, { table }: EncodedValues): FloatArray {
  if (table.length === 0) return table;
  const room = scope.array<FloatArray>(table instanceof Float32Array ? Float32Array : Float64Array, MAX_VALUES);
  room.set(table);
  return room.subarray(0, table.length);
}
