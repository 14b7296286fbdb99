import type { KernelInstances } from '../instances.js';

export const COO_KERNELS: readonly KernelInstances[] = [
  { layout: 'coo', verbs: ['spmv', 'spmm', 'spmv_t'], types: 'product', values: ['full', 'table', 'pattern'] },
  { layout: 'coo_atomic', verbs: ['spmv'], types: 'product', values: ['full', 'table', 'pattern'] },
];
