/** Reads this rank's rows of files, and solves systems with what is chosen. `data`: paths, galleries, matrices; how paths are read, and on which rank that is aborted. */

import { DEALS, dealt } from '#dist/conformance/rank-checks.js';
import { galleryRows, readComplexRows, readRows, rowsOfRank, solveRows } from '#dist/index.node.js';
import { readAnyRows } from '#dist/ranks/read-rows.node.js';

const READERS = { readRows, readComplexRows, readAnyRows };

export async function main(comm, { paths = [], galleries = [], matrices = [], reader = 'readRows', abortedRank }) {
  const rows = [];
  const progress = [];
  const errors = [];
  for (const path of paths) {
    const controller = new AbortController();
    const onProgress = (bytes) => {
      progress[rows.length] = bytes;
      if (comm.rank === abortedRank) controller.abort(new Error('enough'));
    };
    const reading = READERS[reader](comm, path, { onProgress, signal: controller.signal });
    if (abortedRank === undefined) rows.push(await reading);
    else errors.push(await reading.catch(({ message }) => message));
  }
  for (const [name, given] of galleries) rows.push(galleryRows(comm, name, given));
  const solved = matrices.map((matrix) => {
    const mine = rowsOfRank(matrix, dealt(matrix, DEALS.uneven, comm.size), comm.rank);
    const { x, method, preconditioner, converged } = solveRows(comm, mine, new Float64Array(mine.rows).fill(1));
    return { x: comm.allgather(x.data), method, preconditioner, converged };
  });
  return { rows, progress, solved, errors };
}
