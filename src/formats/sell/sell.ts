import type { CsrMatrix } from '../../core/csr.js';
import { formatSpec, type ParametersOf, type Resolved, resolveParameters } from '../../core/parameters.js';
import type { Dtype } from '../../core/types.js';
import type { Features } from '../../features/features.js';
import type { Sample } from '../../features/sample.js';
import { type Format, layoutName, vectorBytes } from '../format.js';
import { isNarrow } from '../layout/column-bases.js';
import { rowsLongerThan } from '../layout/heaviest.js';
import { changes } from '../layout/row-loops.js';
import { valueProspects } from '../layout/values.js';
import { type ConversionWorkspace, workspaceFor } from '../layout/workspace.js';
import { MOST_LANES, typicalLane } from './chunk-loops.js';
import { chunkParameters } from './chunk-parameters.js';
import { type ChunkHeight, paysToCut, type RowChunks, SORT_SCOPE, slices } from './chunks.js';
import { storeChunks } from './stored-hyb.js';

const parameters: ParametersOf<'sortScope' | 'widthMultiple' | 'maxFill', 'chunkHeight' | 'hubs' | 'index' | 'values'> =
  {
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
  };

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

/** Rows in their order, which need no permutation of y, are offered from so many stored places per entry on, up to so many. */
const SORTED_FILL = 17 / 16;
const UNSORTED_FILL = 2;

/**
 * Of the rows as the format orders them by default, and of rows in their order if the default sorts them, or may do so where the sample does
 * not. On a GPU only the default: a permutation costs little there.
 */
function* estimatesOf(features: Features, sample: Sample, chunkHeight: '4' | '8', onDevice: boolean) {
  const asDefault = estimateOf(features, sample, { chunkHeight });
  const { nnz } = features;
  const isSure = asDefault.permuted || asDefault.entries <= SORTED_FILL * nnz;
  if (isSure || onDevice) yield asDefault;
  if (onDevice || (isSure && !asDefault.permuted)) return;
  const inOrder = estimateOf(features, sample, { chunkHeight, sortScope: 1 });
  if (inOrder.entries <= UNSORTED_FILL * nnz) yield inOrder;
}

/** Entries in chunks, with padding, and in the rest; the share of chunks that differ in width from the one before; whether rows are sorted. */
function estimateOf(
  { nnz, longestRow }: Features,
  sample: Sample,
  given: { readonly chunkHeight: '4' | '8'; readonly sortScope?: number },
) {
  const { matrix, lengthPtr, rowScale } = sample;
  const lengths = { ...matrix, rowPtr: lengthPtr, nnz: lengthPtr.at(-1)! };
  const chunks = chunksOf(lengths, resolveParameters('sell', parameters, given));
  const { inside, widths } = chunks;
  const outside = 1 - inside / Math.max(lengths.nnz, 1);
  let longest = 0;
  for (let i = 0; i < matrix.rows; i++) longest = Math.max(longest, lengthPtr[i + 1]! - lengthPtr[i]!);
  const unseen = longestRow > UNSEEN * longest ? 1 - (lengths.nnz * rowScale) / Math.max(nnz, 1) : 0;
  const rest = Math.max(outside, unseen) * nnz;
  const entries = (chunks.storedEntries / Math.max(inside, 1)) * (nnz - rest);
  const unsteady = changes(widths.counts) / Math.max(widths.counts.length, 1);
  return { given, entries, rest, unsteady, permuted: chunks.rowOf !== undefined };
}

/** Chunks with a smaller share of the entries are not looked at: they delay no product on fewer than 256 threads. Chosen. */
const HEAVY_SHARE = 1 / 256;

/**
 * Returns the stored entries of the widest chunk with a long row. Where entries are cut, the longest third of its rows determines its width.
 *
 * @param scope rows that are sorted together
 */
function heaviestChunk(
  { rows, rowPtr }: CsrMatrix,
  longRows: readonly number[],
  height: number,
  scope: number,
  isCut: boolean,
): number {
  const lane = isCut ? typicalLane(height) : 0;
  const step = Math.max(height, scope);
  let most = 0;
  let before = -1;
  for (const row of longRows) {
    const first = row - (row % step);
    if (first === before) continue;
    before = first;
    const length = Math.min(step, rows - first);
    const lengths = Uint32Array.from({ length }, (_, i) => rowPtr[first + i + 1]! - rowPtr[first + i]!);
    most = Math.max(most, height * (lengths.sort().at(-1 - lane) ?? 0));
  }
  return most;
}

const WIDE = [{ index: '32', bytes: 4 }] as const;

const NARROW_FIRST = [{ index: '16', bytes: 2 }, ...WIDE] as const;

export const sell: Format = {
  name: 'sell',
  mayPad: true,
  parameters,
  summary: 'SELL-C-σ: C rows side by side, sorted within σ; hub rows apart',
  source: 'Kreutzer et al. 2014; Anzt et al. 2014 (SELL-P)',
  suits: 'rows of similar length: stencils, meshes',
  variants: [
    'sell',
    'sell?chunkHeight=4',
    'sell?index=16',
    'sell?values=table',
    'sell?sortScope=64&index=16&values=table',
  ],
  prospects({ matrix, features, sample }, dtype, onDevice) {
    // One of these rows alone may make a chunk heavy.
    const longRows = rowsLongerThan(matrix, (HEAVY_SHARE * features.nnz) / MOST_LANES, features.longestRow);
    return HEIGHTS.flatMap(({ chunkHeight, base }) => {
      const widths = isNarrow(sample, Number(chunkHeight)) ? NARROW_FIRST : WIDE;
      return [...estimatesOf(features, sample, chunkHeight, onDevice)].flatMap(
        ({ given, entries, rest, unsteady, permuted }) => {
          const height = Number(chunkHeight);
          const isCut = paysToCut(rest, height, features.nnz);
          const indivisible = heaviestChunk(matrix, longRows, height, permuted ? SORT_SCOPE : 1, isCut);
          const pointers = (4 * features.rows) / height + (permuted ? 4 * features.rows : 0);
          return widths.flatMap(({ index, bytes: indexBytes }) =>
            valuesFor(features, dtype, chunkHeight).map(({ values, kind, bytes }) => ({
              spec: formatSpec('sell', parameters, { ...given, index, values }),
              kernel: layoutName({ base, columns: index === '16' ? 16 : 32, values: kind }),
              bytes: entries * (indexBytes + bytes) + rest * (8 + bytes) + pointers + vectorBytes(features, dtype),
              entries,
              steps: rest,
              afterwards: rest,
              groups: features.rows / height,
              together: height,
              unsteady,
              permuted,
              indivisible,
            })),
          );
        },
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

function chunksOf(
  matrix: CsrMatrix,
  { chunkHeight, sortScope, widthMultiple, hubs }: Resolved<typeof parameters>,
  workspace?: ConversionWorkspace,
): RowChunks {
  const height = Number(chunkHeight) as ChunkHeight;
  return slices(matrix, { chunkHeight: height, sortScope, widthMultiple, cut: hubs === 'cut' }, workspace);
}
