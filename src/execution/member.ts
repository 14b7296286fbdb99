/** A member of a team, on its own thread: what `pool.node.ts` and `pool.browser.ts` run. */
import { linkKernels } from '../kernels/module.js';
import { Control } from './control.js';
import type { Orders } from './pool.js';

/** Stands by until the team is stood down. @throws what a kernel throws; the thread remains usable. */
export function serve({ module, memory, control, rank, ranks, spins }: Orders): void {
  new Control(memory, control).standBy(rank, ranks, spins, linkKernels(module, memory));
}
