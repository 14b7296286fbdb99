/**
 * Chunks with the same values on the same diagonals, which are stored once: those inside a grid with constant coefficients, those
 * at its left end, and so on. Most repeat one that is near. Of the others, those with the same two hashes of their entries are compared.
 */
import type { CsrMatrix } from '../../core/csr.js';
import { rowSpan } from '../../core/span.js';
import type { FloatArray } from '../../core/types.js';
import { entriesOfRows, typeOf } from '../layout/loop.js';
import { type Counts, summed } from '../layout/pointers.js';
import type { ConversionWorkspace } from '../layout/workspace.js';
import type { Diagonals } from './diagonals.js';
import { compareChunks, findRepeats } from './repeat-loops.js';

export interface Repeats {
  /** For each chunk the first one with the same entries. */
  readonly owner: Uint32Array;
  /** Diagonals of each chunk that is stored; 0 for the others. */
  readonly stored: Counts;
}

export function repeatsOf(
  matrix: CsrMatrix,
  { chunkHeight, offsets, counts: { counts } }: Diagonals,
  workspace: ConversionWorkspace,
): Repeats {
  const { rows, rowPtr, colIdx, values } = matrix;
  const { runLoop, array } = workspace;
  const width = values.BYTES_PER_ELEMENT / 4;
  const span = rowSpan(matrix, chunkHeight);
  const { units } = span;
  const chunks = { rows, chunkHeight, diagonals: offsets.length, width, rowPtr, offsets, counts };
  const hashes = array(Uint32Array, 2 * units);
  const near = array(Uint32Array, units);
  const places = array(Uint32Array, units);
  runLoop(findRepeats, { ...chunks, colIdx, values, hashes, places, owner: near }, span);
  const owner = firstWithSame(hashes, near, array(Uint32Array, units));
  runLoop(compareChunks, { ...chunks, ...copiesOf(matrix, chunkHeight, owner, workspace), owner }, span);
  for (let chunk = 0; chunk < units; chunk++) owner[chunk] = owner[near[chunk]!]!;
  const stored = array(Uint32Array, units);
  for (let chunk = 0; chunk < units; chunk++) stored[chunk] = owner[chunk] === chunk ? counts[chunk]! : 0;
  return { owner, stored: summed(stored, workspace) };
}

/** Copies the entries of the chunks that are compared: mostly few, so that the matrix itself may stay outside the heap. */
function copiesOf(
  { rowPtr, colIdx, values }: CsrMatrix,
  chunkHeight: number,
  owner: Uint32Array,
  { array }: ConversionWorkspace,
): { copyPtr: Uint32Array; colIdx: Uint32Array; values: FloatArray } {
  const units = owner.length;
  const isCopied = new Uint8Array(units);
  for (let chunk = 0; chunk < units; chunk++) if (owner[chunk] !== chunk) isCopied[chunk] = isCopied[owner[chunk]!] = 1;
  const copyPtr = array(Uint32Array, units);
  const ranges: [begin: number, end: number, place: number][] = [];
  let entries = 0;
  for (let chunk = 0; chunk < units; chunk++) {
    if (isCopied[chunk] === 0) continue;
    const [begin, end] = entriesOfRows(rowPtr, chunk * chunkHeight, (chunk + 1) * chunkHeight);
    copyPtr[chunk] = entries;
    if (isCopied[chunk - 1] === 1) ranges.at(-1)![1] = end;
    else ranges.push([begin, end, entries]);
    entries += end - begin;
  }
  const copies = { copyPtr, colIdx: array(Uint32Array, entries), values: array(typeOf(values), entries) };
  for (const [begin, end, place] of ranges) {
    copies.colIdx.set(colIdx.subarray(begin, end), place);
    copies.values.set(values.subarray(begin, end), place);
  }
  return copies;
}

/**
 * For each chunk without another owner the first one with the same pair of hashes, and itself for the others: open addressing, at most half full.
 *
 * @param near the owners near the chunks
 */
function firstWithSame(hashes: Uint32Array, near: Uint32Array, owner: Uint32Array): Uint32Array {
  const mask = 2 ** Math.ceil(Math.log2(2 * owner.length + 1)) - 1;
  const places = new Int32Array(mask + 1).fill(-1);
  for (let chunk = 0; chunk < owner.length; chunk++) {
    owner[chunk] = chunk;
    if (near[chunk] !== chunk) continue;
    const low = hashes[2 * chunk]!;
    const high = hashes[2 * chunk + 1]!;
    let place = (low ^ (high >>> 15)) & mask;
    for (; places[place]! >= 0; place = (place + 1) & mask) {
      const found = places[place]!;
      if (hashes[2 * found] === low && hashes[2 * found + 1] === high) break;
    }
    if (places[place]! < 0) places[place] = chunk;
    owner[chunk] = places[place]!;
  }
  return owner;
}
