import type { KernelInstances } from '../instances.js';

export const PANELS_KERNELS: readonly KernelInstances[] = [
  { layout: 'panels', verbs: ['spmv', 'spmm'], types: 'product', values: ['full', 'table', 'pattern'] },
  { layout: 'panels', verbs: ['place'], types: 'encoding' },
];
