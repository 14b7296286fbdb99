import type { KernelInstances } from '../instances.js';

export const DIA_KERNELS: readonly KernelInstances[] = [
  { layout: 'dia', verbs: ['spmv', 'spmm'], types: 'product' },
  { layout: 'dia', verbs: ['place'], types: 'conversion' },
];
