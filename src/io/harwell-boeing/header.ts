/**
 * The header of a Harwell-Boeing or Rutherford-Boeing file: a title, the numbers of lines, type and sizes, formats.
 *
 * Source: Duff, Grimes, Lewis, "Users' Guide for the Harwell-Boeing Sparse Matrix Collection (Release I)", TR/PA/92/86, 1992;
 *   Duff, Grimes, Lewis, "The Rutherford-Boeing Sparse Matrix Collection", RAL-TR-97-031, 1997.
 * Differs: complex and elemental matrices are refused; of right-hand sides only full ones are read.
 */
import type { Field, Symmetry } from '../../core/types.js';
import { parseError, quote } from '../parse-error.js';
import { type FortranField, parseFormat } from './fortran-format.js';

export interface HarwellBoeingHeader {
  readonly file: string;
  readonly field: Field;
  readonly symmetry: Symmetry;
  readonly rows: number;
  readonly cols: number;
  /** Entries that follow: of symmetric kinds, of one triangle. */
  readonly entries: number;
  readonly ptrFormat: readonly FortranField[];
  readonly idxFormat: readonly FortranField[];
  /** Undefined of a pattern. */
  readonly valueFormat: readonly FortranField[] | undefined;
  /** Of right-hand sides; undefined if there are none. */
  readonly rhsFormat: readonly FortranField[] | undefined;
  /** Lines of the header. */
  readonly lines: number;
}

const FIELDS: Readonly<Record<string, Field>> = { r: 'real', i: 'integer', p: 'pattern' };
const SYMMETRIES: Readonly<Record<string, Symmetry>> = {
  u: 'general',
  r: 'general',
  s: 'symmetric',
  // Without complex values.
  h: 'symmetric',
  z: 'skew-symmetric',
};
const MAX_SIZE = 0xffff_ffff;
/** The columns of the formats in the fourth line. */
const FORMAT_COLUMNS = [
  ['the format of pointers', 0, 16],
  ['the format of row indices', 16, 32],
  ['the format of values', 32, 52],
  ['the format of right-hand sides', 52, 72],
] as const;

/** Lines of the header, if there is none for right-hand sides. */
export const HEADER_LINES = 4;

/** @param lines the first four */
export function readHeader(file: string, [, counts, type, formats]: readonly string[]): HarwellBoeingHeader {
  const fail = (line: number, expected: string, got: string) => parseError(file, line, expected, quote(got));
  const lineCounts = counts!.trim().split(/\s+/).map(Number);
  if (lineCounts.length < 4 || !lineCounts.every((count) => Number.isInteger(count) && count >= 0))
    throw fail(2, 'the numbers of lines in total, of pointers, row indices and values', counts!);
  const code = type!.slice(0, 3).toLowerCase();
  const field = FIELDS[code[0]!];
  const symmetry = SYMMETRIES[code[1]!];
  if (field === undefined || symmetry === undefined || code[2] !== 'a') {
    const hint =
      code[0] === 'c'
        ? ' (complex matrices are read from Matrix Market and .npz files)'
        : code[2] === 'e'
          ? ' (not elemental)'
          : '';
    throw fail(3, `a type of r | i | p, u | s | h | z | r, a${hint}`, type!.slice(0, 3));
  }
  const sizes = type!.slice(3).trim().split(/\s+/).map(Number);
  const [rows = Number.NaN, cols = Number.NaN, entries = Number.NaN] = sizes;
  if (![rows, cols, entries].every((size) => Number.isInteger(size) && size >= 0 && size <= MAX_SIZE))
    throw fail(3, `rows, columns and entries as integers from 0 to ${MAX_SIZE}`, type!.slice(3));
  if (symmetry !== 'general' && rows !== cols)
    throw fail(3, `as many columns as rows (${symmetry})`, `${rows} × ${cols}`);
  const hasVectors = (lineCounts[4] ?? 0) > 0;
  const [ptrFormat, idxFormat, valueFormat, rhsFormat] = FORMAT_COLUMNS.map(([what, begin, end], k) => {
    if ((k === 2 && field === 'pattern') || (k === 3 && !hasVectors)) return undefined;
    const text = formats!.slice(begin, end);
    const parsed = parseFormat(text);
    if (parsed === undefined) throw fail(4, `${what}, such as (8I10) or (4E20.12)`, text);
    return parsed;
  });
  const lines = hasVectors ? HEADER_LINES + 1 : HEADER_LINES;
  return {
    ...{ file, field, symmetry, rows, cols, entries, lines },
    ...{ ptrFormat: ptrFormat!, idxFormat: idxFormat!, valueFormat, rhsFormat },
  };
}
