import type { KernelInstances } from './instances.js';

/** Of `csr` and `coo`, and of the stages that formats share. */
export const FORMAT_KERNELS: readonly KernelInstances[] = [
  { layout: 'csr', verbs: ['spmv', 'spmm', 'spmv_t'], types: 'product', values: ['full', 'table', 'pattern'] },
  { layout: 'csr_merge', verbs: ['spmv'], types: 'product', values: ['full', 'table', 'pattern'] },
  { layout: 'coo', verbs: ['spmv', 'spmm', 'spmv_t'], types: 'product', values: ['full', 'table', 'pattern'] },
  { layout: 'coo_atomic', verbs: ['spmv'], types: 'product', values: ['full', 'table', 'pattern'] },
  { layout: 'y', verbs: ['scale', 'reduce'], types: 'product' },
];
