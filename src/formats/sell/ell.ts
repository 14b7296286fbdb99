/**
 * ELL, ELLPACK: every row padded to the length of the longest, the first entries of all rows side by side.
 *
 * Source: Bell & Garland 2008, §3.2. Kernels: `assembly/sell/sell.ts`.
 * Differs: slices of eight rows, one after the other, each with its columns side by side: a core reads one stream. The
 *   paper stores columns of all rows, for thousands of threads. This is SELL-8-1 with chunks of equal width.
 * For: rows of equal length: stencils, regular graphs. A matrix is refused (`fill-in`) if padding makes it more than
 *   `maxFill` times as large.
 * Layout: of [10 0 20; 0 0 0; 0 0 30; 40 50 60]; lanes 4 to 7 are padding:
 *
 *     colIdx     0  0  2  0  0 …     2  0  2  1  0 …     2  0  2  2  0 …    u32, 8 · K
 *     values    10  .  30 40 .       20 .  .  50 .       .  .  .  60 .      . is padding: 0
 *     chunkPtr   0                                                    24    u32, slices + 1, in entries
 *     rowLength  2  0  1  3                                                 u8, u16 or u32, rows
 *
 * Cost: 8 ⌈rows / 8⌉ K (I + V) + 4 (⌈rows / 8⌉ + 1) + X (rows + cols) bytes, for K the length of the longest row, I bytes
 *   per column (4 or 2), V per value (8 or 4; a code 1) and X per element of x and y; with `index=16`, 4 more per slice.
 */
import { formatSpec, resolveParameters } from '../../core/parameters.js';
import { type Format, layoutName, vectorBytes } from '../format.js';
import { isNarrow } from '../layout/column-bases.js';
import { valueProspects } from '../layout/values.js';
import { workspaceFor } from '../layout/workspace.js';
import { chunkParameters } from './chunk-parameters.js';
import { equalSlices, longestRow } from './chunks.js';
import { storeChunks } from './stored-hyb.js';

/** Rows of a slice. */
const SLICE = 8;

/** The default of `maxFill`. */
const MAX_FILL = chunkParameters.maxFill.default;

export const ell: Format = {
  name: 'ell',
  summary: 'all rows padded to the longest, eight side by side',
  source: 'Bell & Garland 2008, §3.2',
  suits: 'rows of equal length',
  mayPad: true,
  parameters: chunkParameters,
  variants: ['ell', 'ell?index=16&values=table'],
  /** Only for a device: on a CPU `sell` with shorter slices is at least as fast. */
  prospects({ features, sample }, dtype, onDevice) {
    const { rows, nnz, longestRow } = features;
    const slices = Math.ceil(rows / SLICE);
    const entries = SLICE * slices * longestRow;
    if (!onDevice || entries > MAX_FILL * nnz) return [];
    const widths = isNarrow(sample, SLICE) ? (['16', '32'] as const) : (['32'] as const);
    return widths.flatMap((index) =>
      valueProspects(features, dtype, { padded: true }).map(({ values, kind, bytes }) => ({
        spec: formatSpec('ell', chunkParameters, { index, values }),
        kernel: layoutName({ base: 'sell', columns: index === '16' ? 16 : 32, values: kind }),
        bytes:
          entries * (Number(index) / 8 + bytes) +
          (index === '16' ? 8 : 4) * (slices + 1) +
          vectorBytes(features, dtype),
        entries,
      })),
    );
  },
  fromCsr(heap, matrix, dtype, given, { runLoop } = {}) {
    const resolved = resolveParameters('ell', chunkParameters, given);
    using workspace = workspaceFor(heap, matrix, runLoop);
    const request = { name: 'ell', parameters: chunkParameters, resolved };
    const chunks = equalSlices(matrix, SLICE, longestRow(matrix, workspace), workspace);
    return storeChunks(heap, matrix, dtype, chunks, request, workspace);
  },
};
