/**
 * The papers' tables as suites of matrices, by name. If neither the matrix nor a rule for it is available, a stand-in
 * with its figures takes its place, and is marked as such. A folder of real matrices replaces them by name.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openFile, readMatrixMarket } from '../../../dist/index.node.js';
import { weighted } from '../values.mjs';
import { TABLE_2 } from './abdelfattah.mjs';
import { TABLE_3, TABLE_4 } from './bell-garland.mjs';
import { FIFTEEN } from './jindal.mjs';
import { TABLE_1 } from './lane-booth.mjs';
import { PROGRAMS } from './lp.mjs';

export const SUITES = {
  'bell-garland-3': TABLE_3,
  'bell-garland-4': TABLE_4,
  'lane-booth-1': TABLE_1,
  'abdelfattah-2': TABLE_2,
  jindal: FIFTEEN,
  lp: PROGRAMS,
  real: { title: 'Real matrices of a folder', source: 'Matrix Market files of the user', entries: [] },
};

/** The suffixes of matrix files. */
const ENDINGS = ['.mtx', '.mtx.gz', '.tar.gz'];

/** The suite's entries. Real matrices of `folder` replace generated ones; the suite `real` consists of all of them. */
export function loadSuite(name, { folder } = {}) {
  const suite = SUITES[name];
  if (suite === undefined) throw new RangeError(`suite: expected ${Object.keys(SUITES).join(' | ')}, got ${name}`);
  if (name === 'real' && folder === undefined)
    throw new RangeError('suite real: expected a folder of matrices, got none');
  const files = folder === undefined ? new Map() : matrixFiles(folder);
  if (name === 'real') return [...files].map(([matrix, path]) => realEntry(matrix, path));
  return suite.entries.map((entry) => {
    const found = [...entry.files, entry.name].find((candidate) => files.has(candidate));
    return found === undefined ? entry : replaced(entry, files.get(found));
  });
}

/** Paths by file name without suffix, in order of the names. */
function matrixFiles(folder) {
  const found = new Map();
  for (const file of readdirSync(folder).sort()) {
    const ending = ENDINGS.find((candidate) => file.endsWith(candidate));
    if (ending !== undefined) found.set(file.slice(0, -ending.length), join(folder, file));
  }
  return found;
}

function realEntry(name, path) {
  const entry = { name, files: [name], published: {}, documented: {}, aims: () => ({}), fromFile: (matrix) => matrix };
  return replaced(entry, path);
}

/** A file has the same matrix at every scale. */
function replaced(entry, path) {
  const make = async () => entry.fromFile(await readWeighted(path));
  return { ...entry, standIn: false, how: `file ${path}`, make, aims: () => entry.aims(1) };
}

/** A pattern gets seeded values, so that no contender gains by not reading them. */
async function readWeighted(path) {
  const { source, name } = await openFile(path);
  const matrix = await readMatrixMarket(source, { name });
  return matrix.field === 'pattern' ? weighted(matrix, matrix.symmetry === 'symmetric') : matrix;
}
