/** A member of a team, on its own thread, started by `pool.node.ts` or `pool.browser.ts`. */
import type { Kernel } from '../kernels/abi.js';
import { linkKernels } from '../kernels/module.js';
import type { Post } from './command.js';
import { Control } from './control.js';
import type { Orders } from './pool.js';

/** The memories of the team by number, and the kernels of this thread in them. A thread always belongs to the same team, so it links them only once. */
const linked: { readonly memory: WebAssembly.Memory; readonly kernels: readonly Kernel[] }[] = [];

type NextMemory = () => WebAssembly.Memory;

/** Links the kernels to the memories up to a number, if they are not. */
function linkUpTo(place: number, orders: Orders, nextMemory?: NextMemory): (typeof linked)[number] {
  const { modules, memory: first } = orders;
  const memoryOf = (other: number) => linkUpTo(other, orders, nextMemory).memory;
  while (linked.length <= place) {
    const memory = linked.length === 0 ? first : nextMemory!();
    linked.push({ memory, kernels: linkKernels(modules, memory, memoryOf) });
  }
  return linked[place]!;
}

/** Links the kernels to the first memory. */
export function link(orders: Orders, nextMemory?: NextMemory): void {
  linkUpTo(0, orders, nextMemory);
}

/**
 * Stands by until the order to stand down.
 *
 * @param nextMemory returns the team's next memory that this thread does not have; undefined where the team has only one
 * @throws the error of a kernel; the thread remains usable
 */
export function serve(orders: Orders, nextMemory?: NextMemory): void {
  const { memory: first, control: address, rank, ranks, spinMs } = orders;
  link(orders, nextMemory);
  // The team has one block in each memory.
  const controls = [new Control(first, address, rank, ranks, spinMs)];
  controls[0]!.arrive();
  for (let post: Post | undefined = { memory: 0, address }; post !== undefined; ) {
    const { memory, kernels } = linkUpTo(post.memory, orders, nextMemory);
    controls[post.memory] ??= new Control(memory, post.address, rank, ranks, spinMs);
    post = controls[post.memory]!.standBy(kernels);
  }
}
