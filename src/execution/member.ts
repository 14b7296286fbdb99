/** A member of a team, on its own thread, started by `pool.node.ts` or `pool.browser.ts`. */
import type { Kernel } from '../kernels/abi.js';
import { linkKernels } from '../kernels/module.js';
import type { Post } from './command.js';
import { Control } from './control.js';
import type { Orders } from './pool.js';

/** The kernels of this thread, by the number of their memory. A thread always belongs to the same team, so it links them only once. */
const linked: { readonly memory: WebAssembly.Memory; readonly kernels: readonly Kernel[] }[] = [];

/** Links the kernels to another memory of the team. */
function linkNext({ modules }: Orders, memory: WebAssembly.Memory): void {
  linked.push({ memory, kernels: linkKernels(modules, memory) });
}

/** Links the kernels to the first memory. */
export function link(orders: Orders): void {
  if (linked.length === 0) linkNext(orders, orders.memory);
}

/**
 * Stands by until the order to stand down.
 *
 * @param nextMemory returns the team's next memory that this thread does not have; undefined where the team has only one
 * @throws the error of a kernel; the thread remains usable
 */
export function serve(orders: Orders, nextMemory?: () => WebAssembly.Memory): void {
  const { memory: first, control: address, rank, ranks, spinMs } = orders;
  link(orders);
  // The team has one block in each memory.
  const controls = [new Control(first, address, rank, ranks, spinMs)];
  controls[0]!.arrive();
  for (let post: Post | undefined = { memory: 0, address }; post !== undefined; ) {
    while (linked.length <= post.memory) linkNext(orders, nextMemory!());
    const { memory, kernels } = linked[post.memory]!;
    controls[post.memory] ??= new Control(memory, post.address, rank, ranks, spinMs);
    post = controls[post.memory]!.standBy(kernels);
  }
}
