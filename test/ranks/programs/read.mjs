/**
 * Reads this rank's rows of files, and solves systems with what is chosen. `data`: files, each with its path, the reader, and the rank that aborts it;
 * galleries; matrices.
 */
import { galleryRows, partition, readComplexRows, readRows, rowsOfRank, solveRows } from 'sparlane';

/** That of the command line is in no export. */
const readAnyRows = async (comm, path) => (await import('#dist/ranks/read-rows.node.js')).readAnyRows(comm, path);
const READERS = { readRows, readComplexRows, readAnyRows };

export async function main(comm, { files = [], galleries = [], matrices = [] }) {
  const found = [];
  for (const file of files) found.push(await readFile(comm, file));
  const rows = galleries.map(([name, given]) => galleryRows(comm, name, given));
  return { files: found, galleries: rows, solved: matrices.map((matrix) => solve(comm, matrix)) };
}

/** Returns the rows, or the message of the error; and the bytes that were reported last. */
async function readFile(comm, { path, reader = 'readRows', abortedRank }) {
  const controller = new AbortController();
  let progress = 0;
  const onProgress = (bytes) => {
    progress = bytes;
    if (comm.rank === abortedRank) controller.abort(new Error('enough'));
  };
  try {
    const rows = await READERS[reader](comm, path, { onProgress, signal: controller.signal });
    return { rows, progress };
  } catch ({ message }) {
    return { error: message, progress };
  }
}

function solve(comm, matrix) {
  const natural = partition(matrix, comm.size, { order: 'natural' });
  // Ever more rows to the next rank.
  const bounds = natural.bounds.map((_, rank) => Math.floor(matrix.rows * (rank / comm.size) ** 2));
  const mine = rowsOfRank(matrix, { ...natural, bounds }, comm.rank);
  const { x, method, preconditioner, converged } = solveRows(comm, mine, new Float64Array(mine.rows).fill(1));
  return { x: comm.allgather(x.data), method, preconditioner, converged };
}
