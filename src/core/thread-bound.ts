/** Objects that structured clone must not copy: without their threads and their memory, the copy would be dead data. */

/**
 * A base class whose objects `structuredClone` and `postMessage` refuse: symbols cannot be cloned, and their description is in the error. The
 * algorithm reads own properties in the order of their definition, and this is the first one.
 */
export abstract class ThreadBound {
  /** @internal */
  readonly threadBound: symbol;

  /** @param name what the object is, in the error */
  protected constructor(name: string) {
    this.threadBound = Symbol.for(`${name} of one thread; sparlane/async has engines for several`);
  }
}
