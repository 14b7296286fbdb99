/** Before each test file. */
import { expect } from 'vitest';

/**
 * Typed arrays of one class with the same bytes are equal. Vitest compares them element by element, by key, which was two thirds of the time
 * of tests of long arrays. Arrays with other bytes are left to it: it finds the difference.
 */
function equalBytes(a: unknown, b: unknown): true | undefined {
  if (!ArrayBuffer.isView(a) || !ArrayBuffer.isView(b) || a.constructor !== b.constructor) return undefined;
  const [bytesOfA, bytesOfB] = [a, b].map(({ buffer, byteOffset, byteLength }) =>
    Buffer.from(buffer, byteOffset, byteLength),
  );
  return bytesOfA!.equals(bytesOfB!) || undefined;
}

// A worker runs several files with one `expect`.
const ADDED = Symbol.for('sparlane: equalBytes');
if (!(ADDED in globalThis)) expect.addEqualityTesters([equalBytes]);
Object.assign(globalThis, { [ADDED]: true });
