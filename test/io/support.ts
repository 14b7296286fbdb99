/** Common to the tests of this folder: sources from text, matrices as lists of entries, the real files. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CsrMatrix } from '#dist/core/csr.js';
import type { ErrorDetail } from '#dist/core/errors.js';
import { SparlaneError } from '#dist/core/errors.js';
import type { ReadOptions } from '#dist/io/bytes/bytes.js';
import { openFile } from '#dist/io/files.node.js';
import { readMatrixMarket } from '#dist/io/matrix-market/matrix-market.js';

/** Not part of the repository: data of others. */
export const MATRICES = join(import.meta.dirname, '../../../shared/matrices');
export const haveMatrices = existsSync(MATRICES);
/** Appended to the name of a suite, so that a report without the files says so. */
export const skipNote = haveMatrices ? '' : ` — SKIPPED: ${MATRICES} is not there`;

/** One of the real matrices. */
export async function realMatrix(folder: 'large' | 'small', name: string): Promise<CsrMatrix> {
  const { source, name: file } = await openFile(join(MATRICES, folder, `${name}.mtx.gz`));
  return readMatrixMarket(source, { name: file });
}

export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

export function read(text: string, options?: ReadOptions): Promise<CsrMatrix> {
  return readMatrixMarket(bytesOf(text), { name: 'x.mtx', ...options });
}

/** `[row, col, value]`, from 0, by rows. */
export function entriesOf(matrix: CsrMatrix): [number, number, number][] {
  const entries: [number, number, number][] = [];
  for (let i = 0; i < matrix.rows; i++) {
    for (let k = matrix.rowPtr[i]!; k < matrix.rowPtr[i + 1]!; k++) {
      entries.push([i, matrix.colIdx[k]!, matrix.values[k]!]);
    }
  }
  return entries;
}

export interface Failure {
  code: string;
  message: string;
  detail: ErrorDetail;
}

/** The error of a promise that must be rejected with the library's own error. */
export async function failure(promise: Promise<unknown>): Promise<Failure> {
  const error = await promise.then(
    (value) => new Error(`resolved with ${String(value)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof SparlaneError)) throw error;
  return error;
}

/** Pieces of the given lengths, then the rest. */
export async function* pieces(bytes: Uint8Array, lengths: Iterable<number>): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (const length of lengths) {
    if (at >= bytes.length) return;
    yield bytes.subarray(at, at + length);
    at += length;
  }
  if (at < bytes.length) yield bytes.subarray(at);
}

export async function collected(stream: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer());
}
