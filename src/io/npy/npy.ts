/** NumPy arrays ↔ vectors and dense blocks. */
import type { FloatArray } from '../../core/types.js';
import type { PlainFile } from '../bytes/bytes.js';
import { readFloats, readIndices } from '../bytes/numbers.js';
import { ByteReader } from '../bytes/reader.js';
import { checkBlock } from '../claims.js';
import { checkColumns, rowMajor } from '../kinds/dense.js';
import type { DenseBlock } from '../kinds/kind.js';
import { NPY_MAGIC, type NpyHeader, readNpyHeader } from './header.js';

/** A vector is one column. */
export async function readNpy(
  { name, chunks }: PlainFile,
  columns: number | undefined,
  takesComplex: boolean,
): Promise<DenseBlock> {
  const reader = new ByteReader(name, chunks);
  try {
    const header = await readNpyHeader(reader, takesComplex);
    const { shape, numbers: parts } = header;
    if (shape.length > 2) throw reader.error('a vector or a matrix', `an array of ${shape.length} dimensions`);
    const [rows = 1, cols = 1] = shape;
    checkColumns(name, rows, cols, columns);
    checkBlock(name, rows, parts * cols);
    const values = await floatsOf(reader, header, 'numbers');
    await reader.finish();
    const ordered = header.fortranOrder ? rowMajor(values, rows, cols, parts) : values;
    return { rows, columns: cols, values: ordered, ...(parts === 2 && { field: 'complex' }) };
  } finally {
    reader.letGo();
  }
}

/** The numbers of an array, in the order of the file. Those of a complex array are pairs. */
export function floatsOf(reader: ByteReader, { type, count, numbers }: NpyHeader, what: string): Promise<FloatArray> {
  if (type === undefined) throw reader.error(what, 'text');
  return readFloats(reader, type, count * numbers, what);
}

/** The same for integers that are not negative. */
export function indicesOf(reader: ByteReader, { type, count }: NpyHeader, what: string): Promise<Uint32Array> {
  if (type === undefined) throw reader.error(what, 'text');
  return readIndices(reader, type, count, what);
}

/** NumPy aligns the numbers to as many bytes. */
const ALIGNMENT = 64;
const PREFIX_BYTES = 10;

/** Numbers as NumPy stores them. */
export interface NpyArray {
  readonly values: Float64Array | Float32Array | Uint32Array | Int32Array | Uint8Array;
  readonly descr: '<c16' | '<c8' | '<f8' | '<f4' | '<i8' | '<u4' | '<i4' | '|S3';
  readonly shape: readonly number[];
}

/** The name of real or complex numbers as NumPy has it. */
export function floatDescr(values: FloatArray, field: string | undefined): NpyArray['descr'] {
  const isSingle = values instanceof Float32Array;
  return field === 'complex' ? (isSingle ? '<c8' : '<c16') : isSingle ? '<f4' : '<f8';
}

/** The header and the numbers; the numbers are not copied. */
export function npyBytes({ values, descr, shape }: NpyArray): [header: Uint8Array, numbers: Uint8Array] {
  const tuple = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${tuple}), }`;
  const length = Math.ceil((PREFIX_BYTES + text.length + 1) / ALIGNMENT) * ALIGNMENT - PREFIX_BYTES;
  const characters = `${NPY_MAGIC}\x01\0..${text.padEnd(length - 1)}\n`;
  const header = Uint8Array.from(characters, (character) => character.charCodeAt(0));
  new DataView(header.buffer).setUint16(8, length, true);
  return [header, new Uint8Array(values.buffer, values.byteOffset, values.byteLength)];
}

/** A vector has one dimension, a block of several columns two. */
export function blockArray({ rows, columns, values, field }: DenseBlock): NpyArray {
  const descr = floatDescr(values, field);
  return { values, descr, shape: columns === 1 ? [rows] : [rows, columns] };
}
