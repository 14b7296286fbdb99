import type { KernelInstances } from '../../formats/instances.js';

export const TRIANGULAR_KERNELS: readonly KernelInstances[] = [
  { layout: 'factors', verbs: ['gather', 'negate', 'pivots'], types: 'single' },
  { layout: 'ordered', verbs: ['trsv', 'factor'], types: 'product' },
  { layout: 'lu', verbs: ['factor'], types: 'product' },
  { layout: 'slices', verbs: ['fill'], types: 'none', columns: [32, 16] },
  { layout: 'groups', verbs: ['fill'], types: 'none', columns: [32, 16] },
  { layout: 'slices', verbs: ['forward', 'backward'], types: 'product', columns: [32, 16] },
  { layout: 'rows', verbs: ['forward', 'backward'], types: 'product', columns: [32, 16] },
  { layout: 'groups', verbs: ['forward', 'backward'], types: 'product', columns: [32, 16] },
];
