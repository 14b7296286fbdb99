import type { KernelInstances } from '../instances.js';

export const CSR_KERNELS: readonly KernelInstances[] = [
  { layout: 'csr', verbs: ['spmv', 'spmm', 'spmv_t'], types: 'product', values: ['full', 'table', 'pattern'] },
  { layout: 'csr', verbs: ['spmm_fast'], types: 'product' },
  { layout: 'csr_merge', verbs: ['spmv'], types: 'product', values: ['full', 'table', 'pattern'] },
];
