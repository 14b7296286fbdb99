/**
 * The banner and the sizes of a Matrix Market file.
 *
 * Source: Boisvert, Pozo, Remington, "The Matrix Market Exchange Formats: Initial Design", NISTIR 5935, 1996.
 * Differs: `double` is accepted for `real`, `unsigned-integer` for `integer` and, without complex values, `hermitian`
 *   for `symmetric`. A banner may begin with one percent sign (networkrepository.com). Blank lines before the banner
 *   and between comments are skipped. Comments have no meaning, `%%GraphBLAS type …` included.
 */
import type { ComplexSymmetry } from '../../core/complex.js';
import type { Field, Symmetry } from '../../core/types.js';
import { lineText, NEWLINE, skipLines } from '../bytes/lines.js';
import { parseError, quote } from '../parse-error.js';

/** The header of a complex file is that of its real parts. */
export interface MatrixMarketHeader {
  /** Name of the file in errors. */
  readonly file: string;
  readonly format: 'coordinate' | 'array';
  readonly field: Field;
  readonly symmetry: Symmetry;
  /** The symmetry of a complex matrix; undefined of a real one. */
  readonly declared?: ComplexSymmetry | undefined;
  readonly rows: number;
  readonly cols: number;
  /** The number of entries that follow, one per line. A claim of the file: nothing is allocated for it. */
  readonly entries: number;
}

type Banner = Pick<MatrixMarketHeader, 'format' | 'field' | 'symmetry' | 'declared'>;

const FORMATS: ReadonlyMap<string, MatrixMarketHeader['format']> = new Map([
  ['coordinate', 'coordinate'],
  ['array', 'array'],
]);
const FIELDS: ReadonlyMap<string, Field> = new Map([
  ['real', 'real'],
  ['double', 'real'],
  ['integer', 'integer'],
  ['unsigned-integer', 'integer'],
  ['pattern', 'pattern'],
]);
const COMPLEX_FIELDS: typeof FIELDS = new Map([['complex', 'real']]);
const SYMMETRIES: ReadonlyMap<string, Symmetry> = new Map([
  ['general', 'general'],
  ['symmetric', 'symmetric'],
  ['skew-symmetric', 'skew-symmetric'],
  ['hermitian', 'symmetric'],
]);

const BANNER = "a banner '%%MatrixMarket matrix <format> <field> <symmetry>'";
const MAX_SIZE = 0xffff_ffff;

/** Reads lines until the header is complete. */
export class HeaderReader {
  /** The number of the last line that was read. */
  line = 0;
  header: MatrixMarketHeader | undefined;
  readonly #file: string;
  readonly #isComplex: boolean;
  #banner: Banner | undefined;

  /** @param isComplex whether the numbers must be complex; default: real */
  constructor(file: string, isComplex = false) {
    this.#file = file;
    this.#isComplex = isComplex;
  }

  /** Returns the begin of the first line after the header, or the end of the block if the header continues. */
  read(bytes: Uint8Array): number {
    let begin = 0;
    while (this.header === undefined) {
      const { lines, next } = skipLines(bytes, begin, this.#banner !== undefined);
      this.line += lines;
      begin = next;
      if (begin === bytes.length) break;
      const end = bytes.indexOf(NEWLINE, begin);
      this.line++;
      this.#readLine(lineText(bytes, begin, end).trim());
      begin = end + 1;
    }
    return begin;
  }

  /** The error for a file that ends within its header. */
  missing(): Error {
    this.line = Math.max(this.line, 1);
    return this.#error(this.#banner === undefined ? BANNER : 'a line with the sizes', 'the end of the file');
  }

  #readLine(text: string): void {
    if (text === '') return;
    if (this.#banner === undefined) this.#banner = this.#readBanner(text);
    else if (!text.startsWith('%')) this.header = this.#readSizes(this.#banner, text);
  }

  #readBanner(text: string): Banner {
    const [magic, object, format, field, symmetry, ...rest] = text.toLowerCase().split(/\s+/);
    if (magic !== '%%matrixmarket' && magic !== '%matrixmarket') throw this.#error(BANNER, quote(text));
    if (object !== 'matrix') throw this.#error("the object 'matrix'", quote(object ?? ''));
    const banner: Banner = {
      format: this.#word('a format', FORMATS, format),
      field: this.#word('a field', this.#isComplex ? COMPLEX_FIELDS : FIELDS, field),
      symmetry: this.#word('a symmetry', SYMMETRIES, symmetry),
      declared: this.#isComplex ? (symmetry as ComplexSymmetry) : undefined,
    };
    if (rest.length > 0) throw this.#error('the end of the banner', quote(rest.join(' ')));
    if (banner.field === 'pattern' && (banner.format === 'array' || banner.symmetry === 'skew-symmetric')) {
      throw this.#error(`a field with values (${banner.format} ${banner.symmetry})`, quote(banner.field));
    }
    return banner;
  }

  #word<T>(what: string, allowed: ReadonlyMap<string, T>, word = ''): T {
    const value = allowed.get(word);
    if (value !== undefined) return value;
    const complex = word === 'complex' ? ' (readComplex reads complex matrices)' : '';
    throw this.#error(`${what} ${[...allowed.keys()].join(' | ')}${complex}`, quote(word));
  }

  #readSizes(banner: Banner, text: string): MatrixMarketHeader {
    const { format, symmetry, declared = symmetry } = banner;
    const tokens = text.split(/\s+/);
    const names = format === 'coordinate' ? ['rows', 'columns', 'entries'] : ['rows', 'columns'];
    if (tokens.length !== names.length) throw this.#error(`a line with ${names.join(', ')}`, quote(text));
    const [rows, cols, entries = 0] = tokens.map((token, k) => this.#size(names[k]!, token));
    if (symmetry !== 'general' && rows !== cols) {
      throw this.#error(`as many columns as rows (${declared})`, `${rows} × ${cols}`, { rows: rows!, cols: cols! });
    }
    const shape = { file: this.#file, ...banner, rows: rows!, cols: cols! };
    return { ...shape, entries: format === 'coordinate' ? entries : arrayEntries(shape) };
  }

  #size(name: string, token: string): number {
    const size = /^\d+$/.test(token) ? Number(token) : Number.NaN;
    if (size <= MAX_SIZE) return size;
    throw this.#error(`${name} as an integer from 0 to ${MAX_SIZE}`, quote(token));
  }

  #error(expected: string, got: string, detail: Readonly<Record<string, number>> = {}): Error {
    return parseError(this.#file, this.line, expected, got, detail);
  }
}

/** Number of stored values of a dense matrix: all, the lower triangle, or the lower triangle without its diagonal. */
function arrayEntries({ rows, cols, symmetry }: Pick<MatrixMarketHeader, 'rows' | 'cols' | 'symmetry'>): number {
  if (symmetry === 'general') return rows * cols;
  return (rows * (symmetry === 'symmetric' ? rows + 1 : rows - 1)) / 2;
}
