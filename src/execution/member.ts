/** A member of a team, on its own thread, started by `pool.node.ts` or `pool.browser.ts`. */
import type { Kernel } from '../kernels/abi.js';
import { linkKernels } from '../kernels/module.js';
import { Control } from './control.js';
import type { Orders } from './pool.js';

let place: { readonly control: Control; readonly kernels: readonly Kernel[] } | undefined;

/**
 * Stands by until the order to stand down. A thread always belongs to the same team, so it links the kernels only once.
 *
 * @throws the error of a kernel; the thread remains usable
 */
export function serve({ module, memory, control, rank, ranks, spins }: Orders): void {
  place ??= { control: new Control(memory, control), kernels: linkKernels(module, memory) };
  place.control.standBy(rank, ranks, spins, place.kernels);
}
