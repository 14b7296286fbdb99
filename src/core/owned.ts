/** What something is made of, to be disposed with it: a `DisposableStack`, which Node 20 has not. */
export class Owned implements Disposable {
  readonly #resources: Disposable[] = [];

  /** The resource is its from here on. */
  own<T extends Disposable>(resource: T): T {
    this.#resources.push(resource);
    return resource;
  }

  /** The last one first; twice is once. */
  [Symbol.dispose](): void {
    for (const resource of this.#resources.splice(0).reverse()) resource[Symbol.dispose]();
  }
}

/** Makes something of resources, which are disposed again where that fails. */
export function assemble<T>(make: (owned: Owned) => T): T {
  const owned = new Owned();
  try {
    return make(owned);
  } catch (error) {
    owned[Symbol.dispose]();
    throw error;
  }
}
