/**
 * Arrays of numbers in a binary file → typed arrays, as NumPy and PETSc store them.
 *
 * A file is not believed: an array of more than 64 MiB is allocated as its numbers arrive, in lengths that double. Numbers
 * are converted in pieces of 64 KiB, by the platform's own conversion between typed arrays where there is one; those that are what the array
 * has are read into it. All platforms are little-endian, as WebAssembly is; big-endian numbers are turned around first.
 */
import { mismatch } from '../../core/errors.js';
import type { FloatArray } from '../../core/types.js';
import type { ByteReader } from './reader.js';

/** Kinds of numbers by NumPy's letters: `i4` is a signed integer of four bytes. */
export type NumberCode = 'b1' | 'i1' | 'u1' | 'i2' | 'u2' | 'i4' | 'u4' | 'i8' | 'u8' | 'f2' | 'f4' | 'f8';

type Piece = Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array | Float32Array | Float64Array;

/** A piece as the platform sees it: integers of eight bytes as two words, f2 as its bits. */
const VIEWS: Record<NumberCode, new (buffer: ArrayBuffer, begin: number, length: number) => Piece> = {
  b1: Uint8Array,
  i1: Int8Array,
  u1: Uint8Array,
  i2: Int16Array,
  u2: Uint16Array,
  i4: Int32Array,
  u4: Uint32Array,
  i8: Int32Array,
  u8: Uint32Array,
  f2: Uint16Array,
  f4: Float32Array,
  f8: Float64Array,
};

export function isNumberCode(code: string): code is NumberCode {
  return Object.hasOwn(VIEWS, code);
}

export interface NumberType {
  readonly code: NumberCode;
  readonly bigEndian: boolean;
}

/** Bytes of one number. */
export function bytesOf({ code }: NumberType): number {
  return Number(code[1]);
}

/** Whether numbers of this kind are integers. */
export function isInteger({ code }: NumberType): boolean {
  return code[0] !== 'f';
}

/** A multiple of the size of any number. */
const PIECE_BYTES = 1 << 16;
/** Numbers that are allocated at once; the system provides memory for them only as they are written. */
const FREE_NUMBERS = 1 << 23;

type Numbers = Uint32Array | FloatArray;
type NumbersConstructor<A extends Numbers> = new (length: number) => A;

/** Real numbers: f4 as f32, all others as doubles; 64-bit integers beyond 2⁵³ are rounded. */
export function readFloats(reader: ByteReader, type: NumberType, count: number, what: string): Promise<FloatArray> {
  if (type.code === 'f4') return readNumbers(reader, type, count, what, Float32Array, copyTo);
  return readNumbers<Float64Array>(reader, type, count, what, Float64Array, FLOATS[type.code] ?? copyTo);
}

/** Indices and counts. @throws SparlaneError `parse` for a number that is not an integer from 0 to 2³² − 1 */
export async function readIndices(
  reader: ByteReader,
  type: NumberType,
  count: number,
  what: string,
): Promise<Uint32Array> {
  const { code } = type;
  if (code[0] === 'f') throw reader.error(`${what} as integers`, `numbers of type ${code}`);
  const begin = reader.position;
  const wide = code === 'i8' || code === 'u8';
  return readNumbers(reader, type, count, what, Uint32Array, (target, piece, first) => {
    const wrong = wide ? narrow(target, piece as Int32Array, first) : natural(target, piece, first);
    if (wrong === undefined) return;
    const at = begin + (first + wrong.index) * bytesOf(type);
    const text = `${what}[${first + wrong.index}] = ${wrong.value}`;
    throw reader.error(`${what} from 0 to ${0xffff_ffff}`, text, at);
  });
}

/** Writes the numbers of a piece to `target[first]` and on. */
type Store<A extends Numbers> = (target: A, piece: Piece, first: number) => void;

