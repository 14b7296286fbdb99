/** Vectors, blocks and matrices → files of NumPy and SciPy. Numbers are not copied. */
import type { ComplexMatrix } from '../../core/complex.js';
import type { CsrMatrix } from '../../core/csr.js';
import { byteStream } from '../bytes/byte-stream.js';
import type { DenseBlock } from '../kinds/kind.js';
import { blockArray, floatDescr, type NpyArray, npyBytes } from './npy.js';
import { zipStored } from './zip-stored.js';

export function writeNpy(block: DenseBlock): ReadableStream<Uint8Array> {
  return byteStream(npyBytes(blockArray(block)).values());
}

/**
 * As `scipy.sparse.save_npz` of a CSR matrix, not compressed. SciPy has neither patterns nor symmetries: values are written
 * as they are, f8 or f4, of complex matrices c16 or c8.
 *
 * @throws SparlaneError `heap` beyond 4 GiB
 */
export function writeNpz({
  rows,
  cols,
  rowPtr,
  colIdx,
  values,
  nnz,
  field,
}: CsrMatrix | ComplexMatrix): ReadableStream<Uint8Array> {
  // SciPy's own indices are signed, of four bytes up to 2³¹ − 1.
  const wide = Math.max(rows, cols, nnz) > 0x7fff_ffff;
  const indices = (array: Uint32Array): NpyArray => ({
    values: array,
    descr: wide ? '<u4' : '<i4',
    shape: [array.length],
  });
  const arrays: Record<string, NpyArray> = {
    indices: indices(colIdx),
    indptr: indices(rowPtr),
    format: { values: new TextEncoder().encode('csr'), descr: '|S3', shape: [] },
    shape: { values: Uint32Array.of(rows, 0, cols, 0), descr: '<i8', shape: [2] },
    data: { values, descr: floatDescr(values, field), shape: [nnz] },
  };
  const files = Object.entries(arrays).map(([name, array]) => ({ path: `${name}.npy`, pieces: npyBytes(array) }));
  return byteStream(zipStored('matrix', files));
}
