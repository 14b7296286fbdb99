import type { KernelInstances } from '../instances.js';

export const INODE_KERNELS: readonly KernelInstances[] = [
  { layout: 'inode', verbs: ['spmv', 'spmm'], types: 'product' },
  { layout: 'inode', verbs: ['place'], types: 'conversion' },
];
