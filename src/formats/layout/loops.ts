/**
 * The loops of conversions without a kernel. Threads identify a loop by its index in this list, which follows the kernels. A page loads
 * them for each of its threads, before its first product: a loop with a kernel comes with its format.
 */
import { sortWindows } from '../sell/chunk-loops.js';
import { countRest, placeRest } from '../sell/rest-loops.js';
import { clearElements, copyElements, touch } from './copy-loop.js';
import type { Loop } from './loop.js';
import { encodeBlocks, findOther, renumberBlocks } from './value-loops.js';

// biome-ignore lint/suspicious/noExplicitAny: each loop has a job of its own
export const LOOPS: readonly Loop<any>[] = [
  touch,
  clearElements,
  copyElements,
  encodeBlocks,
  renumberBlocks,
  findOther,
  sortWindows,
  countRest,
  placeRest,
];
