/**
 * Rows that move to other ranks, that are assembled by all ranks, and that go through files. `data`: a matrix of the gallery, and a folder. Returns what all ranks have found:
 * vectors of all ranks, and how many numbers differ from those that they must equal.
 */
import { join } from 'node:path';
import { gallery, partition, readPart, readRows, rowsOfRank, savePart, saveRows } from 'sparlane';

/** Returns the new rank of a row. Neighbours go to different ranks, and some ranks get no row of a small matrix. */
const rankOf = (row, size) => ((row * 7 + 3) % 11) % size;

function differences(numbers, expected) {
  return numbers.length === expected.length ? numbers.filter((value, k) => value !== expected[k]).length : -1;
}

export async function main(comm, { name, given, folder }) {
  const matrix = gallery(name, given);
  const rows = rowsOfRank(matrix, partition(matrix, comm.size, { order: 'natural' }), comm.rank);
  const { firstRow } = rows;
  // The numbers are integers, so every order of summation gives the same sums.
  const x = Float64Array.from({ length: rows.rows }, (_, i) => ((firstRow + i) % 17) - 8);
  const productOf = (operator, part) => {
    const y = comm.vector(operator.rows);
    operator.apply(comm.vector(part), y);
    return y.toArray();
  };
  const A = comm.operator(rows);
  const y = productOf(A, x);
  const wrong = {};

  const moved = comm.redistribute(
    rows,
    x.map((_, i) => rankOf(firstRow + i, comm.size)),
  );
  const B = comm.operator(moved.rows);
  wrong.redistributed = differences(moved.restore(productOf(B, moved.permute(x))), y);
  const numbers = Float64Array.from({ length: rows.rows }, (_, i) => firstRow + i);
  const here = moved.permute(numbers);
  wrong.ranks = here.filter((row) => rankOf(row, comm.size) !== comm.rank).length;
  wrong.places = differences(
    moved.permute(Float64Array.from(moved.places)),
    here.map((_, i) => moved.rows.firstRow + i),
  );

  // Rank r names every entry of the whole matrix, with r + 1 of as many parts of its value as all ranks have together.
  const shares = (comm.size * (comm.size + 1)) / 2;
  const rowIdx = new Uint32Array(matrix.nnz);
  for (let i = 0; i < matrix.rows; i++) rowIdx.fill(i, matrix.rowPtr[i], matrix.rowPtr[i + 1]);
  const backwards = { rowIdx: rowIdx.reverse(), colIdx: matrix.colIdx.slice().reverse() };
  const assembly = comm.assembly(backwards, { rows: rows.rows });
  const share = matrix.values.map((value) => value * (comm.rank + 1)).reverse();
  const assembled = assembly.rows(share);
  wrong.pattern = differences(assembled.rowPtr, rows.rowPtr) + differences(assembled.colIdx, rows.colIdx);
  wrong.sums = differences(
    assembled.values,
    rows.values.map((value) => shares * value),
  );

  for (const format of ['csr', 'auto']) {
    const C = comm.operator(rows, { format });
    const before = productOf(C.transposed(), x);
    C.update(assembled.values);
    wrong[`transposed ${format}`] = differences(
      productOf(C.transposed(), x),
      before.map((value) => shares * value),
    );
    wrong[`updated ${format}`] = differences(
      productOf(C, x),
      y.map((value) => shares * value),
    );
    C.update(rows.values);
    wrong[`updated again ${format}`] = differences(productOf(C, x), y);
  }

  for (const file of ['A.petsc', 'A.mtx']) {
    await saveRows(comm, join(folder, file), rows);
    const read = await readRows(comm, join(folder, file));
    const C = comm.operator(read);
    // Rows are distributed by entries in both.
    wrong[file] = differences(productOf(C, x), y);
  }
  await savePart(comm, join(folder, 'x.npy'), y);
  wrong['x.npy'] = differences(await readPart(comm, join(folder, 'x.npy'), y.length), y);
  const all = comm.allgather(Float64Array.from(Object.values(wrong)));
  return { x: [...comm.allgather(x)], y: [...comm.allgather(y)], wrong: Object.keys(wrong), counts: [...all] };
}
