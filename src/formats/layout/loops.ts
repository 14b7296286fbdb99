/** All loops of conversions. Threads identify a loop by its index in this list, which follows the kernels. */
import { countBlocks, placeBlocks } from '../bsr/loops.js';
import { markDiagonals, placeDiagonals } from '../dia/loops.js';
import { placeChunks } from '../sell/loops.js';
import { clearElements, copyElements } from './copy-loop.js';
import { findDisorder, touch } from './entry-loops.js';
import type { Loop } from './loop.js';

// biome-ignore lint/suspicious/noExplicitAny: each loop has a job of its own
export const LOOPS: readonly Loop<any>[] = [
  touch,
  findDisorder,
  clearElements,
  copyElements,
  markDiagonals,
  placeDiagonals,
  placeChunks,
  countBlocks,
  placeBlocks,
];
