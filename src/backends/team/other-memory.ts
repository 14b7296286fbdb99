/** Memories of an engine beyond the first: a heap in each, for the same threads. */
import { linkKernels } from '../../kernels/module.js';
import { Heap } from '../../memory/heap.js';
import type { TeamContext } from './backend.js';

/**
 * The kernels and the threads over another memory, with the same maximum size; only if `team.servesOthers`.
 *
 * @throws SparlaneError `heap` if the system has no room for the memory
 */
export function overAnotherMemory({ kernels, team, heap, warm }: TeamContext): TeamContext {
  const other = new Heap({ maximumBytes: heap.maximumBytes });
  const own = linkKernels(kernels.modules, other.memory);
  // V8 optimizes a kernel once for all memories.
  return { kernels, own, team: team.over(other, own), heap: other, warm };
}
