/**
 * Rows in a bad order get a good one. `data`: a matrix of the gallery, whether its lower triangle is left out, and how many entries may be gathered. Returns, on all ranks, the most
 * numbers that a rank got in one call, what the parts are like beside those of `partition`, and how many elements of a product are wrong with rows that `orderRows` moved.
 */

import { csrMatrix, gallery, orderRows, partition, permuteMatrix, rowsOfRank } from 'sparlane';
import { partsOfRows } from '#dist/ranks/parts/parts-of-rows.js';
import { checkedRows } from '#dist/ranks/redistribute.js';

/** Returns a communicator that notes the most numbers that this rank has got in one call. */
function watched(comm) {
  const got = { most: 0 };
  const note = (arrays) => {
    got.most = Math.max(
      got.most,
      arrays.reduce((sum, { length }) => sum + length, 0),
    );
    return arrays;
  };
  const calls = {
    ...{ rank: comm.rank, size: comm.size },
    alltoall: (parts) => note(comm.alltoall(parts)),
    gather: (array) => note(comm.gather(array)),
    scatter: (parts) => note([comm.scatter(parts)])[0],
    allgather: (array) => note([comm.allgather(array)])[0],
    allreduce: (numbers) => comm.allreduce(numbers),
    together: (make) => comm.together(make),
  };
  return { calls, got };
}

function upperTriangle({ rows, cols, rowPtr, colIdx, values }) {
  const kept = Array.from({ length: rows }, (_, i) => {
    const columns = [...colIdx.subarray(rowPtr[i], rowPtr[i + 1])];
    return columns.map((column, k) => [i, column, values[rowPtr[i] + k]]).filter(([row, column]) => column >= row);
  }).flat();
  const [rowIdx, columns, numbers] = [0, 1, 2].map((k) => kept.map((entry) => entry[k]));
  return csrMatrix({ rows, cols, rowIdx, colIdx: columns, values: numbers });
}

function badlyOrdered(matrix) {
  const order = Uint32Array.from({ length: matrix.rows }, (_, i) => (i * 48_271) % matrix.rows);
  return permuteMatrix(matrix, { rowOrder: order, colOrder: order });
}

/** Returns how many different pairs of a part and a column of another part there are. */
function haloOf({ rows, rowPtr, colIdx }, partOf, parts) {
  const pairs = new Set();
  for (let i = 0; i < rows; i++)
    for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++)
      if (partOf[colIdx[k]] !== partOf[i]) pairs.add(colIdx[k] * parts + partOf[i]);
  return pairs.size;
}

export async function main(comm, { name, given, isUpper, gathered }) {
  const made = badlyOrdered(gallery(name, given));
  const matrix = isUpper ? upperTriangle(made) : made;
  const rows = rowsOfRank(matrix, partition(matrix, comm.size, { order: 'natural' }), comm.rank);
  const { calls, got } = watched(comm);
  const partOf = comm.allgather(Float64Array.from(partsOfRows(calls, checkedRows(rows), gathered)));
  const most = comm.allreduce(got.most, 'max');

  const ordered = orderRows(comm, rows, { order: 'kway' });
  const x = Float64Array.from({ length: rows.rows }, (_, i) => ((rows.firstRow + i) % 17) - 8);
  const productOf = (part, numbers) => {
    const A = comm.operator(part);
    const y = comm.vector(part.rows);
    A.apply(comm.vector(numbers), y);
    return y.toArray();
  };
  const y = productOf(rows, x);
  const wrong = ordered
    ?.restore(productOf(ordered.rows, ordered.permute(x)))
    .filter((value, i) => Math.abs(value - y[i]) > 1e-9);
  const places = comm.allgather(ordered?.places ?? new Uint32Array());
  const failures = comm.allreduce(wrong?.length ?? 0);
  const work = new Float64Array(comm.size);
  partOf.forEach((part, i) => {
    work[part] += matrix.rowPtr[i + 1] - matrix.rowPtr[i] + 2;
  });
  const serial = partition(matrix, comm.size, { order: 'kway' });
  return {
    ...{ most, nnz: matrix.nnz, failures, partOf: [...partOf], places: [...places] },
    halo: haloOf(matrix, partOf, comm.size),
    serialHalo: serial.halo.reduce((sum, one) => sum + one, 0),
    heaviest: (Math.max(...work) * comm.size) / work.reduce((sum, one) => sum + one, 0),
  };
}
