/**
 * The loops of conversions, but those that have a kernel for every job. Threads identify a loop by its index in this list, which follows
 * the kernels.
 */
import { placeBlocks } from '../bsr/loops.js';
import { countPieces, placePieces } from '../components/loops.js';
import { countEnds, markEnds, transposeTiles } from '../csr5/tile-loops.js';
import { placeDiagonals } from '../dia/loops.js';
import { countColumns, markRepeated, placeGroups } from '../inode/loops.js';
import { countTiles, placeTiles } from '../panels/loops.js';
import { cutRows, lengthsOfRows, measureChunks, sortWindows } from '../sell/chunk-loops.js';
import { placeChunks } from '../sell/loops.js';
import { countRest, placeRest } from '../sell/rest-loops.js';
import { placeTriangle } from '../sss/loops.js';
import { clearElements, copyElements } from './copy-loop.js';
import { findDisorder, touch } from './entry-loops.js';
import type { Loop } from './loop.js';
import { sumBlocks, writePointers } from './pointers.js';
import { countSteady, measureRows, placeRows } from './row-loops.js';
import { encodeBlocks, findOther, renumberBlocks } from './value-loops.js';

// biome-ignore lint/suspicious/noExplicitAny: each loop has a job of its own
export const LOOPS: readonly Loop<any>[] = [
  touch,
  countSteady,
  measureRows,
  placeRows,
  sumBlocks,
  writePointers,
  findDisorder,
  clearElements,
  copyElements,
  encodeBlocks,
  renumberBlocks,
  findOther,
  placeDiagonals,
  lengthsOfRows,
  sortWindows,
  measureChunks,
  cutRows,
  placeChunks,
  placeBlocks,
  countPieces,
  placePieces,
  markRepeated,
  countColumns,
  placeGroups,
  countRest,
  placeRest,
  markEnds,
  countEnds,
  transposeTiles,
  placeTriangle,
  countTiles,
  placeTiles,
];
