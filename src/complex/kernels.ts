/** The complex kernels, which have a module of their own (`complex-kernels.ts`), and the headers that they read. */
import type { KernelInstances } from '../formats/instances.js';

export const COMPLEX_HEADER = {
  /** The header of the layout, whose own values are not read. */
  matrix: 'usize',
  /** The pairs (re, im), in the order of the layout; READ_PAST more may be read and discarded. */
  values: 'usize',
  /** 1 for the conjugate of the matrix. */
  conjugate: 'u32',
} as const;

export const UNARY_HEADER = {
  /** The number of pairs. */
  rows: 'u32',
  /** 1 if (re, im) becomes (im, re), before signs change. */
  exchanges: 'u32',
  negatesReal: 'u32',
  negatesImaginary: 'u32',
} as const;

export const COMPLEX_KERNELS: readonly KernelInstances[] = [
  { layout: 'complex_csr', verbs: ['spmv', 'spmv_t', 'spmm'], types: 'product' },
  { layout: 'complex_csrk', verbs: ['spmv', 'spmv_t', 'spmm'], types: 'product', columns: [32, 16] },
  { layout: 'complex_coo', verbs: ['spmv', 'spmv_t', 'spmm'], types: 'product' },
  { layout: 'complex_sell', verbs: ['spmv', 'spmv_t', 'spmm'], types: 'product', columns: [32, 16] },
  { layout: 'complex_dia', verbs: ['spmv', 'spmm'], types: 'product' },
  { layout: 'complex_bsr', verbs: ['spmv', 'spmv_t', 'spmm'], types: 'product' },
  { layout: 'complex', verbs: ['unary'], types: 'single' },
];
