import type { KernelInstances } from '../../formats/instances.js';

/** Of vectors, algebra and triangles. */
export const TEAM_KERNELS: readonly KernelInstances[] = [
  { layout: 'vector', verbs: ['program'], types: 'single' },
  { layout: 'factors', verbs: ['gather', 'negate', 'pivots'], types: 'single' },
  { layout: 'lines', verbs: ['rows', 'columns', 'diagonal', 'scale'], types: 'single' },
  { layout: 'add', verbs: ['fill'], types: 'single' },
  { layout: 'kronecker', verbs: ['fill'], types: 'single' },
  { layout: 'spgemm', verbs: ['fill'], types: 'single' },
  { layout: 'transpose', verbs: ['fill', 'spread', 'settle'], types: 'single' },
  { layout: 'ordered', verbs: ['trsv', 'factor'], types: 'product' },
  { layout: 'lu', verbs: ['factor'], types: 'product' },
  { layout: 'slices', verbs: ['fill'], types: 'none', columns: [32, 16] },
  { layout: 'groups', verbs: ['fill'], types: 'none', columns: [32, 16] },
  { layout: 'slices', verbs: ['forward', 'backward'], types: 'product', columns: [32, 16] },
  { layout: 'rows', verbs: ['forward', 'backward'], types: 'product', columns: [32, 16] },
  { layout: 'groups', verbs: ['forward', 'backward'], types: 'product', columns: [32, 16] },
];
