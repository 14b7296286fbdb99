/**
 * Entries of suites. The properties of an entry:
 *
 * `name` as in the paper's table; `files`: names of the real matrix in a folder; `published`: figures of the table's
 * row; `documented`: figures that the table does not have, see `collection.mjs`; `standIn`; `how`; `make(scale)`: the
 * matrix; `aims(scale)`: the figures that it should have; `fromFile(matrix)`: converts the real matrix to that of the
 * entry.
 */
import { promoteBlocks } from '../../../dist/gallery/promote.js';
import { COLLECTION } from './collection.mjs';
import { scaledFigures, standIn } from './stand-in.mjs';

/** A documented figure this close to the published one is the same figure, more precise. */
const SAME = 0.02;

/** @param given `make(scale)` generates the matrix of the rule exactly; `isStandIn` if that is not the published matrix */
export function ruleEntry({ name, files = [], published, how, make, isStandIn = false }) {
  return {
    ...{ name, files, published, documented: {}, standIn: isStandIn, how },
    make: (scale = 1) => make(scale),
    aims: (scale = 1) => (scale === 1 ? withMean(published) : {}),
    fromFile: (matrix) => matrix,
  };
}

/**
 * @param given `file`: the name in the collection; `published`; `rounding`: by how much rows and entries may differ from
 *   the published, which are rounded; `transposed`: the table counts the entries of columns as those of rows; other
 *   properties replace the documented ones
 */
export function standInEntry({ name, file, published = {}, rounding = 0, transposed = false, ...own }) {
  const record = COLLECTION[file];
  const figures = { ...figuresOf(record, published, rounding, transposed), ...own };
  const all = aimsOf(figures);
  const documented = Object.fromEntries(Object.entries(all).filter(([key]) => published[key] === undefined));
  return {
    ...{ name, files: [file], published, documented, standIn: true },
    how: description(figures, file, published, transposed),
    make: (scale = 1) => standIn(figures, scale),
    aims: (scale = 1) => (scale === 1 ? { ...all, ...published } : aimsOf(scaledFigures(figures, scale))),
    fromFile: (matrix) => matrix,
  };
}

/** Every entry of the base becomes a dense block. A matrix of more than `largest` entries is made at a smaller scale. */
export function promotedEntry(base, block, largest = Infinity) {
  const { rows, cols, nnz } = base.published;
  const factor = Math.min(1, largest / (nnz * block ** 2));
  const reduced = `; at scale 1 made at ${factor.toFixed(3)}: ${largest / 1e6} M entries at most`;
  // If the base is partly symmetric, the blocks on the diagonal increase the symmetry, in proportion to their number.
  const promoted = ({ rows, cols, nnz, mean, min, max, variance, symmetric }) =>
    withoutNothing({
      ...{ rows: times(rows, block), cols: times(cols, block), nnz: times(nnz, block ** 2) },
      ...{ mean: times(mean, block), min: times(min, block), max: times(max, block) },
      ...{ variance: times(variance, block ** 2), symmetric: symmetric === 1 ? 1 : undefined },
    });
  return {
    ...{ name: `${base.name} b=${block}`, files: base.files, standIn: base.standIn },
    published: { rows: rows * block, cols: cols * block, nnz: nnz * block ** 2 },
    documented: promoted(base.documented),
    how: `${base.how}; every entry a block of ${block} × ${block}${factor < 1 ? reduced : ''}`,
    make: async (scale = 1) => promoteBlocks(await base.make(scale * factor), block),
    aims: (scale = 1) => promoted(base.aims(scale * factor)),
    fromFile: (matrix) => promoteBlocks(matrix, block),
  };
}

function figuresOf(record, published, rounding, transposed) {
  const [own, other] = transposed ? ['colLengths', 'rowLengths'] : ['rowLengths', 'colLengths'];
  const exact = (key) =>
    published[key] === undefined || Math.abs(record[key] - published[key]) <= rounding ? record[key] : published[key];
  const [rows, cols, nnz] = [exact('rows'), exact('cols'), exact('nnz')];
  const { min, max, variance } = record[own];
  const isMax = published.max === undefined || Math.abs(max / published.max - 1) <= SAME;
  // The collection counts explicit zeros, which the paper omitted, so rows are shorter in proportion.
  const shorter = nnz / rows / (record.nnz / record.rows);
  return {
    ...{ rows, cols, nnz, min: Math.min(min, Math.floor(nnz / rows)), max: isMax ? max : published.max },
    ...{ variance: variance * (Math.abs(shorter - 1) > SAME ? shorter ** 2 : 1), colMax: record[other].max },
    ...{ symmetric: published.symmetric ?? record.mirrored, values: record.symmetry },
    ...{ diagonal: record.field === 'real' && record.rows === record.cols, seed: 1 },
    ...{
      kind: record.kind,
      block: record.block,
      spread: record.spread,
      run: record.run,
      similarity: record.similarity,
    },
  };
}

function aimsOf({ rows, cols, nnz, min, max, variance, symmetric }) {
  const square = rows === cols ? { symmetric } : {};
  return { rows, cols, nnz, mean: nnz / rows, min, max, variance, ...square };
}

function withMean(published) {
  return published.rows === undefined ? published : { mean: published.nnz / published.rows, ...published };
}

function description({ kind, block, rows, nnz }, file, published, transposed) {
  const ofTable = ['rows', 'nnz', 'mean', 'max', 'symmetric', 'regular'].filter((key) => published[key] !== undefined);
  const rest = ['rows', 'nnz', 'max', 'variance', 'symmetric'].filter((key) => published[key] === undefined);
  const named = (keys) => keys.map((key) => WORDS[key]).join(', ');
  const parts = [`stand-in (${kind}${block > 1 ? `, blocks of ${block}` : ''})`];
  if (ofTable.length > 0) parts.push(`${named(ofTable)} as published`);
  const columns = transposed ? ' (its columns, which the table counts)' : '';
  parts.push(`${named(rest)}, least row, spread and runs after SuiteSparse ${file}${columns}`);
  const zeros = nnz / rows / (COLLECTION[file].nnz / COLLECTION[file].rows);
  if (Math.abs(zeros - 1) > SAME) parts.push('scaled to the entries without explicit zeros');
  return parts.join('; ');
}

const WORDS = {
  rows: 'rows',
  nnz: 'entries',
  mean: 'mean',
  max: 'longest row',
  variance: 'variance',
  symmetric: 'symmetry',
  regular: 'regularity',
};

const times = (figure, factor) => (figure === undefined ? undefined : figure * factor);

function withoutNothing(figures) {
  return Object.fromEntries(Object.entries(figures).filter(([, figure]) => figure !== undefined));
}
