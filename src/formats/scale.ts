/** y ← β y as a stage: the first stage if all others only add. Kernels: `assembly/scale.ts`. */
import type { HeapScope } from '../memory/heap.js';
import type { Stage } from './format.js';

/** Elements of y in a unit: one or two cache lines; no two parts share a line. */
const LINE = 16;

/** The scope owns its header. */
export function scaleStage(scope: HeapScope, rows: number): Stage {
  const header = scope.header([rows]); // ScaleHeader in assembly/
  return { kernel: 'scale', header, units: Math.ceil(rows / LINE), workBefore: (unit) => LINE * unit };
}
