/** What a choice of the format needs to know of SSS, without the conversion: `sss.ts`. */
import type { ParametersOf } from '../../core/parameters.js';
import { valueArray, vectorArray } from '../../core/types.js';
import type { Sample } from '../../features/sample.js';
import { ALONE_BELOW, type FormatDescription, layoutName, vectorBytes } from '../format.js';
import { SPAN } from '../layout/column-bases.js';

/**
 * Blocks of a matrix that threads share: enough for 16 threads, or, for two threads, sixteenths to balance the load. Halos
 * grow with it: 16 blocks of the 27-point Laplacian on a 100³ grid have 0.16 elements per row, next to its 13 entries.
 */
export const BLOCKS = 16;

/**
 * A matrix with more halo elements per entry than this is refused. Half of the entries are not read, which saves some 6
 * bytes per entry of f64; a halo element is written, read and added to y, 32 bytes: at 0.2 the gain is zero.
 */
const MAX_HALO = 0.5;

/** Below this many halo elements no matrix is refused. */
export const SMALL: number = 2 ** 16;

export const parameters: ParametersOf<'blocks' | 'maxHalo', 'index'> = {
  blocks: {
    kind: 'integer',
    default: 0,
    min: 0,
    max: 1024,
  },
  index: {
    kind: 'word',
    default: '16',
    allowed: ['16', '32'],
  },
  maxHalo: {
    kind: 'number',
    default: MAX_HALO,
    min: 0,
    max: 2 ** 32,
  },
};

export const sssDescription: FormatDescription = {
  name: 'sss',
  mayPad: true,
  parameters,
  prospects({ features, sample }, dtype) {
    const { rows, nnz, symmetry } = features;
    if (symmetry === 'general') return [];
    const bandwidth = sampledBandwidth(sample);
    const isSmall = (nnz + rows) / 2 + rows < ALONE_BELOW;
    const halos = isSmall ? 0 : BLOCKS * bandwidth;
    if (halos >= SMALL && halos > MAX_HALO * nnz) return [];
    const below = Math.max(0, (nnz - rows) / 2);
    const valueBytes = valueArray(dtype).BYTES_PER_ELEMENT;
    const columns = below * (bandwidth <= SPAN ? 2 : 4);
    const vectors = vectorBytes(features, dtype) + halos * vectorArray(dtype).BYTES_PER_ELEMENT;
    const bytes = columns + valueBytes * (below + rows) + 4 * rows + vectors;
    return [
      {
        spec: 'sss',
        kernel: layoutName({ base: 'sss', columns: bandwidth <= SPAN ? 16 : 32 }),
        bytes,
        entries: below,
        steps: halos,
        // A block is computed by one thread.
        indivisible: isSmall ? 0 : (below + rows) / BLOCKS,
      },
    ];
  },
};

/** Greatest |i − j| in the sample. */
function sampledBandwidth({ matrix: { rows, rowPtr, colIdx }, rowOf }: Sample): number {
  let bandwidth = 0;
  for (let i = 0; i < rows; i++) {
    if (rowPtr[i] !== rowPtr[i + 1]) bandwidth = Math.max(bandwidth, rowOf[i]! - colIdx[rowPtr[i]!]!);
  }
  return bandwidth;
}
