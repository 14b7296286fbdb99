/**
 * HYB, the hybrid format: the typical number of entries of every row in ELL, the further entries of long rows in COO.
 *
 * Source: Bell & Garland 2008, §3.5: a K-th column is added while at least a third of the rows have K entries, since a
 *   full ELL was some three times as fast as COO. Kernels: `assembly/sell/sell.ts`, then `assembly/coo/coo.ts`, as two stages.
 * For: rows of mostly one length and a few exceptions; `sell` stores its hub rows with the same two classes.
 * Layout: of [10 0 20; 0 0 0; 0 0 30; 40 50 60] with K = 2 (two of the four rows have two entries, one has three):
 *
 *     ELL   colIdx   0  0  2  0  0  0  0  0     2  0  2  1  0  0  0  0      columns of one slice of eight rows
 *           values  10  .  30 40 .  .  .  .     20 .  .  50 .  .  .  .      . is padding
 *     COO   row 3, column 2, value 60
 *
 * Cost: the sum of both, x and y counted once.
 */
import type { CsrMatrix } from '../../core/csr.js';
import { resolveParameters } from '../../core/parameters.js';
import type { Format } from '../format.js';
import { workspaceFor } from '../layout/workspace.js';
import { chunkParameters } from './chunk-parameters.js';
import { equalSlices, longestRow, rowLengths } from './chunks.js';
import { storeChunks } from './stored-hyb.js';

/** One in this many rows must have a K-th entry for a K-th column (§3.5). */
const SHARE = 3;

/** The greatest K such that at least a third of the rows have K entries. */
export function typicalLength(csr: CsrMatrix): number {
  const lengths = rowLengths(csr);
  if (lengths.length === 0) return 0;
  return lengths.sort()[lengths.length - Math.ceil(lengths.length / SHARE)]!;
}

const parameters = {
  width: {
    kind: 'integer',
    default: 0,
    min: 0,
    max: 2 ** 24,
    doc: 'K: columns in ELL; 0: the most that at least a third of the rows fill',
  },
  ...chunkParameters,
} as const;

export const hyb: Format = {
  name: 'hyb',
  summary: 'ELL of the typical width, the remaining entries in COO',
  source: 'Bell & Garland 2008, §3.5',
  suits: 'rows mostly of one length',
  mayPad: true,
  parameters,
  variants: ['hyb', 'hyb?index=16&values=table'],
  fromCsr(heap, matrix, dtype, given, { runLoop } = {}) {
    const resolved = resolveParameters('hyb', parameters, given);
    using workspace = workspaceFor(heap, matrix, runLoop);
    const width =
      resolved.width === 0 ? typicalLength(matrix) : Math.min(resolved.width, longestRow(matrix, workspace));
    const request = { name: 'hyb', parameters, resolved };
    const chunks = equalSlices(matrix, 8, width, workspace);
    return storeChunks(heap, matrix, dtype, chunks, request, workspace);
  },
};
