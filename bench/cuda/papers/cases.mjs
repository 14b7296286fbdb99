/**
 * The matrices of each paper's experiment, at full size: those of its tables (`matrices/suites`), and what the text measures besides.
 *
 * A case: { suite, name, standIn, how, published, block, make(scale) }. `block`: the size of its dense blocks, which is known.
 */
import { gallery } from '../../../dist/gallery/registry.js';
import { kind } from '../../matrices/kinds/kinds.mjs';
import { BASES, BLOCK_SIZES } from '../../matrices/suites/abdelfattah.mjs';
import { promotedEntry, ruleEntry } from '../../matrices/suites/entries.mjs';
import { loadSuite } from '../../matrices/suites/index.mjs';

/** Bell & Garland, §5.2.1: HYB "applied to a dense matrix with 30K rows and 128 columns". */
const DENSE = ruleEntry({
  name: 'Dense 30 K × 128',
  published: { rows: 30_000, cols: 128, nnz: 3_840_000 },
  how: 'exact: gallery:dense, seeded values',
  make: (scale) => gallery('dense', { rows: Math.max(1, Math.round(30_000 * scale)), cols: 128 }),
});

/** Sizes of blocks for the third kernel of Abdelfattah et al., whose tables name none. Chosen. */
const LARGE_BLOCKS = [48, 64];
/** Matrices with these blocks have at most so many entries. Chosen. */
const MOST_ENTRIES = 6e7;

/** Flegar & Anzt, §4.3: 248 of their 400 matrices have more than this number of entries. */
export const MANY_ENTRIES = 2e5;

/** The matrices for Flegar & Anzt have the odd seeds from here on, on which nothing was fitted. Chosen. */
const FIRST_SEED = 180_001;
const SEEDS = 480;

export const CASES = {
  'bell-garland': () => [...suite('bell-garland-3'), ...suite('bell-garland-4'), caseOf('bell-garland-text', DENSE)],
  'lane-booth': () => suite('lane-booth-1'),
  abdelfattah: () => [
    ...suite('abdelfattah-2').map((one) => ({ ...one, block: blockOf(one.name) })),
    ...LARGE_BLOCKS.flatMap((block) =>
      BASES.map((base) => ({ ...caseOf('abdelfattah-large', promotedEntry(base, block, MOST_ENTRIES)), block })),
    ),
  ],
  jindal: () => suite('jindal'),
  flegar: () => Array.from({ length: SEEDS }, (_, k) => drawn(FIRST_SEED + 2 * k)),
  lp: () => suite('lp'),
};

const suite = (name) => loadSuite(name).map((entry) => caseOf(name, entry));

const caseOf = (suite, { name, standIn, published, how, make }) => ({ suite, name, standIn, published, how, make });

/** The size of blocks, which the name of a promoted matrix tells; the reservoir has blocks of 7. */
function blockOf(name) {
  const [, size] = / b=(\d+)$/.exec(name) ?? [null, '7'];
  if (!BLOCK_SIZES.includes(Number(size))) throw new Error(`${name}: expected blocks of ${BLOCK_SIZES.join(' | ')}`);
  return Number(size);
}

/** The case of a seed. Its matrix is undefined if it is not square: the paper has none of these. */
function drawn(seed) {
  return {
    ...{ suite: 'kinds', name: `seed ${seed}`, standIn: true, how: 'drawn: bench/matrices/kinds', published: {} },
    make() {
      const { matrix, description } = kind(seed, 'gpu');
      return matrix.rows === matrix.cols ? { ...matrix, title: description } : undefined;
    },
  };
}
