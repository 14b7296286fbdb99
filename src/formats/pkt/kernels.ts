import type { KernelInstances } from '../instances.js';

export const PKT_KERNELS: readonly KernelInstances[] = [{ layout: 'pkt', verbs: ['spmv'], types: 'product' }];
