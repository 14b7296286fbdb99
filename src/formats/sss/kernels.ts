import type { KernelInstances } from '../instances.js';

export const SSS_KERNELS: readonly KernelInstances[] = [
  { layout: 'sss', verbs: ['spmv'], types: 'product', columns: [32, 16] },
  { layout: 'sss', verbs: ['add_halos'], types: 'product' },
  { layout: 'sss', verbs: ['compare', 'place'], types: 'conversion' },
];
