/** The errors of the readers: always `parse`, always `file:line: expected …, got …`, or a byte in place of a line. */
import { type ErrorDetail, SparlaneError } from '../core/errors.js';

/** `got` is text already: a quoted piece of the file, or words such as `the end of the file`. */
export function parseError(
  file: string,
  line: number,
  expected: string,
  got: string,
  detail: ErrorDetail = {},
): SparlaneError {
  return new SparlaneError('parse', `${file}:${line}: expected ${expected}, got ${got}`, { file, line, ...detail });
}

/** The same at a byte of a binary file, counted from 0 in the unpacked file. */
export function byteError(file: string, byte: number, expected: string, got: string): SparlaneError {
  return new SparlaneError('parse', `${file}, byte ${byte}: expected ${expected}, got ${got}`, { file, byte });
}

/** The same for a file as a whole: an archive, a compressed stream, a file that cannot be opened. */
export function fileError(file: string, expected: string, got: string, cause?: unknown): SparlaneError {
  return new SparlaneError('parse', `${file}: expected ${expected}, got ${got}`, { file }, { cause });
}

/**
 * Makes something of the arrays of a file: what they violate is an error of the file.
 *
 * @throws SparlaneError `parse`, or `heap` as it is
 */
export function madeFrom<T>(file: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof SparlaneError) || error.code === 'heap' || error.code === 'parse') throw error;
    throw new SparlaneError('parse', `${file}: ${error.message}`, { file, ...error.detail }, { cause: error });
  }
}

export function damagedGzip(file: string, error: unknown): SparlaneError {
  return fileError(file, 'a complete gzip file', `one that is cut short or damaged (${reasonOf(error)})`, error);
}

/** A piece of a file as an error shows it: short, on one line, and harmless when the file is binary. */
export function quote(text: string): string {
  const shown = text
    .trim()
    .replaceAll('\t', '\\t')
    .replace(/[^\x20-\x7e\u00a0-\uffef]/g, '?');
  return shown.length > 60 ? `'${shown.slice(0, 57)}…'` : `'${shown}'`;
}

/** The reason as the platform words it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // For a truncated compressed stream, Node 24 gives only a code.
  return error.message || String((error as { code?: string }).code ?? error.name);
}
