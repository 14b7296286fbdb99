import type { KernelInstances } from '../instances.js';

/** Of `sell`, `ell` and `hyb`. */
export const SELL_KERNELS: readonly KernelInstances[] = [
  { layout: 'sell', verbs: ['spmv', 'spmm', 'spmv_t'], types: 'product', columns: [32, 16], values: ['full', 'table'] },
  { layout: 'sell', verbs: ['place'], types: 'encoding', columns: [32, 16] },
];
