/** The parameters of BSR, and the layouts that it offers for a matrix. */
import { formatSpec, type ParametersOf } from '../../core/parameters.js';
import { valueArray } from '../../core/types.js';
import { type Format, vectorBytes } from '../format.js';
import { type BlockSize, bestOf, blockSizes } from './block-size.js';

/** The largest size with a kernel of its own; the smallest is 2. */
export const LARGEST_UNROLLED = 8;

export const parameters: ParametersOf<'blockSize' | 'maxRowBlocks' | 'maxFill'> = {
  blockSize: {
    kind: 'integer',
    default: 0,
    min: 0,
    max: 1024,
    doc: 'rows and columns of a block; 0: the size with the fewest bytes, up to 16',
  },
  maxRowBlocks: {
    kind: 'integer',
    default: 0,
    min: 0,
    max: 2 ** 24,
    doc: 'λ: block rows of more blocks are cut; 0: none is cut',
  },
  maxFill: {
    kind: 'number',
    default: 4,
    min: 1,
    max: 4096,
    doc: 'stored places per entry above which a matrix is refused',
  },
};

/** Least share of adjacent entries for which blocks are searched: in rows of 2 × 2 blocks it is one half. */
const WORTH_BLOCKING = 0.4;

/** The least gain in bytes of a size that is offered, over that of the best one: a vector of 4 × 4 blocks has no unused lane, one of 3 × 3 has. */
const COMPARABLE = 0.9;

/**
 * The least gain over CSR of a size that is offered on a CPU. Blocks may pay that save no bytes, since an entry of a block takes less time than one of a row: blocks of 6 × 6 with 53 %
 * of their entries, a gain of 0.78 in f64 and 1.02 in f32, take 0.7 and 0.6 of the time of the fastest other format in L2 (2,250 rows, Intel Xeon, Node 20, November 2026). The limit
 * itself is chosen.
 */
const LEAST_GAIN = 0.6;

/** Entries on which a size is tried when a format is chosen. */
const FEW = 2 ** 12;

/** The name in the cost model: on CPUs, vectors of the smallest and of the largest blocks take other times than those between. */
function kernelOf(blockSize: number, onDevice: boolean): string {
  if (blockSize > LARGEST_UNROLLED) return 'bsr';
  if (onDevice || (blockSize > 2 && blockSize < 6)) return 'bsr_unrolled';
  return blockSize === 2 ? 'bsr2' : 'bsr_wide';
}

function offered(sizes: readonly BlockSize[], onDevice: boolean): readonly BlockSize[] {
  if (onDevice) return [bestOf(sizes)].filter(({ blockSize }) => blockSize > 1);
  const most = Math.max(...sizes.map(({ gain }) => gain));
  return sizes.filter(({ gain }) => gain >= Math.max(LEAST_GAIN, COMPARABLE * most));
}

export const prospects: NonNullable<Format['prospects']> = ({ matrix, features }, dtype, onDevice) => {
  if (features.adjacent < WORTH_BLOCKING) return [];
  const { rows, nnz, longestRow } = features;
  const valueBytes = valueArray(dtype).BYTES_PER_ELEMENT;
  const lanes = dtype === 'f64' ? 2 : 4;
  const vectors = vectorBytes(features, dtype);
  const sizes = [...blockSizes(matrix, valueBytes, FEW, longestRow)];
  return offered(sizes, onDevice).map(({ blockSize, fill }) => {
    const entries = fill * nnz;
    const blocks = entries / blockSize ** 2;
    return {
      spec: formatSpec('bsr', parameters, { blockSize }),
      kernel: kernelOf(blockSize, onDevice),
      bytes: valueBytes * entries + 4 * blocks + 4 * (rows / blockSize + 1) + vectors,
      entries,
      // Vectors of values: a column of a block is a whole number of them.
      steps: blocks * blockSize * Math.ceil(blockSize / lanes),
      groups: rows / blockSize,
      together: blockSize,
      indivisible: blockSize * longestRow,
    };
  });
};
