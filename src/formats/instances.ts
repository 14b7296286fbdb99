/**
 * Which instances of the generic kernels exist. A kernel is a generic function of `assembly/`, exported by the name `<layout>_<verb>`, whose
 * type parameters say what they stand for:
 *
 *     V    stored values           X    vectors and sums
 *     I    stored columns          S    the values that a conversion reads
 *
 * An instance is exported as `<layout>[16][_table | _pattern]_<verb>_<types>`, such as `sell16_table_spmv_f64`. Constants `…_KERNELS` of the
 * files `kernels.ts` list the instances; `scripts/describe-kernels.mjs` makes the exports from them.
 */
import { DTYPE_TYPES } from '../core/types.js';

type TypesName = 'product' | 'single' | 'conversion' | 'encoding' | 'none';

/** The types that a word at the end of a kernel's name stands for. */
export const TYPES: Readonly<Record<TypesName, Readonly<Record<string, Readonly<Record<string, string>>>>>> = {
  /** y ← α A x + β y, by the dtype of an operator. */
  product: Object.fromEntries(
    Object.entries(DTYPE_TYPES).map(([dtype, { values, vectors }]) => [dtype, { V: values, X: vectors }]),
  ),
  /** A matrix or a vector of one type. */
  single: {
    f64: { V: 'f64', X: 'f64' },
    f32: { V: 'f32', X: 'f32' },
  },
  /** A conversion, which reads values of one type and stores another one. */
  conversion: {
    f64: { S: 'f64', V: 'f64' },
    widened: { S: 'f32', V: 'f64' },
    mixed: { S: 'f64', V: 'f32' },
    f32: { S: 'f32', V: 'f32' },
  },
  /** A conversion that may also read codes of a value table, or store codes. */
  encoding: {
    f64: { S: 'f64', V: 'f64' },
    widened: { S: 'f32', V: 'f64' },
    mixed: { S: 'f64', V: 'f32' },
    f32: { S: 'f32', V: 'f32' },
    codes: { S: 'u8', V: 'u8' },
  },
  /** No word: a kernel that differs by its columns only. */
  none: { '': {} },
};

/** How values are stored: as numbers, as codes of a table, or not at all, because all are 1. */
export const STORED_VALUES = { full: undefined, table: 'Coded', pattern: 'Ones' } as const;

/** Bits of a stored column. */
export const STORED_COLUMNS = { 16: 'u16', 32: 'u32' } as const;

/** Instances of the kernels of a layout, whose generic functions are `<layout>_<verb>`. */
export interface KernelInstances {
  readonly layout: string;
  readonly verbs: readonly string[];
  readonly types: TypesName;
  /** Default: 32. */
  readonly columns?: readonly (keyof typeof STORED_COLUMNS)[];
  /** Default: full. */
  readonly values?: readonly (keyof typeof STORED_VALUES)[];
  /** Of a kernel whose first parameter is a size: `bsrN_spmv` is exported as `bsr2_spmv_f64` and so on. */
  readonly sizes?: readonly number[];
}