async function readNumbers<A extends Numbers>(
  reader: ByteReader,
  type: NumberType,
  count: number,
  what: string,
  array: NumbersConstructor<A>,
  store: Store<A>,
): Promise<A> {
  const size = bytesOf(type);
  let numbers = allocate(reader.file, array, Math.min(count, FREE_NUMBERS), what);
  const isDirect = size === numbers.BYTES_PER_ELEMENT && isInteger(type) === numbers instanceof Uint32Array;
  const piece = isDirect ? undefined : new Uint8Array(PIECE_BYTES);
  for (let first = 0; first < count; ) {
    const most = Math.min(count - first, PIECE_BYTES / size);
    if (first + most > numbers.length) {
      const grown = allocate(reader.file, array, Math.min(count, 2 * numbers.length), what);
      grown.set(numbers);
      numbers = grown;
    }
    const bytes = piece?.subarray(0, most * size) ?? bytesIn(numbers, first, most);
    await reader.fill(bytes, `${count} ${what}`);
    if (type.bigEndian) turnAround(bytes, size);
    const length = size === 8 && isInteger(type) ? 2 * most : most;
    store(numbers, new VIEWS[type.code](bytes.buffer, bytes.byteOffset, length), first);
    first += most;
  }
  return numbers;
}

/** Those of `numbers[first]` and the next ones. */
function bytesIn({ buffer, BYTES_PER_ELEMENT: size }: Numbers, first: number, count: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer as ArrayBuffer, first * size, count * size);
}

/** @throws SparlaneError `heap` where the platform has no such memory, or no array of that length */
function allocate<A extends Numbers>(file: string, array: NumbersConstructor<A>, length: number, what: string): A {
  try {
    return new array(length);
  } catch {
    throw mismatch('heap', file, `${what} that fit into memory`, length, { length });
  }
}

function copyTo(target: Numbers, piece: Piece, first: number): void {
  if (piece.buffer !== target.buffer) target.set(piece, first);
}

/** Kinds that the platform does not convert. */
const FLOATS: { readonly [C in NumberCode]?: Store<Float64Array> } = {
  i8: (target, words, first) => {
    for (let k = 0; k < words.length; k += 2) target[first + k / 2] = words[k + 1]! * 2 ** 32 + (words[k]! >>> 0);
  },
  u8: (target, words, first) => {
    for (let k = 0; k < words.length; k += 2) target[first + k / 2] = words[k + 1]! * 2 ** 32 + words[k]!;
  },
  f2: (target, halves, first) => {
    for (let k = 0; k < halves.length; k++) target[first + k] = half(halves[k]!);
  },
};

/** IEEE 754 binary16: a sign, 5 bits of exponent, 10 of fraction. */
function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** The first number that is not an index, by its place in the piece. */
type Wrong = { readonly index: number; readonly value: number } | undefined;

function natural(target: Uint32Array, piece: Piece, first: number): Wrong {
  copyTo(target, piece, first);
  for (let k = 0; k < piece.length; k++) if (piece[k]! < 0) return { index: k, value: piece[k]! };
  return undefined;
}

function narrow(target: Uint32Array, words: Int32Array | Uint32Array, first: number): Wrong {
  for (let k = 0; k < words.length; k += 2) {
    if (words[k + 1] !== 0) return { index: k / 2, value: words[k + 1]! * 2 ** 32 + (words[k]! >>> 0) };
    target[first + k / 2] = words[k]!;
  }
  return undefined;
}

/** Reverses the bytes of each number of the piece. */
export function turnAround(bytes: Uint8Array<ArrayBuffer>, size: number): void {
  if (size === 1) return;
  if (size === 2) {
    const halves = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
    for (let k = 0; k < halves.length; k++) halves[k] = (halves[k]! << 8) | (halves[k]! >> 8);
    return;
  }
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  for (let k = 0; k < words.length; k++) {
    const word = words[k]!;
    words[k] = (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24);
  }
  if (size === 4) return;
  for (let k = 0; k < words.length; k += 2) {
    const low = words[k + 1]!;
    words[k + 1] = words[k]!;
    words[k] = low;
  }
}
