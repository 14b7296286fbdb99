/** What a choice of the format needs to know of CSR-k, without the conversion: `csrk.ts`. */
import { SUPER_ROW_SIZE, SUPER_SUPER_ROW_SIZE } from '../../core/groups.js';
import { formatSpec, type ParametersOf } from '../../core/parameters.js';
import { type FormatDescription, layoutName, vectorBytes } from '../format.js';
import { isNarrow } from '../layout/column-bases.js';
import { valueProspects, valuesParameter } from '../layout/values.js';

export const parameters: ParametersOf<'k' | 'superRowSize' | 'superSuperRowSize', 'index' | 'values'> = {
  k: { kind: 'integer', default: 2, min: 2, max: 3 },
  superRowSize: {
    kind: 'integer',
    default: SUPER_ROW_SIZE,
    min: 1,
    max: 2 ** 24,
    tuned: true,
  },
  superSuperRowSize: {
    kind: 'integer',
    default: SUPER_SUPER_ROW_SIZE,
    min: 1,
    max: 2 ** 24,
    tuned: true,
  },
  index: {
    kind: 'word',
    default: '32',
    allowed: ['32', '16'],
  },
  values: valuesParameter,
};

export const csrkDescription: FormatDescription = {
  name: 'csrk',
  parameters,
  /** Only with 16-bit columns: with 32 it is the same as CSR. */
  prospects({ features, sample }, dtype) {
    if (!isNarrow(sample, SUPER_ROW_SIZE)) return [];
    const { rows, nnz, longestRow } = features;
    const groups = Math.ceil(rows / SUPER_ROW_SIZE);
    return valueProspects(features, dtype).map(({ values, kind, bytes }) => ({
      spec: formatSpec('csrk', parameters, { index: '16', values }),
      kernel: layoutName({ base: 'csrk', columns: 16, values: kind }),
      bytes: nnz * (2 + bytes) + 4 * (rows + 1) + 8 * groups + vectorBytes(features, dtype),
      entries: nnz,
      indivisible: longestRow + (nnz * SUPER_ROW_SIZE) / Math.max(rows, 1),
    }));
  },
};
