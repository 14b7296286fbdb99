/**
 * The matrices of a run: made one by one, or all of them before the first is measured, by as many processes as the machine has cores, into a folder
 * (`makeAhead`). Making a large matrix and its order takes one core much longer than many cores need to measure it.
 */
import { fork } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { matrixStatistics } from '../../dist/features/statistics.js';
import { spy } from '../../dist/pictures/spy.js';
import { bandk } from '../../dist/reorder/bandk.js';
import { permuteMatrix } from '../../dist/reorder/permutation.js';
import { rcm } from '../../dist/reorder/rcm.js';
import { readMatrixFile, writeMatrixFile } from '../peers/matrix-file.mjs';
import { loadSuite } from './suites/index.mjs';

const SPY_PIXELS = 160;

/** The orders of rows and columns of square matrices. */
export const ORDERS = { natural: undefined, rcm, bandk };

/**
 * @param entry a matrix of a suite
 * @param how { scale, order, folder, ahead }: `folder` of real matrices, `ahead` where `makeAhead` left all, if it did
 * @returns { matrix, about, file }: `about` is its line in the record, `file` the file for native peers, if there is one
 */
export async function made(suite, entry, how) {
  if (how.ahead === undefined) return make(entry, how);
  const path = pathOf(suite, entry.name, how);
  return { matrix: readMatrixFile(path), about: JSON.parse(readFileSync(`${path}.json`, 'utf8')), file: path };
}

async function make(entry, { scale, order }) {
  const natural = await entry.make(scale);
  const reorder = natural.rows === natural.cols ? ORDERS[order] : undefined;
  const matrix = reorder === undefined ? natural : permuteMatrix(natural, reorder(natural));
  return { matrix, about: describe(entry, matrix) };
}

function describe({ standIn, how }, matrix) {
  const { rows, cols, nnz, regular, bandwidth, symmetry, rowLengths } = matrixStatistics(matrix);
  const { mean, max, variance } = rowLengths;
  const png = Buffer.from(spy(matrix, { as: 'png', size: SPY_PIXELS })).toString('base64');
  return {
    ...{ standIn, how, rows, cols, nnz, mean, max, variance, regular, bandwidth },
    ...{ symmetric: symmetry === 'symmetric', spy: `data:image/png;base64,${png}` },
  };
}

/** Makes the matrices that `how.ahead` does not hold yet, the largest first. `entries`: [suite, entry] of each. */
export async function makeAhead(entries, how) {
  mkdirSync(how.ahead, { recursive: true });
  const queue = entries.filter(([suite, { name }]) => !existsSync(pathOf(suite, name, how)));
  const size = ([, { published, documented }]) => published.nnz ?? documented.nnz ?? 0;
  queue.sort((a, b) => size(b) - size(a));
  const program = fileURLToPath(import.meta.url);
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [suite, { name }] = next;
      const child = fork(program, [JSON.stringify({ suite, name, how })]);
      const status = await new Promise((resolve) => child.on('exit', resolve));
      if (status !== 0) throw new Error(`${suite} ${name}: the process that made it ended with ${status}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), queue.length) }, work));
}

function pathOf(suite, name, { scale, order, ahead }) {
  return join(ahead, [suite, name.replaceAll(/[^\w.-]/g, '_'), scale, order].join(' '));
}

/** The process of one matrix. */
async function child({ suite, name, how }) {
  const entry = loadSuite(suite, how).find((one) => one.name === name);
  const { matrix, about } = await make(entry, how);
  const path = pathOf(suite, name, how);
  writeFileSync(`${path}.json`, JSON.stringify(about));
  // Under its name it is complete.
  writeMatrixFile(matrix, `${path}.part`);
  renameSync(`${path}.part`, path);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await child(JSON.parse(process.argv[2]));
