/**
 * Sparse matrices of SciPy, `scipy.sparse.save_npz` ↔ CSR: a zip archive of npy arrays.
 *
 * Source: SciPy, `scipy/sparse/_matrix_io.py`; the arrays of each format as in `scipy.sparse`.
 *
 * Memory: the arrays of the file, and the CSR arrays where those are not CSR already. Values of f4 stay f32; integers
 * become doubles. Zeros in diagonals are padding, as in SciPy's `tocsr`; zeros in blocks and elsewhere are entries.
 */
import { integer } from '../../core/checks.js';
import { type ComplexInput, type ComplexMatrix, complexMatrix } from '../../core/complex.js';
import { type CsrMatrix, csrMatrix, type LayoutInput } from '../../core/csr.js';
import { checkEntries } from '../../core/entries.js';
import type { Field, FloatArray } from '../../core/types.js';
import type { PlainFile } from '../bytes/bytes.js';
import { isInteger } from '../bytes/numbers.js';
import { ByteReader } from '../bytes/reader.js';
import { checkClaim } from '../claims.js';
import { csrOfEntries } from '../matrix-market/csr-of-entries.js';
import { fileError, madeFrom } from '../parse-error.js';
import { type NpyHeader, readNpyHeader } from './header.js';
import { ARRAYS, checkFormat, checkLengths, type ScipySizes } from './lengths.js';
import { floatsOf, indicesOf } from './npy.js';
import { bsrEntries, diaEntries } from './scipy-formats.js';

/** What an archive has, by SciPy's names. */
export interface ArchiveMembers {
  format?: string;
  shape?: FloatArray;
  data?: FloatArray;
  /** Of `data`: BSR and DIA have several dimensions. */
  dataShape?: readonly number[];
  field?: Field;
  indptr?: Uint32Array;
  indices?: Uint32Array;
  row?: Uint32Array;
  col?: Uint32Array;
  /** Diagonals below the main one are negative. */
  offsets?: FloatArray;
}

export async function readNpz(file: PlainFile): Promise<CsrMatrix> {
  return realOf(file.name, await readArrays(file, false));
}

/** The same for values that may be complex. @throws SparlaneError `parse` for complex ones in another format than csr, csc and coo */
export async function readAnyNpz(file: PlainFile): Promise<CsrMatrix | ComplexMatrix> {
  const { name } = file;
  const input = await readArrays(file, true);
  return input.isComplex ? madeFrom(name, () => complexMatrix(input as unknown as ComplexInput)) : realOf(name, input);
}

function realOf(name: string, input: ReadInput): CsrMatrix | Promise<CsrMatrix> {
  const { rows, cols, rowIdx, colIdx, values, field } = input;
  if (rowIdx === undefined || colIdx === undefined) return madeFrom(name, () => csrMatrix(input));
  const entries = madeFrom(name, () => checkEntries({ rows, cols }, rowIdx, colIdx, values));
  return csrOfEntries({ rows, cols, field: field! }, entries);
}

async function readArrays({ name, chunks, unzip }: PlainFile, takesComplex: boolean): Promise<ReadInput> {
  const members: ArchiveMembers = {};
  const headers: { [M in Member]?: NpyHeader } = {};
  const names: string[] = [];
  const later = new Map<string, () => Promise<void>>();
  for await (const { path, chunks: content, keep } of unzip(chunks, name)) {
    const member = path.replace(/\.npy$/, '');
    if (names.length < MAX_NAMES) names.push(member);
    if (!isMember(member)) continue;
    const reader = new ByteReader(`${name}/${path}`, content);
    if (headers[member] !== undefined) throw reader.error('each array once', `another ${member}`, 0);
    const header = await readNpyHeader(reader, takesComplex && member === 'data');
    headers[member] = header;
    const readMember = async () => {
      await READERS[member](reader, header, members);
      await reader.finish();
    };
    // Waits until the headers of all arrays are known.
    if (await keep((header.count * header.size) / MIN_GROWTH)) later.set(member, readMember);
    else await readMember();
  }
  const missing = (member: Member) =>
    fileError(name, `the array ${member} of scipy.sparse.save_npz`, names.join(', ') || 'nothing');
  for (const member of ['format', 'shape'] as const) {
    await later.get(member)?.();
    if (members[member] === undefined) throw missing(member);
  }
  const format = checkFormat(name, members.format!);
  const [rows, cols] = madeFrom(name, () => [integer('rows', members.shape![0]!), integer('cols', members.shape![1]!)]);
  for (const member of ARRAYS[format]) if (headers[member] === undefined) throw missing(member);
  for (const member of ARRAYS[format]) {
    const waits = later.get(member);
    // Of arrays that were read, pointers are checked one by one.
    const lastPointer = waits === undefined ? undefined : members.indptr?.at(-1);
    checkLengths(name, headers, { format, rows, cols, lastPointer });
    await waits?.();
  }
  const isComplex = headers.data!.numbers === 2;
  if (isComplex && (format === 'bsr' || format === 'dia'))
    throw fileError(name, 'complex numbers in the format csr, csc or coo', format);
  const input = inputOf(name, members, { format, rows, cols });
  // The type has the fields of real matrices alone.
  return isComplex ? { ...input, field: 'complex' as never, isComplex } : { ...input, isComplex };
}

