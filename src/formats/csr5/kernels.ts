import type { KernelInstances } from '../instances.js';

export const CSR5_KERNELS: readonly KernelInstances[] = [
  { layout: 'csr5', verbs: ['spmv'], types: 'product' },
  { layout: 'csr5', verbs: ['transpose'], types: 'conversion' },
];
