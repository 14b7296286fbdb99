/** Rank 1 alone gives something wrong. Returns the messages that this rank gets. */
import { gallery, orderRows, partition, readPart, rowsOfRank, savePart, saveRows } from 'sparlane';

export async function main(comm, { folder }) {
  const matrix = gallery('laplace2d5', { nx: 6, ny: 5 });
  const rows = rowsOfRank(matrix, partition(matrix, comm.size, { order: 'natural' }), comm.rank);
  const A = comm.operator(rows);
  const isWrong = comm.rank === 1;
  const part = new Uint32Array(rows.rows);
  const entries = (row) => ({ rowIdx: [0, row], colIdx: [0, 0] });
  const moved = comm.redistribute(rows, part);
  const assembly = comm.assembly(entries(0), { rows: 2 });
  const attempts = [
    () => comm.redistribute(rows, isWrong ? part.subarray(1) : part),
    () => comm.redistribute(rows, isWrong ? part.fill(9) : part),
    () => moved.permute(new Float64Array(isWrong ? 1 : rows.rows)),
    () => orderRows(comm, rows, { order: 'best' }),
    () => comm.assembly(entries(isWrong ? 1000 : 0), { rows: 2 }),
    () => comm.assembly({ rowIdx: [0], colIdx: isWrong ? [] : [0] }, { rows: 2 }),
    () => assembly.rows(isWrong ? [1] : [1, 2]),
    () => A.update(isWrong ? [1] : rows.values),
    () => savePart(comm, `${folder}/x.txt`, new Float64Array(2)),
    () => saveRows(comm, `${folder}/A.npz`, rows),
    () => saveRows(comm, `${folder}/none/A.petsc`, rows),
    () => readPart(comm, `${folder}/x.npy`, isWrong ? 2 : 1),
  ];
  await savePart(comm, `${folder}/x.npy`, new Float64Array(2));
  const messages = [];
  for (const attempt of attempts)
    messages.push(
      await Promise.resolve()
        .then(attempt)
        .then(
          () => 'no error',
          ({ message }) => message.replaceAll(folder, 'folder'),
        ),
    );
  // Nothing has changed, and ranks still work together.
  const y = comm.vector(A.rows);
  A.apply(comm.vector(A.cols).fill(1), y);
  return { messages, sum: comm.allreduce(y.data.reduce((sum, value) => sum + value, 0)) };
}
