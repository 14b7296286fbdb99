/**
 * The operands of a kernel, other than the matrix: the vectors or blocks of vectors, the factors, and the part's carry slot.
 * Layout and meaning: `OPERANDS` in `src/kernels/abi.ts`. A kernel loads what it uses once per call, before its loops.
 */
@unmanaged
export class Operands {
  x!: usize;
  y!: usize;
  carry!: usize;
  columns!: u32;
  xStride!: u32;
  yStride!: u32;
  alpha!: f64;
  beta!: f64;
}
