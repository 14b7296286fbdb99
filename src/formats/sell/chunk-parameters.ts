/** The parameters of all formats made of chunks. */
import type { ParametersOf } from '../../core/parameters.js';
import { paddedValuesParameter } from '../layout/values.js';

export const chunkParameters: ParametersOf<'maxFill', 'index' | 'values'> = {
  index: {
    kind: 'word',
    default: '32',
    allowed: ['32', '16'],
    doc: 'bits per column: 32, or 16 from a base per chunk',
  },
  values: paddedValuesParameter,
  maxFill: {
    kind: 'number',
    default: 3,
    min: 1,
    max: 1e6,
    doc: 'stored places per entry above which a matrix is refused; 65536 places are always allowed',
  },
};
