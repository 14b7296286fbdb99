/**
 * Sparse matrices of SciPy, `scipy.sparse.save_npz` ↔ CSR: a zip archive of npy arrays.
 *
 * Source: SciPy, `scipy/sparse/_matrix_io.py`; the arrays of each format as in `scipy.sparse`.
 *
 * Memory: the arrays of the file, and the CSR arrays where those are not CSR already. Values of f4 stay f32; integers
 * become doubles. Zeros in diagonals are padding, as in SciPy's `tocsr`; zeros in blocks and elsewhere are entries.
 */
import { type CsrMatrix, csrMatrix, type MatrixInput } from '../../core/csr.js';
import type { Field, FloatArray } from '../../core/types.js';
import type { PlainFile } from '../bytes/bytes.js';
import { isInteger } from '../bytes/numbers.js';
import { ByteReader } from '../bytes/reader.js';
import { zipEntries } from '../bytes/zip.js';
import { checkClaim } from '../claims.js';
import { fileError, madeFrom, quote } from '../parse-error.js';
import { readNpyHeader } from './header.js';
import { floatsOf, indicesOf } from './npy.js';
import { bsrEntries, diaEntries } from './scipy-formats.js';

/** What an archive has, by SciPy's names. */
export interface Members {
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

export async function readNpz({ name, chunks }: PlainFile): Promise<CsrMatrix> {
  const members: Members = {};
  const names: string[] = [];
  const entries = zipEntries(chunks, name);
  for await (const { path, chunks: content } of entries) {
    const member = path.replace(/\.npy$/, '');
    if (names.length < MAX_NAMES) names.push(member);
    if (Object.hasOwn(READERS, member)) await READERS[member]!(new ByteReader(`${name}/${path}`, content), members);
  }
  return madeFrom(name, () => csrMatrix(inputOf(name, members, names)));
}

/** Of the names that an error lists. */
const MAX_NAMES = 8;

type ReadMember = (reader: ByteReader, members: Members) => Promise<void>;

function indicesAs(member: 'indptr' | 'indices' | 'row' | 'col'): ReadMember {
  return async (reader, members) => {
    members[member] = await indicesOf(reader, await readNpyHeader(reader), member);
    await reader.finish();
  };
}

const READERS: Readonly<Record<string, ReadMember>> = {
  indptr: indicesAs('indptr'),
  indices: indicesAs('indices'),
  row: indicesAs('row'),
  col: indicesAs('col'),
  format: async (reader, members) => {
    const { type, size } = await readNpyHeader(reader);
    if (type !== undefined || size > MAX_FORMAT_BYTES) throw reader.error('the name of a format', 'another array');
    // Bytes, or characters of four bytes each.
    members.format = String.fromCharCode(
      ...(await reader.take(size, 'the name of a format')).filter((code) => code > 0),
    );
  },
  shape: async (reader, members) => {
    members.shape = await floatsOf(reader, await headerOf(reader, 2), 'shape');
  },
  offsets: async (reader, members) => {
    members.offsets = await floatsOf(reader, await readNpyHeader(reader), 'offsets');
  },
  data: async (reader, members) => {
    const header = await readNpyHeader(reader);
    const { fortranOrder, shape, type } = header;
    if (fortranOrder && shape.length > 1) throw reader.error('data in C order', 'Fortran order');
    members.dataShape = shape;
    members.field = type !== undefined && isInteger(type) ? 'integer' : 'real';
    members.data = await floatsOf(reader, header, 'data');
    await reader.finish();
  },
};

const MAX_FORMAT_BYTES = 64;

async function headerOf(reader: ByteReader, count: number) {
  const header = await readNpyHeader(reader);
  if (header.count === count) return header;
  throw reader.error(`${count} numbers`, `${header.count}`);
}

function inputOf(file: string, members: Members, names: readonly string[]): MatrixInput {
  const member = <K extends keyof Members>(key: K): NonNullable<Members[K]> => {
    const value = members[key];
    if (value !== undefined) return value;
    throw fileError(file, `the array ${key} of scipy.sparse.save_npz`, names.join(', ') || 'nothing');
  };
  const format = member('format');
  const [rows, cols] = member('shape');
  const shape = { rows: rows!, cols: cols!, field: member('field') };
  const claim = (entries: number) => checkClaim({ file, rows: shape.rows, entries });
  switch (format) {
    case 'csr':
      return { ...shape, rowPtr: member('indptr'), colIdx: member('indices'), values: member('data') };
    case 'csc':
      claim(member('data').length);
      return { ...shape, colPtr: member('indptr'), rowIdx: member('indices'), values: member('data') };
    case 'coo':
      claim(member('data').length);
      return { ...shape, rowIdx: member('row'), colIdx: member('col'), values: member('data') };
    case 'bsr':
      claim(member('data').length);
      return bsrEntries(file, shape, member('dataShape'), member('data'), member('indptr'), member('indices'));
    case 'dia':
      claim(member('data').length);
      return diaEntries(file, shape, member('dataShape'), member('data'), member('offsets'));
    default:
      throw fileError(file, 'the format csr, csc, coo, bsr or dia', quote(format));
  }
}
