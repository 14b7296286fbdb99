/**
 * The contract between TypeScript and the kernels' module in `assembly/`.
 *
 * Every kernel has one signature, over a range of the format's units. Addresses are bytes in the shared memory; α and β are
 * f64 for every dtype. β = 0 overwrites y, NaN included. α = 0 is not a special case and does not hide a NaN of A or x.
 */
import type { Dtype } from '../core/types.js';

export type Kernel = (
  header: number,
  x: number,
  y: number,
  begin: number,
  end: number,
  /** Address of the part's carry slot (`execution/carries.ts`); unused if units own their rows. */
  carry: number,
  alpha: number,
  beta: number,
) => void;

export function kernelName(format: string, dtype: Dtype): string {
  return `${format}_spmv_${dtype}`;
}

/** Runs a list of operations on vectors of elements of `width` bytes: 8 or 4. */
export function vectorKernelName(width: number): string {
  return width === 4 ? 'vector_program_f32' : 'vector_program_f64';
}

/** Reads cache lines; the baseline of every product. */
export const STREAM_READ = 'stream_read';

/** y ← α x + z over cache lines of f64. */
export const STREAM_TRIAD = 'stream_triad';

/** The module is built twice from one source. `relaxed-simd` has fused multiply-add. */
export type KernelBinary = 'simd' | 'relaxed-simd';
