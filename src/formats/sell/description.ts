/** What a choice of the format needs to know of SELL-C-σ, without the conversion: `sell.ts`. */
import type { CsrMatrix } from '../../core/csr.js';
import { formatSpec, type ParametersOf, type Resolved, resolveParameters } from '../../core/parameters.js';
import { type FormatDescription, layoutName, vectorBytes } from '../format.js';
import { isNarrow } from '../layout/column-bases.js';
import { valueProspects } from '../layout/values.js';
import type { Workspace } from '../layout/workspace.js';
import { chunkParameters } from './chunk-parameters.js';
import { type ChunkHeight, type Chunks, slices } from './chunks.js';

export const parameters: ParametersOf<
  'sortScope' | 'widthMultiple' | 'maxFill',
  'chunkHeight' | 'hubs' | 'index' | 'values'
> = {
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

const WIDE = [{ index: '32', bytes: 4 }] as const;

const NARROW_FIRST = [{ index: '16', bytes: 2 }, ...WIDE] as const;

export const sellDescription: FormatDescription = {
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
    const chunks = chunksOf(sample.matrix, resolveParameters('sell', parameters, {}));
    const { rows, nnz } = features;
    const { matrix, rowScale } = sample;
    const { inside } = chunks;
    const rest = Math.max(1 - inside / Math.max(matrix.nnz, 1), 1 - (inside * rowScale) / Math.max(nnz, 1), 0) * nnz;
    const entries = (chunks.storedEntries / Math.max(inside, 1)) * (nnz - rest);
    const unsteady = changes(chunks.widths.counts) / Math.max(chunks.widths.counts.length, 1);
    const pointers = rows / 2 + (chunks.rowOf === undefined ? 0 : 4 * rows);
    const widths = isNarrow(sample, chunks.chunkHeight) ? NARROW_FIRST : WIDE;
    return widths.flatMap(({ index, bytes: indexBytes }) =>
      valueProspects(features, dtype, { padded: true }).map(({ values, kind, bytes }) => ({
        spec: formatSpec('sell', parameters, { index, values }),
        kernel: layoutName({ base: 'sell', columns: index === '16' ? 16 : 32, values: kind }),
        bytes: entries * (indexBytes + bytes) + rest * (8 + bytes) + pointers + vectorBytes(features, dtype),
        entries,
        steps: rest,
        unsteady,
        permuted: chunks.rowOf !== undefined,
      })),
    );
  },
};

export function chunksOf(
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
