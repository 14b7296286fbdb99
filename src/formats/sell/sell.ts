/**
 * SELL-C-σ, sliced ELLPACK: C rows side by side in a chunk, each chunk as wide as its longest row.
 *
 * Source: Kreutzer et al. 2014, "A Unified Sparse Matrix Data Format for Efficient General Sparse Matrix-Vector
 *   Multiplication on Modern Processors with Wide SIMD Units"; `widthMultiple` is the padding of SELL-P (Anzt, Tomov &
 *   Dongarra 2014; Flegar & Anzt 2017, §2.1). Kernels: `assembly/sell.ts`.
 * Differs: y is written in the order of the rows, not of the lanes: x and y are never permuted. The entries of a hub row
 *   beyond the other rows of its chunk are added by COO (`hyb.ts`), by Bell & Garland's rule for HYB in each chunk. By
 *   default rows are sorted (windows of 256) only if that saves padding of an eighth of the entries.
 * For: rows of similar length, in the order they have or after sorting: stencils, meshes.
 * Layout: of [10 0 20; 0 0 0; 0 0 30; 40 50 60] with C = 4, σ = 4:
 *
 *     rowOf      3  0  2  1                                  u32, rows; absent if rows are in order
 *     colIdx     0  0  2  0     1  2  2  0     2  2  2  0    u32, C · width for each chunk
 *     values    40 10 30  .    50 20  .  .    60  .  .  .    . is padding: 0 in the row's own last column
 *     chunkPtr   0                                      12   u32, chunks + 1, in entries
 *     rowLength  2  0  1  3                                  u8, u16 or u32, rows; no kernel reads it
 *
 * Fewer bytes: `index=16` counts columns from a base per chunk (`chunkBase`, u32), `values=table` stores codes.
 * Cost: S (I + V) + 4 (chunks + 1) + X (rows + cols) bytes, for S entries with padding, I bytes per column (4 or 2), V per
 *   value (8 or 4; a code 1) and X per element of x and y; sorted, 4 more per row; with `index=16`, 4 more per chunk.
 */
import type { CsrMatrix } from '../../core/csr.js';
import { formatSpec, type Resolved, resolveParameters } from '../../core/parameters.js';
import type { Dtype } from '../../core/types.js';
import type { Features } from '../../features/features.js';
import type { Sample } from '../../features/sample.js';
import { type Format, layoutName, vectorBytes } from '../format.js';
import { isNarrow } from '../layout/column-bases.js';
import { valueProspects } from '../layout/values.js';
import { type Workspace, workspaceFor } from '../layout/workspace.js';
import { type ChunkHeight, type Chunks, SORT_SCOPE, slices } from './chunks.js';
import { chunkParameters, storeChunks } from './stored-hyb.js';

const parameters = {
  chunkHeight: { kind: 'word', default: '8', allowed: ['4', '8'], doc: 'C: rows in a chunk' },
  sortScope: {
    kind: 'integer',
    default: 0,
    min: 0,
    max: 2 ** 31,
    doc: 'σ: rows sorted by length together; 1: not sorted; 0: 256 if that saves much padding, else 1',
  },
  widthMultiple: { kind: 'integer', default: 1, min: 1, max: 1024, doc: 'chunk widths are multiples of it (SELL-P)' },
  hubs: {
    kind: 'word',
    default: 'cut',
    allowed: ['cut', 'keep'],
    doc: 'cut: entries that make a chunk too wide are stored in COO; keep: no entry is',
  },
  ...chunkParameters,
} as const;

function chunksOf(
  matrix: CsrMatrix,
  { chunkHeight, sortScope, widthMultiple, hubs }: Resolved<typeof parameters>,
  workspace?: Workspace,
): Chunks {
  const height = Number(chunkHeight) as ChunkHeight;
  return slices(matrix, { chunkHeight: height, sortScope, widthMultiple, cut: hubs === 'cut' }, workspace);
}

/** The number of elements that differ from the element before. */
function changes(numbers: Uint32Array): number {
  let count = 0;
  for (let i = 1; i < numbers.length; i++) if (numbers[i] !== numbers[i - 1]) count++;
  return count;
}

