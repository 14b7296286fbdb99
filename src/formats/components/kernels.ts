import type { KernelInstances } from '../instances.js';

export const COMPONENTS_KERNELS: readonly KernelInstances[] = [
  { layout: 'components', verbs: ['spmv', 'spmm'], types: 'product', values: ['full', 'table', 'pattern'] },
  { layout: 'components', verbs: ['place'], types: 'encoding' },
];