/** Arrays of a matrix, with two values for each entry if it is complex. */
type ReadInput = LayoutInput & { readonly isComplex: boolean };

/** An array that takes so many times the memory of its packed bytes is unpacked when it is known to fit the others. */
const MIN_GROWTH = 8;
/** Of the names that an error lists. */
const MAX_NAMES = 8;

type ReadMember = (reader: ByteReader, header: NpyHeader, members: ArchiveMembers) => Promise<void>;

function indicesAs(member: 'indptr' | 'indices' | 'row' | 'col'): ReadMember {
  return async (reader, header, members) => {
    members[member] = await indicesOf(reader, header, member);
  };
}

const READERS = {
  format: async (reader, { type, size }, members) => {
    if (type !== undefined || size > MAX_FORMAT_BYTES) throw reader.error('the name of a format', 'another array');
    // Bytes, or characters of four bytes each.
    members.format = String.fromCharCode(
      ...(await reader.take(size, 'the name of a format')).filter((code) => code > 0),
    );
  },
  shape: async (reader, header, members) => {
    if (header.count !== 2) throw reader.error('2 numbers', `${header.count}`);
    members.shape = await floatsOf(reader, header, 'shape');
  },
  indptr: indicesAs('indptr'),
  indices: indicesAs('indices'),
  row: indicesAs('row'),
  col: indicesAs('col'),
  offsets: async (reader, header, members) => {
    members.offsets = await floatsOf(reader, header, 'offsets');
  },
  data: async (reader, header, members) => {
    const { fortranOrder, shape, type } = header;
    if (fortranOrder && shape.length > 1) throw reader.error('data in C order', 'Fortran order');
    members.dataShape = shape;
    members.field = type !== undefined && isInteger(type) ? 'integer' : 'real';
    members.data = await floatsOf(reader, header, 'data');
  },
} satisfies Record<string, ReadMember>;

type Member = keyof typeof READERS;

function isMember(name: string): name is Member {
  return Object.hasOwn(READERS, name);
}

const MAX_FORMAT_BYTES = 64;

/** Of members that are all there. */
function inputOf(
  file: string,
  { indptr, indices, row, col, offsets, data, dataShape, field }: ArchiveMembers,
  { format, rows, cols }: Pick<ScipySizes, 'format' | 'rows' | 'cols'>,
): LayoutInput {
  const shape = { rows, cols, field: field! };
  if (format !== 'csr') checkClaim({ file, rows, entries: data!.length });
  switch (format) {
    case 'csr':
      return { ...shape, rowPtr: indptr!, colIdx: indices!, values: data! };
    case 'csc':
      return { ...shape, colPtr: indptr!, rowIdx: indices!, values: data! };
    case 'coo':
      return { ...shape, rowIdx: row!, colIdx: col!, values: data! };
    case 'bsr':
      return bsrEntries(file, shape, dataShape!, data!, indptr!, indices!);
    case 'dia':
      return diaEntries(file, shape, dataShape!, data!, offsets!);
  }
}
