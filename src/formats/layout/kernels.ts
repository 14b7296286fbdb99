import type { KernelInstances } from '../instances.js';

/** Of the stages that formats share. */
export const LAYOUT_KERNELS: readonly KernelInstances[] = [
  { layout: 'y', verbs: ['scale', 'reduce'], types: 'product' },
];
