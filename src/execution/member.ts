/** A member of a team, on its own thread: what `pool.node.ts` and `pool.browser.ts` run. */
import type { Kernel } from '../kernels/abi.js';
import { linkKernels } from '../kernels/module.js';
import { Control } from './control.js';
import type { Orders } from './pool.js';

let place: { readonly control: Control; readonly kernels: readonly Kernel[] } | undefined;

/**
 * Stands by until the team is stood down. A thread belongs to one team for life, so it links the kernels only once.
 *
 * @throws what a kernel throws; the thread remains usable
 */
export function serve({ module, memory, control, rank, ranks, spins }: Orders): void {
  place ??= { control: new Control(memory, control), kernels: linkKernels(module, memory) };
  place.control.standBy(rank, ranks, spins, place.kernels);
}
