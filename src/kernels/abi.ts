/**
 * The contract between TypeScript and the kernels' module in `assembly/`.
 *
 * Every kernel has one signature, over a range of the format's units: `<layout>_<verb>_<dtype>(header, operands, begin,
 * end)`. The header describes the matrix, the operand block everything else, so that another verb (a block product, a
 * transposed product) is another name, not another signature. β = 0 overwrites y, NaN included. α = 0 is not a special
 * case and does not hide a NaN of A or x.
 */
import type { Dtype } from '../core/types.js';
import { type KernelId, layoutName } from '../formats/format.js';

export type Kernel = (
  /** Address of the header block. */
  header: number,
  /** Address of an operand block (`OPERANDS`), which nobody writes during the call. */
  operands: number,
  begin: number,
  end: number,
) => void;

export type OperandName = 'x' | 'y' | 'carry' | 'columns' | 'xStride' | 'yStride' | 'alpha' | 'beta';

export interface Operand {
  readonly type: 'usize' | 'u32' | 'f64';
  /** Offset in the block, in bytes. */
  readonly offset: number;
}

/**
 * The operand block, one cache line, from which the build makes the class `Operands` of `assembly/`. Addresses are bytes in the shared memory.
 * α and β are f64 for every dtype.
 */
export const OPERANDS: Readonly<Record<OperandName, Operand>> = {
  x: { type: 'usize', offset: 0 },
  y: { type: 'usize', offset: 4 },
  /** Address of the part's carry slot (`execution/carries.ts`); unused if units own their rows. */
  carry: { type: 'usize', offset: 8 },
  /** Number of columns of x and y: 1 for vectors. */
  columns: { type: 'u32', offset: 12 },
  /** Elements between two rows of x, and of y: 1 for vectors. Only verbs of several columns read them. */
  xStride: { type: 'u32', offset: 16 },
  yStride: { type: 'u32', offset: 20 },
  alpha: { type: 'f64', offset: 24 },
  beta: { type: 'f64', offset: 32 },
};

/** Room for an operand block: a cache line, so that two threads never write the same one. */
export const OPERANDS_BYTES = 64;

/** The export of a kernel: `csrk16_table_spmv_f64`. */
export function kernelName(kernel: KernelId, dtype: Dtype): string {
  return `${layoutName(kernel)}_${kernel.verb}_${dtype}`;
}

/** Runs a list of operations on vectors of elements of `width` bytes: 8 or 4. */
export function vectorKernelName(width: number): string {
  return width === 4 ? 'vector_program_f32' : 'vector_program_f64';
}

/** How a preconditioner is factored (`assembly/triangular/factor.ts`). */
export type TriangularForm = 'cholesky' | 'lu';

/** The export of a factorization of all rows by one thread. */
export function factorKernelName(form: TriangularForm, dtype: Dtype): string {
  return `${form}_factor_${dtype}`;
}

/** The export of a step over chunks that are claimed in order (`assembly/triangular/ordered.ts`). */
export function orderedKernelName(step: 'trsv' | 'factor', dtype: Dtype): string {
  return `ordered_${step}_${dtype}`;
}

/** How rows share vector registers in a triangular solve (`assembly/triangular/slices.ts`). */
export type SliceKind = 'slices' | 'rows' | 'groups';

/** The export of one pass of it. @param isNarrow whether columns have 16 bits */
export function slicesKernelName(
  kind: SliceKind,
  isNarrow: boolean,
  pass: 'forward' | 'backward',
  dtype: Dtype,
): string {
  return `${kind}${isNarrow ? '16' : ''}_${pass}_${dtype}`;
}

/** How the numbers of factors are stored. Vectors and arithmetic are f64. */
export type FactorDtype = 'f64' | 'f32';

const STORED_AS = { f64: 'f64', f32: 'mixed' } as const;

/** The export of a factorization by supernodes (`assembly/direct/supernodes.ts`). */
export function supernodesKernelName(form: 'cholesky' | 'indefinite', stored: FactorDtype): string {
  return `supernodes_${form}_${STORED_AS[stored]}`;
}

/** The export of a solve with its factors, of one vector or of four (`assembly/direct/supernodes-solve.ts`). */
export function supernodesSolveName(columns: 1 | 4, stored: FactorDtype): string {
  return `supernodes_${columns === 1 ? 'solve' : 'solve4'}_${STORED_AS[stored]}`;
}

/** The steps of a transposition (`assembly/algebra/transpose.ts`). */
export type TransposeStep = 'count' | 'total' | 'place' | 'fill' | 'buckets' | 'spread' | 'settle';

/** The export of a step. Only some steps move values, of `width` bytes: 8 or 4. */
export function transposeKernelName(step: TransposeStep, width: number): string {
  const moves = step === 'fill' || step === 'spread' || step === 'settle';
  return `transpose_${step}${moves ? (width === 4 ? '_f32' : '_f64') : ''}`;
}

/** Finds the columns that parts of the rows of a matrix reach (`assembly/algebra/windows.ts`). */
export const WINDOWS_REACH = 'windows_reach';

/** The steps over rows of A and B (`assembly/algebra/row-pairs.ts`). */
export type PairStep = 'add_count' | 'add_fill' | 'kronecker_fill';

/** The export of a step. Only some steps read values, of `width` bytes: 8 or 4. */
export function pairKernelName(step: PairStep, width: number): string {
  return step === 'add_count' ? step : `${step}_${width === 4 ? 'f32' : 'f64'}`;
}

/** What is computed along rows and columns (`assembly/algebra/lines.ts`). */
export type LineStep = 'rows' | 'columns' | 'join' | 'diagonal' | 'scale';

/** The export of a step. `join` reads no values; the others those of `width` bytes: 8 or 4. */
export function lineKernelName(step: LineStep, width: number): string {
  return `lines_${step}${step === 'join' ? '' : width === 4 ? '_f32' : '_f64'}`;
}

/** The steps of a product of two matrices (`assembly/algebra/spgemm.ts`). */
export type SpgemmStep = 'weigh' | 'pack' | 'count' | 'fill';

/** The export of a step. Only `fill` reads values, of `width` bytes: 8 or 4. */
export function spgemmKernelName(step: SpgemmStep, width: number): string {
  return `spgemm_${step}${step === 'fill' ? (width === 4 ? '_f32' : '_f64') : ''}`;
}

/** Reads cache lines; the baseline of every product. */
export const STREAM_READ = 'stream_read';

/** y ← α x + z over cache lines of f64. */
export const STREAM_TRIAD = 'stream_triad';

/** The module is built twice from one source. `relaxed-simd` has fused multiply-add. */
export type KernelBinary = 'simd' | 'relaxed-simd';
