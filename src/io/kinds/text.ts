/** Recognizes text. */
import { foreignKind } from '../bytes/file-kind.js';

/** The first bytes of a file as text; undefined if they are none, or a web page. A mark of UTF-8 in front is removed. */
export function textOf(head: Uint8Array): string | undefined {
  if (foreignKind(head) !== undefined) return undefined;
  // Control characters other than tab, line feed, form feed and return.
  if (head.some((byte) => byte < 0x20 && (byte < 9 || byte > 13))) return undefined;
  // A copy: the decoder refuses views of shared memory.
  return new TextDecoder().decode(head.slice());
}
