/** A member of a team, on its own thread, started by `pool.node.ts` or `pool.browser.ts`. */
import type { Kernel } from '../kernels/abi.js';
import { linkKernels } from '../kernels/module.js';
import { Control } from './control.js';
import type { Orders } from './pool.js';

let kernels: readonly Kernel[] | undefined;

/** The kernels of this thread. A thread always belongs to the same team, so it links them only once. */
export function link({ modules, memory }: Orders): readonly Kernel[] {
  kernels ??= linkKernels(modules, memory);
  return kernels;
}

/**
 * Stands by until the order to stand down.
 *
 * @throws the error of a kernel; the thread remains usable
 */
export function serve(orders: Orders): void {
  const { memory, control, rank, ranks, spinMs } = orders;
  new Control(memory, control, rank, ranks, spinMs).standBy(link(orders));
}
