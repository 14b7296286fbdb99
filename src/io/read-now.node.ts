/** Reads of files that do not give way to other work: from the system's memory, or on a thread of their own. */
import { readSync } from 'node:fs';

/** Fills the target with the bytes of a file from a position on, on this thread. Returns their number: fewer only at the end of the file. */
export function readNow(descriptor: number, target: Uint8Array, position: number): number {
  let used = 0;
  while (used < target.length) {
    const count = readSync(descriptor, target, used, target.length - used, position + used);
    if (count === 0) break;
    used += count;
  }
  return used;
}
