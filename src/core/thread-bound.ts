/** Objects that structured clone must not copy: without their threads and their memory, the copy would be dead data. */
import { mismatch } from './errors.js';

/**
 * A base class whose objects `structuredClone` and `postMessage` refuse with a clear error. The algorithm reads own properties in the order
 * of their definition, and the first one, defined here, throws.
 */
export abstract class ThreadBound {
  /** @param name what the object is, in the error */
  protected constructor(name: string) {
    Object.defineProperty(this, 'threadBound', { enumerable: true, get: getter(name) });
  }

  /** JSON, as of a log, has one line instead of the fields. */
  toJSON(): string {
    return String(this);
  }
}

/** One function for all objects of a name, which then share a shape. */
const GETTERS = new Map<string, () => never>();

function getter(name: string): () => never {
  let refuse = GETTERS.get(name);
  if (refuse === undefined) {
    refuse = () => {
      const expected = 'to stay in its thread (`sparlane/async` has the engine for several)';
      throw mismatch('argument', name, expected, 'a structured clone of it');
    };
    GETTERS.set(name, refuse);
  }
  return refuse;
}
