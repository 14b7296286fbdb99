/** Reads this rank's rows of files, and solves systems with what is chosen. `data`: paths, galleries, matrices. */

import { DEALS, dealt } from '#dist/conformance/rank-checks.js';
import { galleryRows, readRows, rowsOfRank, solveRows } from '#dist/index.node.js';

export async function main(comm, { paths = [], galleries = [], matrices = [] }) {
  const rows = [];
  const progress = [];
  for (const path of paths) {
    const onProgress = (bytes) => {
      progress[rows.length] = bytes;
    };
    rows.push(await readRows(comm, path, { onProgress }));
  }
  for (const [name, given] of galleries) rows.push(galleryRows(comm, name, given));
  const solved = matrices.map((matrix) => {
    const mine = rowsOfRank(matrix, dealt(matrix, DEALS.uneven, comm.size), comm.rank);
    const { x, method, preconditioner, converged } = solveRows(comm, mine, new Float64Array(mine.rows).fill(1));
    return { x: comm.allgather(x.data), method, preconditioner, converged };
  });
  return { rows, progress, solved };
}
