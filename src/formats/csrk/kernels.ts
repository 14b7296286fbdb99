import type { KernelInstances } from '../instances.js';

export const CSRK_KERNELS: readonly KernelInstances[] = [
  {
    layout: 'csrk',
    verbs: ['spmv', 'spmm'],
    types: 'product',
    columns: [32, 16],
    values: ['full', 'table', 'pattern'],
  },
  // With 32 bits, those of csr.
  { layout: 'csrk', verbs: ['spmv_t'], types: 'product', columns: [16], values: ['full', 'table', 'pattern'] },
];
