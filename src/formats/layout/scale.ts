/** y ← β y as a stage: the first stage if all others only add. Kernels: `assembly/scale.ts`. */
import { evenly } from '../../core/span.js';
import { placeHeader } from '../../memory/header.js';
import type { HeapScope } from '../../memory/heap.js';
import type { Stage } from '../format.js';

/** Elements of y in a unit: one or two cache lines; no two parts share a line. */
const LINE = 16;

export const SCALE_HEADER = {
  rows: 'u32',
} as const;

/** The scope owns its header. */
export function scaleStage(scope: HeapScope, rows: number): Stage {
  const header = placeHeader(scope, SCALE_HEADER, { rows });
  const kernel = { base: 'y', verb: 'scale' } as const;
  return { kernel, header, ...evenly(Math.ceil(rows / LINE), LINE) };
}
