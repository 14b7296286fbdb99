/**
 * Lane & Booth, "Heterogeneous Sparse Matrix-Vector Multiplication via Compressed Sparse Row Format", 2022, Table 1:
 * all square matrices of the SuiteSparse collection with 1 to 6 million rows and less than 60 million entries.
 *
 * Where a matrix is not symmetric, the table's MAX is the longest *column* of the collection's matrix (webbase-1M: 28,685;
 * its longest row has 4,700): stand-ins take the row lengths from the columns there. Entries are counted without explicit
 * zeros.
 */
import { gallery } from '../../../dist/gallery/registry.js';
import { weighted } from '../values.mjs';
import { side } from './bell-garland.mjs';
import { ruleEntry, standInEntry } from './entries.mjs';
import { deBruijn, delaunay, nlpkkt, randomGeometric } from './rules.mjs';

/** Rows and entries are printed in millions with two digits. */
const ROUNDING = 5001;

const isRegular = (id) => id.startsWith('r');

function published(id, symmetric, rows, nnz, max, mean) {
  const figures = { rows: Math.round(rows * 1e6), cols: Math.round(rows * 1e6), nnz: Math.round(nnz * 1e6), mean, max };
  return { ...figures, symmetric, regular: isRegular(id) };
}

function row(id, symmetric, name, rows, nnz, max, mean, { file = name, ...own } = {}) {
  const figures = published(id, symmetric, rows, nnz, max, mean);
  const transposed = symmetric < 1;
  return { ...standInEntry({ name, file, published: figures, rounding: ROUNDING, transposed, ...own }), id };
}

function exact(id, symmetric, name, rows, nnz, max, mean, how, make, file = name) {
  const figures = published(id, symmetric, rows, nnz, max, mean);
  return { ...ruleEntry({ name, files: [file], published: figures, how: `exact: ${how}`, make }), id };
}

/** The collection's atmosmod* have their rows, entries and bandwidth. */
function atmosphere(id, name, rows, nnz, mean, horizontal, vertical) {
  const how = `pattern of 7 points on ${horizontal} × ${horizontal} × ${vertical}; seeded values`;
  return exact(id, 1, name, rows, nnz, 7, mean, how, (scale) => {
    const across = side(horizontal, scale, 3);
    return gallery('laplace3d7', { nx: across, ny: across, nz: side(vertical, scale, 3), values: 'real' });
  });
}

/** Seeds for which the longest row is the published one. */
const triangulation = (order, seed) => (scale) => delaunay(Math.round(2 ** order * scale), seed);
const geometric = (order, seed) => (scale) => randomGeometric(Math.round(2 ** order * scale), seed);
const TRIANGULATED = 'Delaunay triangulation of random points (delaunator); seeded values';
const NEAR = 'random geometric graph of radius 0.55 √(ln n / n); seeded values';

/** The minimum variance of rows of 5 × 5 blocks with that mean. */
const SHELL = { variance: 1.61 };

const REGULAR = [
  row('r1', 1, 'belgium.osm', 1.44, 3.1, 10, 2.15, { file: 'belgium_osm' }),
  row('r2', 1, 'netherlands.osm', 2.22, 4.88, 7, 2.2, { file: 'netherlands_osm' }),
  row('r3', 1, 'roadNet-TX', 1.39, 3.84, 12, 2.76),
  row('r4', 1, 'roadNet-CA', 1.97, 5.53, 12, 2.81),
  row('r5', 1, 'roadNet-PA', 1.09, 3.08, 9, 2.83),
  row('r6', 1, 'hugetrace-000000', 4.59, 13.76, 3, 3, { file: 'hugetrace-00000' }),
  row('r7', 1, 'hugetric-000000', 5.82, 17.47, 3, 3, { file: 'hugetric-00000' }),
  exact('r8', 1, 'debr', 1.05, 4.19, 4, 4, 'de Bruijn graph of 2²⁰ words; seeded values', (scale) =>
    deBruijn(Math.max(3, Math.round(20 + Math.log2(scale)))),
  ),
  row('r9', 1, 'venturiLevel3', 4.03, 16.11, 6, 4),
  row('r10', 1, 'rajat31', 4.69, 20.32, 1200, 4.33),
  row('r11', 1, 'G3_circuit', 1.59, 7.66, 6, 4.83),
  exact('r12', 1, 'ecology1', 1, 5, 5, 5, 'pattern of 5 points on 1000 × 1000; seeded values', (scale) => {
    const points = side(1000, scale, 2);
    return weighted(gallery('laplace2d5', { nx: points, ny: points }));
  }),
  row('r13', 1, '333SP', 3.71, 22.22, 28, 5.98),
  row('r14', 1, 'AS365', 3.8, 22.74, 14, 5.98),
  row('r15', 1, 'NACA0015', 1.04, 6.23, 10, 5.99),
  row('r16', 1, 'M6', 3.5, 21, 10, 6),
  row('r17', 1, 'NLR', 4.16, 24.98, 20, 6),
  exact('r18', 1, 'delaunay_n20', 1.05, 6.29, 23, 6, TRIANGULATED, triangulation(20, 1)),
  exact('r19', 1, 'delaunay_n21', 2.1, 12.58, 23, 6, TRIANGULATED, triangulation(21, 6)),
  exact('r20', 1, 'delaunay_n22', 4.19, 25.17, 23, 6, TRIANGULATED, triangulation(22, 2)),
  atmosphere('r21', 'atmosmodl', 1.49, 10.32, 6.93, 198, 38),
  atmosphere('r22', 'atmosmodm', 1.49, 10.32, 6.93, 198, 38),
  atmosphere('r23', 'atmosmodd', 1.27, 8.81, 6.94, 148, 58),
  atmosphere('r24', 'atmosmodj', 1.27, 8.81, 6.94, 148, 58),
  // The table has 1.28 million rows, which its own entries and mean contradict.
  row('r25', 1, 'thermal2', 1.23, 8.58, 11, 6.99),
  row('r26', 1, 'CurlCurl_3', 1.22, 13.54, 13, 11.11),
  row('r27', 1, 'CurlCurl_4', 2.38, 26.52, 13, 11.14),
  row('r28', 1, 'StocF-1465', 1.47, 21.01, 189, 14.34),
  row('r29', 1, 'Transport', 1.6, 23.48, 15, 14.66),
  row('r30', 1, 'packing...', 2.15, 34.98, 18, 16.3, { file: 'packing-500x100x100-b050' }),
  row('r31', 1, 'af_shell10', 1.51, 52.26, 35, 34.65, SHELL),
  row('r32', 0, 'Hamrle3', 1.45, 5.51, 9, 3.81),
  row('r33', 0.9, 'circuit5M_dc', 3.52, 14.87, 24, 4.22),
  row('r34', 0.9, 'memchip', 2.71, 13.34, 27, 4.93),
  row('r35', 0.9, 'Freescale1', 3.43, 17.05, 25, 4.97),
];