/** The chunk heights that are offered, and their names in the cost model. */
const HEIGHTS = [
  { chunkHeight: '8', base: 'sell' },
  { chunkHeight: '4', base: 'sellFour' },
] as const;

/** Chunks of 4 rows only with values in full: with codes they were never measured. */
function valuesFor(features: Features, dtype: Dtype, chunkHeight: '4' | '8') {
  const all = valueProspects(features, dtype, { padded: true });
  return chunkHeight === '8' ? all : all.filter(({ kind }) => kind === 'full');
}

/** Rows longer than this multiple of the longest sampled one are hubs that the sample has missed. */
const UNSEEN = 2;

/** Entries in chunks, with padding, and in the rest; the share of chunks that differ in width from the one before; whether rows are sorted. */
function estimateOf({ nnz, longestRow }: Features, sample: Sample, chunkHeight: '4' | '8') {
  const { matrix, lengthPtr, rowScale } = sample;
  const lengths = { ...matrix, rowPtr: lengthPtr, nnz: lengthPtr.at(-1)! };
  const chunks = chunksOf(lengths, resolveParameters('sell', parameters, { chunkHeight }));
  const { inside, widths } = chunks;
  const outside = 1 - inside / Math.max(lengths.nnz, 1);
  let longest = 0;
  for (let i = 0; i < matrix.rows; i++) longest = Math.max(longest, lengthPtr[i + 1]! - lengthPtr[i]!);
  const unseen = longestRow > UNSEEN * longest ? 1 - (lengths.nnz * rowScale) / Math.max(nnz, 1) : 0;
  const rest = Math.max(outside, unseen) * nnz;
  const entries = (chunks.storedEntries / Math.max(inside, 1)) * (nnz - rest);
  const unsteady = changes(widths.counts) / Math.max(widths.counts.length, 1);
  return { entries, rest, unsteady, permuted: chunks.rowOf !== undefined };
}

const WIDE = [{ index: '32', bytes: 4 }] as const;
const NARROW_FIRST = [{ index: '16', bytes: 2 }, ...WIDE] as const;

export const sell: Format = {
  name: 'sell',
  summary: 'SELL-C-σ: C rows side by side, sorted within σ; hub rows apart',
  source: 'Kreutzer et al. 2014; Anzt et al. 2014 (SELL-P)',
  suits: 'rows of similar length: stencils, meshes',
  mayPad: true,
  parameters,
  variants: [
    'sell',
    'sell?chunkHeight=4',
    'sell?index=16',
    'sell?values=table',
    'sell?sortScope=64&index=16&values=table',
  ],
  prospects({ features, sample }, dtype) {
    return HEIGHTS.flatMap(({ chunkHeight, base }) => {
      const { entries, rest, unsteady, permuted } = estimateOf(features, sample, chunkHeight);
      const pointers = (4 * features.rows) / Number(chunkHeight) + (permuted ? 4 * features.rows : 0);
      const widths = isNarrow(sample, Number(chunkHeight)) ? NARROW_FIRST : WIDE;
      return widths.flatMap(({ index, bytes: indexBytes }) =>
        valuesFor(features, dtype, chunkHeight).map(({ values, kind, bytes }) => ({
          spec: formatSpec('sell', parameters, { chunkHeight, index, values }),
          kernel: layoutName({ base, columns: index === '16' ? 16 : 32, values: kind }),
          bytes: entries * (indexBytes + bytes) + rest * (8 + bytes) + pointers + vectorBytes(features, dtype),
          entries,
          steps: rest,
          groups: features.rows / Number(chunkHeight),
          unsteady,
          permuted,
        })),
      );
    });
  },
  fromCsr(heap, matrix, dtype, given, { runLoop } = {}) {
    const resolved = resolveParameters('sell', parameters, given);
    using workspace = workspaceFor(heap, matrix, runLoop);
    const chunks = chunksOf(matrix, resolved, workspace);
    const sortScope = resolved.sortScope === 0 && chunks.rowOf !== undefined ? SORT_SCOPE : resolved.sortScope;
    const request = { name: 'sell', parameters, resolved: { ...resolved, sortScope } };
    return storeChunks(heap, matrix, dtype, chunks, request, workspace);
  },
};
