import type { KernelInstances } from '../../formats/instances.js';

export const TEAM_KERNELS: readonly KernelInstances[] = [{ layout: 'vector', verbs: ['program'], types: 'single' }];
