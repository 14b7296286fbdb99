/** Deflated bytes → their content, by fflate: in pages, whose `DecompressionStream` does not say how many bytes it used. */
import { Inflate } from 'fflate';
import { reasonOf } from '../parse-error.js';
import type { ByteChunks } from './chunks.js';
import { type DamagedFile, MAX_IDLE_BYTES } from './unpacking.js';

/** So much is inflated at once: at most a thousand times as many bytes. */
const PUSH_BYTES = 1 << 14;

export async function* inflate(packed: ByteChunks, damaged: DamagedFile): ByteChunks {
  const made: Uint8Array[] = [];
  let idle = 0;
  const inflater = new Inflate((bytes) => {
    if (bytes.length > 0) made.push(bytes);
  });
  const push = (bytes: Uint8Array, isLast: boolean): Uint8Array[] => {
    try {
      inflater.push(bytes, isLast);
    } catch (error) {
      throw damaged(reasonOf(error));
    }
    idle = made.length > 0 ? 0 : idle + bytes.length;
    if (idle > MAX_IDLE_BYTES) throw damaged();
    return made.splice(0);
  };
  for await (const piece of packed)
    for (let at = 0; at < piece.length; at += PUSH_BYTES) yield* push(piece.slice(at, at + PUSH_BYTES), false);
  yield* push(new Uint8Array(0), true);
}
