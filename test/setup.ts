/** Before each test file. */
import { expect } from 'vitest';

/**
 * Typed arrays of one class with the same bytes are equal. Vitest compares them element by element, by key: for 200,000 elements that takes a
 * quarter of a second, and took a tenth of all tests' time. Arrays with other bytes are left to it: for them it finds the difference.
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
