/**
 * Large arrays for a short time, whose memory the system gets back when they are discarded. That of other arrays counts until garbage is collected, and V8
 * may not collect any before the next matrix is as large: a file of 60 MB left a third of its matrix behind.
 *
 * A buffer that is transferred to a port which is closed is detached, and gone with the message. Resizable buffers could be shortened, but loops over their
 * arrays take 1.1 to 1.2 times as long in V8, and the memory is cleared first.
 */

/** The buffers that were made here and are not discarded; nobody else's is ever detached. */
const SCRATCH = new WeakSet<ArrayBufferLike>();

/** Smaller buffers are left to the collector. Chosen. */
const MIN_BYTES: number = 1 << 20;

/** A buffer of zeros that may be discarded. */
export function scratchBuffer(bytes: number): ArrayBuffer {
  const buffer = new ArrayBuffer(bytes);
  if (bytes >= MIN_BYTES) SCRATCH.add(buffer);
  return buffer;
}

/** Gives back the memory of large scratch buffers: their arrays are then empty. Any other buffer stays as it is. */
export function discard(...buffers: ArrayBufferLike[]): void {
  const ours = buffers.filter((buffer): buffer is ArrayBuffer => SCRATCH.delete(buffer));
  if (ours.length === 0) return;
  const { port1 } = new MessageChannel();
  port1.close();
  port1.postMessage(undefined, ours);
}
