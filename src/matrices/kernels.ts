import type { KernelInstances } from '../formats/instances.js';

export const MATRIX_KERNELS: readonly KernelInstances[] = [
  { layout: 'lines', verbs: ['rows', 'columns', 'diagonal', 'scale'], types: 'single' },
  { layout: 'add', verbs: ['fill'], types: 'single' },
  { layout: 'kronecker', verbs: ['fill'], types: 'single' },
  { layout: 'spgemm', verbs: ['fill'], types: 'single' },
  { layout: 'transpose', verbs: ['fill', 'spread', 'settle'], types: 'single' },
];
