/** The resources of an object, disposed together with it: a `DisposableStack`, which Node 20 lacks. */
export class Owned implements Disposable {
  readonly #resources: Disposable[] = [];

  /** Transfers a resource to this object. */
  own<T extends Disposable>(resource: T): T {
    this.#resources.push(resource);
    return resource;
  }

  /** Disposes the resources, the last one first. A second call has no effect. */
  [Symbol.dispose](): void {
    for (const resource of this.#resources.splice(0).reverse()) resource[Symbol.dispose]();
  }
}

/** Makes an object from resources. If `make` throws, they are disposed. */
export function assemble<T>(make: (owned: Owned) => T): T {
  const owned = new Owned();
  try {
    return make(owned);
  } catch (error) {
    owned[Symbol.dispose]();
    throw error;
  }
}

/** The same step by step. If `make` throws, or the steps are abandoned (`return()`), the resources are disposed. */
export function* assembleSteps<S, T>(make: (owned: Owned) => Generator<S, T>): Generator<S, T> {
  const owned = new Owned();
  let isMade = false;
  try {
    const made = yield* make(owned);
    isMade = true;
    return made;
  } finally {
    if (!isMade) owned[Symbol.dispose]();
  }
}
