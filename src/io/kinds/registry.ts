/**
 * All kinds of files, in the order in which they are tried: magic bytes first, text by its look last. A kind is added to the
 * library by its line here. What reads a kind other than Matrix Market is loaded when it is needed.
 */
import { mismatch } from '../../core/errors.js';
import type { PlainFile } from '../bytes/bytes.js';
import { foreignKind } from '../bytes/file-kind.js';
import { fileError, quote } from '../parse-error.js';
import { edgeList } from './edge-list.js';
import { harwellBoeing } from './harwell-boeing.js';
import { extensionOf, type FileKind } from './kind.js';
import { matrixMarket } from './matrix-market.js';
import { npy } from './npy.js';
import { npz } from './npz.js';
import { petsc } from './petsc.js';

export const FILE_KINDS: readonly FileKind[] = [npz, npy, petsc, matrixMarket, harwellBoeing, edgeList];

/** @throws SparlaneError `parse` if the file is of no known kind; its source is then let go */
export function kindOf({ name, head, abandon }: PlainFile): FileKind {
  const kind = FILE_KINDS.find(({ matches }) => matches(head, name));
  if (kind !== undefined) return kind;
  abandon();
  const names = FILE_KINDS.map((known) => known.name).join(', ');
  const begin = new TextDecoder().decode(head.slice(0, 64)).split('\n')[0]!;
  const got = foreignKind(head) ?? (head.length === 0 ? 'an empty file' : quote(begin));
  throw fileError(name, `a file of a known kind (${names})`, got);
}

/** The kind of the files with this name, that can write what is asked for. @throws SparlaneError `argument` */
export function writerOf<W extends 'write' | 'writeComplex' | 'writeBlock'>(
  name: string,
  writes: W,
): FileKind & Required<Pick<FileKind, W>> {
  const able = FILE_KINDS.filter((kind): kind is FileKind & Required<Pick<FileKind, W>> => kind[writes] !== undefined);
  const kind = able.find(({ extensions }) => extensions.includes(extensionOf(name)) && !/\.gz$/i.test(name));
  if (kind !== undefined) return kind;
  const what = { write: 'a matrix', writeComplex: 'a complex matrix', writeBlock: 'vectors' }[writes];
  throw mismatch(
    'argument',
    'name',
    `a name for ${what} with ${able.map((k) => `.${k.extensions[0]}`).join(' or ')}`,
    name,
  );
}
