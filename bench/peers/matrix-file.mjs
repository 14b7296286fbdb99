/** The files that the native peers read; their layouts are in peer.h. Numbers are little-endian, as on all supported machines. */
import { closeSync, openSync, readSync, writeSync } from 'node:fs';

/** A system call reads or writes 2 GiB at most. */
const LARGEST_PIECE = 2 ** 30;

export function writeMatrixFile(matrix, path) {
  const { rows, cols, nnz, rowPtr, colIdx, values } = matrix;
  writeArrays(path, [Uint32Array.of(rows, cols, nnz), rowPtr, colIdx, asF64(values)]);
}

/** What `writeMatrixFile` wrote, as a matrix of CSR arrays. */
export function readMatrixFile(path) {
  const file = openSync(path, 'r');
  const take = (Type, length) => readAll(file, new Type(length));
  const [rows, cols, nnz] = take(Uint32Array, 3);
  const matrix = {
    ...{ rows, cols, nnz, rowPtr: take(Uint32Array, rows + 1) },
    ...{ colIdx: take(Uint32Array, nnz), values: take(Float64Array, nnz) },
  };
  closeSync(file);
  return matrix;
}

export function writeVectorFile(x, path) {
  writeArrays(path, [asF64(x)]);
}

/** Vectors of equal length, for `nearNullSpace` of peer.h. */
export function writeVectorsFile(vectors, path) {
  writeArrays(path, [Uint32Array.of(vectors.length), ...vectors.map(asF64)]);
}

const asF64 = (array) => (array instanceof Float64Array ? array : Float64Array.from(array));

function writeArrays(path, arrays) {
  const file = openSync(path, 'w');
  for (const array of arrays) writeAll(file, new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  closeSync(file);
}

function writeAll(file, bytes) {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, Math.min(bytes.length - at, LARGEST_PIECE));
}

function readAll(file, array) {
  const bytes = new Uint8Array(array.buffer);
  for (let at = 0; at < bytes.length; ) {
    const count = readSync(file, bytes, at, Math.min(bytes.length - at, LARGEST_PIECE), null);
    if (count === 0) throw new Error('the file of the matrix ends too early');
    at += count;
  }
  return array;
}
