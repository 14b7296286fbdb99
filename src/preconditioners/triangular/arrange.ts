/** How rows are arranged for a triangular solve in stages: by level sets, or in packs of super-rows. */

import type { CsrMatrix } from '../../core/csr.js';
import type { NumberParameter, Parameters, ParameterValues, WordParameter } from '../../core/parameters.js';
import { levelSets } from '../../reorder/levels.js';
import { packSuperRows } from '../../reorder/packs.js';
import { chooseOrder, type OrderName } from './order.js';
import type { SolveStage } from './triangles.js';

/** That of the authors of STS-k. */
const SUPER_ROW_SIZE = 80;

/** Super-rows are solved row by row, so on a device they are short. */
const DEVICE_SUPER_ROW_SIZE = 1;

export const ORDER_PARAMETER: WordParameter = {
  kind: 'word',
  default: 'auto',
  allowed: ['auto', 'natural', 'rcm'],
  doc: 'order of the rows; auto: rcm where entries are far from the diagonal',
};

export const BLOCKS_PARAMETER: NumberParameter = {
  kind: 'integer',
  default: 0,
  min: 0,
  max: 2 ** 31,
  doc: 'rows of a block; 0: chosen, so that few rows have entries in other blocks',
};

/** The parameters of incomplete factors. */
export const FACTOR_PARAMETERS: Parameters = {
  solve: {
    kind: 'word',
    default: 'auto',
    allowed: ['auto', 'blocks', 'levels', 'sts3', 'sweeps'],
    doc: 'blocks: of rows; levels: level sets of all rows; sts3: packs of super-rows, in their own order; sweeps: by products; auto: blocks, on a device sweeps',
  },
  order: ORDER_PARAMETER,
  blocks: BLOCKS_PARAMETER,
  superRowSize: {
    kind: 'integer',
    default: 0,
    min: 0,
    max: 2 ** 24,
    doc: `for sts3: rows of a super-row; 0: ${SUPER_ROW_SIZE}, on a device ${DEVICE_SUPER_ROW_SIZE}`,
  },
  sweeps: { kind: 'integer', default: 3, min: 1, max: 1000, doc: 'for sweeps: Jacobi sweeps per triangle' },
};

export interface TriangleArrangement {
  readonly name: OrderName | 'sts';
  /** `order[i]`: the row of the matrix that comes i-th; undefined for its own order. */
  readonly order: Uint32Array | undefined;
  /** The stages of a solve over all rows. */
  readonly stages: readonly SolveStage[];
  readonly superRows: number | undefined;
}

/** @param values those of FACTOR_PARAMETERS, with `solve` levels or sts3 @param onDevice whether a device solves */
export function arrange(matrix: CsrMatrix, values: ParameterValues, onDevice = false): TriangleArrangement {
  const { solve, order: wanted, superRowSize } = values;
  const { name, order } = chooseOrder(matrix, wanted as OrderName | 'auto');
  if (solve === 'sts3') {
    const size = (superRowSize as number) || (onDevice ? DEVICE_SUPER_ROW_SIZE : SUPER_ROW_SIZE);
    const packs = packSuperRows(matrix, size, order);
    const stages = stagesOf(packs.packPtr, (superRow) => packs.superRowPtr[superRow]!);
    return { name: 'sts', order: packs.order, stages, superRows: packs.superRowPtr.length - 1 };
  }
  const levels = levelSets(matrix, order);
  return { name, order: levels.order, stages: stagesOf(levels.levelPtr, (row) => row), superRows: undefined };
}

/** @param ptr the first unit of each stage @param rowOf the first row of a unit */
function stagesOf(ptr: Uint32Array, rowOf: (unit: number) => number): SolveStage[] {
  return Array.from(ptr.subarray(1), (end, stage) => {
    const begin = ptr[stage]!;
    return { units: end - begin, rowOf: (unit) => rowOf(begin + unit) };
  });
}
