/** Bell & Garland, "Efficient Sparse Matrix-Vector Multiplication on CUDA", NVR-2008-004, Tables 3 and 4. */
import { gallery } from '../../../dist/gallery/registry.js';
import { ruleEntry, standInEntry } from './entries.mjs';
import { epidemic } from './rules.mjs';

/** Points along one axis of a grid of that many dimensions, with that share of its points. */
export function side(points, scale, dimensions, least = 3) {
  return Math.max(least, Math.round(points * scale ** (1 / dimensions)));
}

function grid(name, family, axes, points, nnz) {
  const published = { rows: 1e6, cols: 1e6, nnz };
  const make = (scale) =>
    gallery(family, Object.fromEntries(axes.map((axis) => [axis, side(points, scale, axes.length)])));
  return ruleEntry({ name, published, how: `exact: gallery:${family}, values of the stencil`, make });
}

export const TABLE_3 = {
  title: 'Bell & Garland 2008, Table 3: structured grids',
  source: 'NVR-2008-004, Table 3',
  entries: [
    grid('Laplace 3pt', 'laplace1d3', ['nx'], 1_000_000, 2_999_998),
    grid('Laplace 5pt', 'laplace2d5', ['nx', 'ny'], 1000, 4_996_000),
    grid('Laplace 7pt', 'laplace3d7', ['nx', 'ny', 'nz'], 100, 6_940_000),
    grid('Laplace 9pt', 'laplace2d9', ['nx', 'ny'], 1000, 8_988_004),
    grid('Laplace 27pt', 'laplace3d27', ['nx', 'ny', 'nz'], 100, 26_463_592),
  ],
};

/** The table's Nonzeros/Row is this quotient, truncated after one digit. */
function row(name, file, rows, cols, nnz) {
  return standInEntry({ name, file, published: { rows, cols, nnz, mean: nnz / rows } });
}

/** Scaled in entries: rows and columns shrink with the square root. */
const dense = ruleEntry({
  name: 'Dense',
  published: { rows: 2000, cols: 2000, nnz: 4_000_000 },
  how: 'exact: gallery:dense, seeded values',
  make: (scale) => gallery('dense', { rows: side(2000, scale, 2), cols: side(2000, scale, 2) }),
});

const qcd = ruleEntry({
  name: 'QCD',
  files: ['conf5_4-8x8-05'],
  published: { rows: 49_152, cols: 49_152, nnz: 1_916_928 },
  how: 'exact: gallery:qcd, 8⁴ sites, numbered x fastest; seeded real values where the published ones are complex',
  make: (scale) => {
    const extent = side(8, scale, 4);
    return gallery('qcd', { nx: extent, ny: extent, nz: extent, nt: extent });
  },
});

export const markovChain = (name, published) =>
  ruleEntry({
    ...{ name, published, files: ['mc2depi'], isStandIn: true },
    how:
      'stand-in by a rule: Markov chain of an epidemic on the triangle i + j ≤ 1024; rows, entries, least and longest row as ' +
      'mc2depi, numbered row by row',
    make: (scale) => epidemic(side(1024, scale, 2)),
  });

export const TABLE_4 = {
  title: 'Bell & Garland 2008, Table 4: unstructured matrices',
  source: 'NVR-2008-004, Table 4; the corpus of Williams et al. 2007',
  entries: [
    dense,
    row('Protein', 'pdb1HYS', 36_417, 36_417, 4_344_765),
    row('FEM/Spheres', 'consph', 83_334, 83_334, 6_010_480),
    row('FEM/Cantilever', 'cant', 62_451, 62_451, 4_007_383),
    row('Wind Tunnel', 'pwtk', 217_918, 217_918, 11_634_424),
    row('FEM/Harbor', 'rma10', 46_835, 46_835, 2_374_001),
    qcd,
    row('FEM/Ship', 'shipsec1', 140_874, 140_874, 7_813_404),
    row('Economics', 'mac_econ_fwd500', 206_500, 206_500, 1_273_389),
    markovChain('Epidemiology', { rows: 525_825, cols: 525_825, nnz: 2_100_225 }),
    row('FEM/Accelerator', 'cop20k_A', 121_192, 121_192, 2_624_331),
    row('Circuit', 'scircuit', 170_998, 170_998, 958_936),
    row('Webbase', 'webbase-1M', 1_000_005, 1_000_005, 3_105_536),
    row('LP', 'rail4284', 4_284, 1_092_610, 11_279_748),
  ],
};
