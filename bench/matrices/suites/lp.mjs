/**
 * Constraints of linear programs, each as A and as its transpose: first-order solvers multiply by both. Two stand-ins of the collection, and
 * four shapes by a rule. Their values are seeded.
 *
 * Source: shapes as in Applegate et al. 2021, "Practical large-scale linear programming using primal-dual hybrid gradient", whose instances are
 *   of this kind; the sizes are chosen: 10 to 30 million entries.
 */
import { transposeMatrix } from '../../../dist/algebra/transpose.js';
import { Draws } from '../kinds/draws.mjs';
import { byRows, transposed } from '../patterns.mjs';
import { weighted } from '../values.mjs';
import { ruleEntry, standInEntry } from './entries.mjs';

const share = (count, scale) => Math.max(2, Math.round(count * scale));

/** A covering has few, long rows: every column, a round trip of a crew, covers some of the rows. */
function covering(scale) {
  const draws = new Draws(35);
  const [rows, cols] = [share(4000, Math.sqrt(scale)), share(2e6, scale)];
  const ofColumns = byRows(cols, rows, (_, column) => {
    // Trips cover neighbouring legs, and a few others.
    const first = draws.below(rows);
    for (let k = draws.integer(2, 12); k > 0; k--) column.push((first + k * draws.integer(1, 6)) % rows);
  });
  return transposed(ofColumns);
}

/** Commodities share the capacities of a network's arcs: there is a block of ±1 for each, and a row for each arc over all of them. */
function commodities(scale) {
  const draws = new Draws(36);
  const number = 40;
  const [nodes, arcs] = [share(20_000, scale), share(100_000, scale)];
  const ends = Array.from({ length: arcs }, () => [draws.below(nodes), draws.below(nodes)]);
  const arcsOf = Array.from({ length: nodes }, () => []);
  for (const [arc, [from, to]] of ends.entries()) {
    arcsOf[from].push(arc);
    if (to !== from) arcsOf[to].push(arc);
  }
  return byRows(number * nodes + arcs, number * arcs + arcs, (i, row) => {
    const commodity = Math.floor(i / nodes);
    if (commodity < number) {
      for (const arc of arcsOf[i % nodes]) row.push(commodity * arcs + arc);
      return;
    }
    const arc = i - number * nodes;
    for (let c = 0; c < number; c++) row.push(c * arcs + arc);
    row.push(number * arcs + arc);
  });
}

/** Transport has a column for each pair of a source and a sink, with two entries; a row has as many entries as there are sinks or sources. */
function transport(scale) {
  const sources = share(3000, Math.sqrt(scale));
  const sinks = share(3000, Math.sqrt(scale));
  return byRows(sources + sinks, sources * sinks, (i, row) => {
    if (i < sources) for (let j = 0; j < sinks; j++) row.push(i * sinks + j);
    else for (let j = 0; j < sources; j++) row.push(j * sinks + i - sources);
  });
}

/** Stages of a plan over time are each coupled with the one before. Some rows reach over all stages, and each row has a slack variable. */
function stages(scale) {
  const draws = new Draws(37);
  const number = 200;
  const [rowsOf, colsOf] = [share(6000, scale), share(9000, scale)];
  const over = 20;
  const rows = number * rowsOf + over;
  const inStages = number * colsOf;
  return byRows(rows, inStages + rows, (i, row) => {
    row.push(inStages + i);
    const stage = Math.floor(i / rowsOf);
    if (stage === number) {
      for (let j = draws.below(50); j < inStages; j += draws.integer(1, 100)) row.push(j);
      return;
    }
    for (let k = draws.integer(3, 14); k > 0; k--) row.push(stage * colsOf + draws.below(colsOf));
    if (stage > 0) for (let k = draws.integer(0, 3); k > 0; k--) row.push((stage - 1) * colsOf + draws.below(colsOf));
  });
}

const RULES = [
  ['covering', 'set covering: 4,000 × 2,000,000, columns of 2 to 12 rows', covering],
  ['commodities', '40 commodities on a network of 20,000 nodes and 100,000 arcs', commodities],
  ['transport', '3,000 sources × 3,000 sinks', transport],
  ['stages', '200 stages of 6,000 × 9,000, 20 rows over all', stages],
];

function ruled([name, words, pattern]) {
  const entry = (suffix, how, make) => ruleEntry({ name: `${name}${suffix}`, published: {}, how, make });
  return [
    entry('', `exact: ${words}; seeded values`, (scale) => weighted(pattern(scale), false)),
    entry('ᵀ', `exact: transpose of ${words}; seeded values`, (scale) => weighted(transposed(pattern(scale)), false)),
  ];
}

function ofCollection(file) {
  const entry = standInEntry({ name: file, file });
  // The documented figures are those of A, not of its transpose.
  const mirrored = {
    ...entry,
    name: `${file}ᵀ`,
    how: entry.how.replace('stand-in', 'stand-in, transposed'),
    documented: {},
    aims: () => ({}),
  };
  return [
    entry,
    {
      ...mirrored,
      make: async (scale) => transposeMatrix(await entry.make(scale)),
      fromFile: (matrix) => transposeMatrix(matrix),
    },
  ];
}

export const PROGRAMS = {
  title: 'Linear programs: A and its transpose',
  source: 'Shapes of linear programs',
  entries: [...['rail4284', 'watson_2'].flatMap(ofCollection), ...RULES.flatMap(ruled)],
};
