/** What a choice of the format needs to know of BSR, without the conversion: `bsr.ts`. */
import { formatSpec, type ParametersOf } from '../../core/parameters.js';
import { valueArray } from '../../core/types.js';
import { type FormatDescription, vectorBytes } from '../format.js';
import { findBlockSize } from './block-size.js';

/** The largest size with a kernel of its own; the smallest is 2. */
export const LARGEST_UNROLLED = 8;

export const parameters: ParametersOf<'blockSize' | 'maxRowBlocks' | 'maxFill'> = {
  blockSize: {
    kind: 'integer',
    default: 0,
    min: 0,
    max: 64,
  },
  maxRowBlocks: {
    kind: 'integer',
    default: 0,
    min: 0,
    max: 2 ** 24,
  },
  maxFill: {
    kind: 'number',
    default: 4,
    min: 1,
    max: 4096,
  },
};

/** Least share of adjacent entries for which blocks are searched: in rows of 2 × 2 blocks it is one half. */
const WORTH_BLOCKING = 0.4;

/** Entries on which a size is tried when a format is chosen. */
const FEW = 2 ** 12;

export const bsrDescription: FormatDescription = {
  name: 'bsr',
  mayPad: true,
  parameters,
  prospects({ matrix, features }, dtype) {
    if (features.adjacent < WORTH_BLOCKING) return [];
    const { rows, nnz, longestRow } = features;
    const valueBytes = valueArray(dtype).BYTES_PER_ELEMENT;
    const { blockSize, fill } = findBlockSize(matrix, valueBytes, FEW);
    if (blockSize === 1) return [];
    const entries = fill * nnz;
    const blocks = entries / blockSize ** 2;
    const lanes = dtype === 'f64' ? 2 : 4;
    const bytes = valueBytes * entries + 4 * blocks + 4 * (rows / blockSize + 1) + vectorBytes(features, dtype);
    return [
      {
        spec: formatSpec('bsr', parameters, { blockSize }),
        kernel: blockSize <= LARGEST_UNROLLED ? 'bsr_unrolled' : 'bsr',
        bytes,
        entries,
        // Vectors of values: a column of a block is a whole number of them.
        steps: blocks * blockSize * Math.ceil(blockSize / lanes),
        groups: rows / blockSize,
        indivisible: blockSize * longestRow,
      },
    ];
  },
};
