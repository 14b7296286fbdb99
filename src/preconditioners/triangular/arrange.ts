/** How rows are arranged for a triangular solve: in independent blocks, by level sets, or in packs of super-rows. */
import type { SolveStage } from '../../backends/team/triangles.js';
import type { CsrMatrix } from '../../core/csr.js';
import type { NumberParameter, Parameters, ParameterValues, WordParameter } from '../../core/parameters.js';
import { levelSets } from '../../reorder/levels.js';
import { packSuperRows } from '../../reorder/packs.js';
import { chooseOrder, type OrderName } from './order.js';

/**
 * The default number of rows of a block: its factors and vectors fit into a second-level cache, and cg with ic0 takes 1.0 to 1.6 times the
 * iterations of one block (in rcm order: 5-point 300² 354 for 261, 7-point 50³ 93 for 58, a mesh of 20 k nodes 178 for 160).
 */
const BLOCK_ROWS = 16384;

/** That of the authors of STS-k. */
const SUPER_ROW_SIZE = 80;

export const ORDER_PARAMETER: WordParameter = {
  kind: 'word',
  default: 'auto',
  allowed: ['auto', 'natural', 'rcm'],
  doc: 'order of the rows; auto: rcm where entries are far from the diagonal',
};

export const BLOCKS_PARAMETER: NumberParameter = {
  kind: 'integer',
  default: BLOCK_ROWS,
  min: 1,
  max: 2 ** 31,
  doc: 'rows of a block; entries between blocks are ignored',
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
    default: SUPER_ROW_SIZE,
    min: 1,
    max: 2 ** 24,
    doc: 'for sts3: rows of a super-row',
  },
  sweeps: { kind: 'integer', default: 3, min: 1, max: 1000, doc: 'for sweeps: Jacobi sweeps per triangle' },
};

export interface Arrangement {
  readonly name: OrderName | 'sts';
  /** `order[i]`: the row of the matrix that comes i-th; undefined for its own order. */
  readonly order: Uint32Array | undefined;
  readonly blockRows: number;
  /** The stages of a solve over all rows; undefined if it is one of blocks. */
  readonly stages: readonly SolveStage[] | undefined;
  readonly superRows: number | undefined;
}

/** @param values those of FACTOR_PARAMETERS; without `solve`: blocks */
export function arrange(matrix: CsrMatrix, values: ParameterValues): Arrangement {
  const { solve = 'blocks', order: wanted, blocks, superRowSize } = values;
  const all = Math.max(matrix.rows, 1);
  if (solve === 'sts3') {
    const { order, superRowPtr, packPtr } = packSuperRows(matrix, superRowSize as number);
    const stages = stagesOf(packPtr, (superRow) => superRowPtr[superRow]!);
    return { name: 'sts', order, blockRows: all, stages, superRows: superRowPtr.length - 1 };
  }
  const { name, order } = chooseOrder(matrix, wanted as OrderName | 'auto');
  if (solve === 'blocks')
    return { name, order, blockRows: Math.min(blocks as number, all), stages: undefined, superRows: undefined };
  const levels = levelSets(matrix, order);
  const stages = stagesOf(levels.levelPtr, (row) => row);
  return { name, order: levels.order, blockRows: all, stages, superRows: undefined };
}

/** @param ptr the first unit of each stage @param rowOf the first row of a unit */
function stagesOf(ptr: Uint32Array, rowOf: (unit: number) => number): SolveStage[] {
  return Array.from(ptr.subarray(1), (end, stage) => {
    const begin = ptr[stage]!;
    return { units: end - begin, rowOf: (unit) => rowOf(begin + unit) };
  });
}
