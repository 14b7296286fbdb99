/** Recognizes other file types by their first bytes. Errors then name the type instead of quoting the bytes. */

const KINDS: readonly [start: string, kind: string][] = [
  ['PK\x03\x04', 'a zip archive'],
  ['PK\x05\x06', 'a zip archive'],
  ['\x93NUMPY', 'a NumPy array (npy)'],
  ['\x1f\x8b', 'a gzip file in a gzip file'],
  ['\x1f\x9d', 'a file of compress (.Z)'],
  ['\xfd7zXZ\0', 'an xz file'],
  ['BZh', 'a bzip2 file'],
  ['\x28\xb5\x2f\xfd', 'a zstd file'],
  ['7z\xbc\xaf', 'a 7z archive'],
  ['\x89HDF\r\n', 'an HDF5 file'],
  ['MATLAB ', 'a MATLAB file'],
  ['\xff\xfe', 'text in UTF-16'],
  ['\xfe\xff', 'text in UTF-16'],
];
const HTML = /^(\xef\xbb\xbf)?\s*<(!doctype\s+html|html)\b/i;
const ZIP_NAME_LENGTH = 26;
const ZIP_NAME = 30;

export function isZip(head: Uint8Array): boolean {
  return kindByMagic(beginOf(head)) === 'a zip archive';
}

/** An archive of NumPy arrays: its first file is one. */
export function isNpz(head: Uint8Array): boolean {
  const length = head[ZIP_NAME_LENGTH]! + 256 * head[ZIP_NAME_LENGTH + 1]!;
  return isZip(head) && /^[^/]+\.npy$/.test(beginOf(head).slice(ZIP_NAME, ZIP_NAME + length));
}

/** Undefined if the file may be text. */
export function foreignKind(head: Uint8Array): string | undefined {
  const start = beginOf(head);
  if (HTML.test(start)) return 'an HTML page';
  return isNpz(head) ? 'a NumPy archive (npz)' : kindByMagic(start);
}

function kindByMagic(start: string): string | undefined {
  return KINDS.find(([bytes]) => start.startsWith(bytes))?.[1];
}

/** The first bytes as characters of the same codes. */
function beginOf(head: Uint8Array): string {
  return String.fromCharCode(...head.subarray(0, 512));
}
