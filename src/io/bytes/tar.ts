/** tar archives as streams. */
import type { ParsedTarEntry } from 'modern-tar';
import { fileError, reasonOf } from '../parse-error.js';
import type { ArchiveEntries } from './archive.js';
import { type ByteChunks, letGo, streamChunks } from './chunks.js';
import { SPACE } from './lines.js';

/** A header is one block. */
export const TAR_HEADER_BYTES = 512;
const CHECKSUM_BEGIN = 148;
const CHECKSUM_END = 156;
const MAGIC = 'ustar';
const MAGIC_OFFSET = 257;

/**
 * Recognized by the magic of the first header. A header without magic (Unix V7) is recognized by its checksum: the sum
 * of its bytes, with spaces in place of the checksum.
 */
export function isTar(head: Uint8Array): boolean {
  if (ascii(head, MAGIC_OFFSET, MAGIC_OFFSET + MAGIC.length) === MAGIC) return true;
  const stored = /^ *([0-7]+)/.exec(ascii(head, CHECKSUM_BEGIN, CHECKSUM_END));
  if (stored === null || head.length < TAR_HEADER_BYTES) return false;
  const sum = head.subarray(0, TAR_HEADER_BYTES).reduce((total, byte) => total + byte, 0);
  const own = head.subarray(CHECKSUM_BEGIN, CHECKSUM_END).reduce((total, byte) => total + byte - SPACE, 0);
  return sum - own === Number.parseInt(stored[1]!, 8);
}

function ascii(bytes: Uint8Array, begin: number, end: number): string {
  return String.fromCharCode(...bytes.subarray(begin, end));
}

type TarEntries = AsyncGenerator<ParsedTarEntry, void, undefined>;

/** The files of an archive. */
export async function* tarEntries(archive: ByteChunks, name: string): ArchiveEntries {
  const entries = decoded(archive, name);
  try {
    for (;;) {
      const { done, value: entry } = await entries.next();
      if (done) return;
      const { header, body } = entry;
      if (header.type === 'file') yield { path: header.name, size: header.size, chunks: content(entry, entries) };
      if (!body.locked) await body.cancel();
    }
  } finally {
    letGo(entries);
  }
}

async function* content({ body }: ParsedTarEntry, entries: TarEntries): ByteChunks {
  try {
    yield* streamChunks(body);
  } catch (error) {
    // Both streams fail for the same reason; the error of the archive already describes it.
    await entries.next();
    throw error;
  }
}

/** Errors of the source are passed on unchanged. */
async function* decoded(archive: ByteChunks, name: string): TarEntries {
  const { createTarDecoder } = await import('modern-tar');
  let sourceFailed = false;
  const source = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await archive.next();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        sourceFailed = true;
        throw error;
      }
    },
  });
  try {
    yield* streamChunks(source.pipeThrough(createTarDecoder({ strict: true })));
  } catch (error) {
    if (sourceFailed) throw error;
    throw fileError(name, 'a complete tar archive', `one that is cut short or damaged (${reasonOf(error)})`, error);
  } finally {
    letGo(archive);
  }
}
