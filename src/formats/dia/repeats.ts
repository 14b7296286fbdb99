/**
 * Chunks with the same values on the same diagonals, which are stored once: those inside a grid with constant coefficients, those
 * at its left end, and so on. All threads find those that repeat a near one; of the others, those with the same two hashes of their entries are compared.
 */
import type { CsrMatrix } from '../../core/csr.js';
import { rowSpan } from '../../core/span.js';
import { type Counts, summed } from '../layout/pointers.js';
import type { ConversionWorkspace } from '../layout/workspace.js';
import type { Diagonals } from './diagonals.js';
import { areSame, type FindRepeats, findRepeats, wordsOf } from './repeat-loops.js';

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
  const hashes = array(Uint32Array, 2 * units);
  const slots = array(Uint32Array, units);
  const owner = array(Uint32Array, units);
  const chunks = { rows, chunkHeight, diagonals: offsets.length, width, rowPtr, colIdx, values, offsets, counts };
  const job = { ...chunks, hashes, slots, owner };
  runLoop(findRepeats, job, span);
  findFirst(job, units);
  const stored = array(Uint32Array, units);
  for (let chunk = 0; chunk < units; chunk++) stored[chunk] = owner[chunk] === chunk ? counts[chunk]! : 0;
  return { owner, stored: summed(stored, workspace) };
}

/**
 * Finds for each chunk that is its own owner the first one with the same hashes, by a table of open addressing, at most half full, and compares both. The others get
 * that of their owners.
 */
function findFirst(job: FindRepeats, units: number): void {
  const { hashes, owner } = job;
  const words = wordsOf(job.values);
  const mask = 2 ** Math.ceil(Math.log2(2 * units + 1)) - 1;
  const table = new Int32Array(mask + 1).fill(-1);
  for (let chunk = 0; chunk < units; chunk++) {
    const near = owner[chunk]!;
    if (near !== chunk) {
      owner[chunk] = owner[near]!;
      continue;
    }
    const low = hashes[2 * chunk]!;
    const high = hashes[2 * chunk + 1]!;
    let slot = (low ^ (high >>> 15)) & mask;
    for (; table[slot]! >= 0; slot = (slot + 1) & mask) {
      const found = table[slot]!;
      if (hashes[2 * found] === low && hashes[2 * found + 1] === high) break;
    }
    if (table[slot]! < 0) table[slot] = chunk;
    else if (areSame(job, words, chunk, table[slot]!)) owner[chunk] = table[slot]!;
  }
}
