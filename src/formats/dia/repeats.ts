/**
 * Chunks with the same values on the same diagonals, which are stored once: those inside a grid with constant coefficients, those
 * at its left end, and so on. They are found by two hashes of their entries, and then compared.
 */
import type { CsrMatrix } from '../../core/csr.js';
import { rowSpan } from '../../core/span.js';
import { type Counts, summed } from '../layout/pointers.js';
import type { ConversionWorkspace } from '../layout/workspace.js';
import type { Diagonals } from './diagonals.js';
import { compareChunks, hashChunks } from './repeat-loops.js';

export interface Repeats {
  /** For each chunk the first one with the same entries. */
  readonly owner: Uint32Array;
  /** Diagonals of each chunk that is stored; 0 for the others. */
  readonly stored: Counts;
}

export function repeatsOf(
  matrix: CsrMatrix,
  { chunkHeight, offsets, counts }: Diagonals,
  workspace: ConversionWorkspace,
): Repeats {
  const { rows, rowPtr } = matrix;
  const { runLoop, array, near } = workspace;
  const [colIdx, values] = [near(matrix.colIdx), near(matrix.values)];
  const width = values.BYTES_PER_ELEMENT / 4;
  const job = { rows, chunkHeight, width, rowPtr, colIdx, values };
  const span = rowSpan(matrix, chunkHeight);
  const hashes = array(Uint32Array, 2 * span.units);
  runLoop(hashChunks, { ...job, hashes }, span);
  const owner = firstWithSame(hashes, array(Uint32Array, span.units));
  if (owner.some((first, chunk) => first !== chunk))
    runLoop(compareChunks, { ...job, diagonals: offsets.length, offsets, counts: counts.counts, owner }, span);
  const stored = array(Uint32Array, span.units);
  for (let chunk = 0; chunk < owner.length; chunk++) stored[chunk] = owner[chunk] === chunk ? counts.counts[chunk]! : 0;
  return { owner, stored: summed(stored, workspace) };
}

/** For each pair of hashes the first place of an equal pair: open addressing, at most half full. */
function firstWithSame(hashes: Uint32Array, owner: Uint32Array): Uint32Array {
  const mask = 2 ** Math.ceil(Math.log2(2 * owner.length + 1)) - 1;
  const places = new Int32Array(mask + 1).fill(-1);
  for (let chunk = 0; chunk < owner.length; chunk++) {
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
