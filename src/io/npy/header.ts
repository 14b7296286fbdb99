/**
 * The header of an array of NumPy: magic, version, and a dictionary as Python writes it.
 *
 * Source: NumPy Enhancement Proposal 1, "A Simple File Format for NumPy Arrays"; `numpy.lib.format`, versions 1.0 to 3.0.
 * Differs: arrays of records and of objects are refused, and complex numbers where they are not asked for.
 */
import { isNumberCode, type NumberType } from '../bytes/numbers.js';
import type { ByteReader } from '../bytes/reader.js';
import { quote } from '../parse-error.js';

export interface NpyHeader {
  /** Undefined for text. */
  readonly type: NumberType | undefined;
  /** Bytes of one element. */
  readonly size: number;
  /** The numbers of one element: a complex one has 2. */
  readonly numbers: 1 | 2;
  /** Whether the first index varies fastest. */
  readonly fortranOrder: boolean;
  readonly shape: readonly number[];
  /** The product of the shape: a claim of the file. */
  readonly count: number;
}

export const NPY_MAGIC = '\x93NUMPY';
const MAGIC_BYTES = 8;
/** NumPy warns from 10 000 on. */
const MAX_HEADER_BYTES = 1 << 16;

const DESCR = /'descr'\s*:\s*'([<>|=]?)([a-zA-Z?])(\d*)'/;
const ORDER = /'fortran_order'\s*:\s*(True|False)/;
const SHAPE = /'shape'\s*:\s*\(([\d\s,L]*)\)/;

/** @param takesComplex whether numbers may be complex */
export async function readNpyHeader(reader: ByteReader, takesComplex = false): Promise<NpyHeader> {
  const start = await reader.take(MAGIC_BYTES, 'the header of an npy array');
  if (String.fromCharCode(...start.subarray(0, 6)) !== NPY_MAGIC) {
    throw reader.error('an npy array', quote(String.fromCharCode(...start)), 0);
  }
  const version = start[6]!;
  if (version < 1 || version > 3) throw reader.error('version 1, 2 or 3 of npy', `${version}`);
  const wide = version > 1;
  const lengthBytes = await reader.take(wide ? 4 : 2, 'the length of the header');
  const view = new DataView(lengthBytes.buffer);
  const length = wide ? view.getUint32(0, true) : view.getUint16(0, true);
  if (length > MAX_HEADER_BYTES) throw reader.error(`a header of at most ${MAX_HEADER_BYTES} bytes`, `${length}`);
  const begin = reader.position;
  const text = new TextDecoder().decode(await reader.take(length, 'the header'));
  const descr = DESCR.exec(text);
  const order = ORDER.exec(text);
  const shape = SHAPE.exec(text);
  if (order === null || shape === null || !text.includes("'descr'"))
    throw reader.error('a dictionary with descr, fortran_order and shape', quote(text), begin);
  const sizes = (shape[1]!.match(/\d+/g) ?? []).map(Number);
  const count = sizes.reduce((product, size) => product * size, 1);
  if (!(count <= Number.MAX_SAFE_INTEGER)) throw reader.error('a shape of fewer numbers', quote(shape[0]), begin);
  return {
    ...elementType(reader, descr, text, begin, takesComplex),
    fortranOrder: order[1] === 'True',
    shape: sizes,
    count,
  };
}

function elementType(
  reader: ByteReader,
  descr: RegExpExecArray | null,
  text: string,
  at: number,
  takesComplex: boolean,
): Pick<NpyHeader, 'type' | 'size' | 'numbers'> {
  const [, byteOrder, letter, digits] = descr ?? [];
  const code = `${letter === '?' ? 'b' : letter}${letter === '?' ? 1 : digits}`;
  if (letter === 'S' || letter === 'U')
    return { type: undefined, size: Number(digits) * (letter === 'U' ? 4 : 1), numbers: 1 };
  const bigEndian = byteOrder === '>';
  if (isNumberCode(code)) return { type: { code, bigEndian }, size: Number(code[1]), numbers: 1 };
  if (takesComplex && (code === 'c16' || code === 'c8'))
    return { type: { code: code === 'c16' ? 'f8' : 'f4', bigEndian }, size: Number(digits), numbers: 2 };
  const complex = letter === 'c' ? ' (readComplex reads complex matrices)' : '';
  const got = descr === null ? quote(text) : quote(`${byteOrder}${letter}${digits}`);
  throw reader.error(`real numbers: b1, i1 … i8, u1 … u8, f2, f4 or f8${complex}`, got, at);
}
