/** Memories of an engine beyond the first: a heap in each, for the same threads. */
import { Heap } from '../../memory/heap.js';
import type { TeamContext } from './backend.js';

/**
 * The kernels and the threads over another memory, with the same maximum size; only if `team.servesOthers`.
 *
 * @throws SparlaneError `heap` if the system has no room for the memory
 */
export function overAnotherMemory({ kernels, team, heap, warm, advise }: TeamContext): TeamContext {
  const other = new Heap({ maximumBytes: heap.maximumBytes });
  advise?.(other);
  const teamThere = team.over(other);
  // V8 optimizes a kernel once for all memories.
  return { kernels, own: teamThere.own, team: teamThere, heap: other, warm, advise };
}
