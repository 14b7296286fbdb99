/**
 * Abdelfattah, Ltaief, Keyes & Dongarra, "Performance optimization of Sparse Matrix-Vector Multiplication for
 * multi-component PDE-based applications using GPUs", 2016, Table II: every entry of nine matrices becomes a dense
 * block, for each of several sizes of blocks; and a reservoir whose own blocks are 7 × 7.
 */
import { withValues } from '../../../dist/gallery/values.js';
import { side } from './bell-garland.mjs';
import { promotedEntry, ruleEntry, standInEntry } from './entries.mjs';
import { dualContinua } from './rules.mjs';

/**
 * From 2 to 32: both of the paper's kernels for small blocks (2 … 5 and 5 … 45), and 7, the size in its application.
 */
export const BLOCK_SIZES = [2, 3, 4, 5, 7, 8, 12, 16, 24, 32];

const base = (name, rows, nnz) => standInEntry({ name, file: name, published: { rows, cols: rows, nnz } });

/** The nine matrices whose entries become blocks. */
export const BASES = [
  base('airfoil_2d', 14_214, 259_688),
  base('bauru5727', 40_366, 145_019),
  base('cage10', 11_397, 150_645),
  base('cavity21', 4_562, 131_735),
  base('coater2', 9_540, 207_308),
  base('hvdc1', 24_842, 158_426),
  base('lhr07', 7_337, 154_660),
  base('rajat22', 39_899, 195_429),
  base('shermanACb', 18_510, 145_149),
];

const reservoir = ruleEntry({
  name: 'spe5Ref_dpdp',
  files: ['spe5Ref_dpdp'],
  published: { rows: 2_058_000, cols: 2_058_000, nnz: 113_464_400 },
  how: 'exact: two continua on 70 × 70 × 30 cells, 7 × 7 blocks; seeded values',
  make: (scale) => {
    const across = side(70, scale, 3);
    return withValues(dualContinua(across, across, side(30, scale, 3)), 'real', 1, 7);
  },
});

export const TABLE_2 = {
  title: 'Abdelfattah et al. 2016, Table II, promoted to blocks',
  source: 'Abdelfattah et al. 2016, Table II',
  entries: [...BASES.flatMap((entry) => BLOCK_SIZES.map((size) => promotedEntry(entry, size))), reservoir],
};
