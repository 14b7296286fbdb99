/**
 * Buffers of large arrays that are used for a short time: the system gets their memory back when they are discarded. The memory of other buffers counts until garbage is
 * collected, and V8 may not collect any before the next matrix is as large: a file of 60 MB left a third of its matrix behind.
 *
 * A buffer that is transferred to a port which is closed is detached, and gone with the message. Resizable buffers could be shortened, but loops over their
 * arrays take 1.1 to 1.2 times as long in V8, and the memory is cleared first.
 */

/** These buffers were made here and are not discarded; no other buffer is ever detached. */
const SCRATCH = new WeakSet<ArrayBufferLike>();

/** Buffers of fewer bytes are left to the garbage collector. Chosen. */
const MIN_BYTES: number = 1 << 20;

/** Returns a buffer of zeros that may be discarded. */
export function scratchBuffer(bytes: number): ArrayBuffer {
  const buffer = new ArrayBuffer(bytes);
  if (bytes >= MIN_BYTES) SCRATCH.add(buffer);
  return buffer;
}

/** Gives back the memory of large scratch buffers: their arrays are then empty. A buffer that was not made here stays as it is. */
export function discard(...buffers: ArrayBufferLike[]): void {
  const ours = buffers.filter((buffer): buffer is ArrayBuffer => SCRATCH.delete(buffer));
  if (ours.length === 0) return;
  const { port1 } = new MessageChannel();
  port1.close();
  port1.postMessage(undefined, ours);
}
