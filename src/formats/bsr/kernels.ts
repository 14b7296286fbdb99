import type { KernelInstances } from '../instances.js';

export const BSR_KERNELS: readonly KernelInstances[] = [
  { layout: 'bsr', verbs: ['spmv', 'reduce', 'spmm', 'spmv_t'], types: 'product' },
  { layout: 'bsrN', verbs: ['spmv'], types: 'product', sizes: [2, 3, 4, 5, 6, 7, 8] },
  { layout: 'bsr', verbs: ['place'], types: 'conversion' },
];