/**
 * The collection's soc-Pokec has no row or column of 230 thousand entries; the one in the table accounts for the
 * variance.
 */
const POKEC = { variance: 1033 + 230_000 ** 2 / 1.633e6 };

const IRREGULAR = [
  row('i1', 1, 'com-Youtube', 1.13, 5.98, 28_800, 5.27),
  row('i2', 1, 'kkt_power', 2.06, 12.77, 90, 6.19),
  row('i3', 1, 'FullChip', 2.99, 26.62, 2.3e6, 8.91),
  row('i4', 1, 'circuit5M', 5.56, 59.52, 1.3e6, 10.71),
  row('i5', 1, 'as-Skitter', 1.7, 22.19, 35_500, 13.08),
  exact('i6', 1, 'rgg_n_2_20_s0', 1.05, 13.78, 36, 13.14, NEAR, geometric(20, 41)),
  exact('i7', 1, 'rgg_n_2_21_s0', 2.1, 28.98, 37, 13.82, NEAR, geometric(21, 3)),
  row('i8', 1, 'cage14', 1.51, 27.13, 41, 18.02),
  row('i9', 1, 'dgreen', 1.2, 26.61, 97, 22.16),
  row('i10', 1, 'nv2', 1.45, 37.48, 84, 25.78),
  exact('i11', 1, 'nlpkkt80', 1.06, 28.19, 28, 26.54, 'KKT matrix of 80³ points; seeded values', (scale) =>
    nlpkkt(side(80, scale, 3)),
  ),
  row('i12', 1, 'Hook_1498', 1.5, 59.37, 93, 39.64),
  row('i13', 1, 'dielFilterV2real', 1.16, 48.54, 110, 41.94),
  row('i14', 0.1, 'wiki-Talk', 2.39, 5.02, 3300, 2.1),
  row('i15', 0.2, 'wiki-talk-temporal', 1.14, 3.31, 3300, 2.9),
  row('i16', 0.1, 'webbase-1M', 1, 3.11, 28_600, 3.11),
  row('i17', 0, 'patents', 3.77, 14.97, 762, 3.97),
  row('i18', 0, 'cit-Patents', 3.77, 16.52, 779, 4.38),
  row('i19', 1, 'Freescale2', 3, 14.31, 14_900, 4.77),
  row('i20', 0.1, 'wikipedia-2005110', 1.63, 19.75, 75_500, 12.08, { file: 'wikipedia-20051105' }),
  row('i21', 0.4, 'in-2004', 1.38, 16.92, 21_900, 12.23),
  row('i22', 0.1, 'wikipedia-2006092', 2.98, 37.27, 159_000, 12.49, { file: 'wikipedia-20060925' }),
  row('i23', 0.1, 'wikipedia-2006110', 3.15, 39.38, 168_000, 12.51, { file: 'wikipedia-20061104' }),
  row('i24', 0.1, 'wikipedia-2007020', 3.57, 45.03, 187_000, 12.62, { file: 'wikipedia-20070206' }),
  row('i25', 0.4, 'sx-stackoverflow', 2.6, 36.23, 22_300, 13.93),
  row('i26', 0.2, 'wiki-topcats', 1.79, 28.51, 238_000, 15.92),
  row('i27', 0.5, 'soc-Pokec', 1.63, 30.62, 230_000, 18.75, POKEC),
  row('i28', 0.7, 'ss', 1.65, 34.75, 27, 21.03),
  row('i29', 0.4, 'vas_stokes-1M', 1.09, 34.77, 1000, 31.88, { file: 'vas_stokes_1M' }),
];

export const TABLE_1 = {
  title: 'Lane & Booth 2022, Table 1: 64 matrices, regular (r) and irregular (i)',
  source: 'Lane & Booth 2022, Table 1',
  entries: [...REGULAR, ...IRREGULAR],
};
