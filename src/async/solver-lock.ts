/** Orders the requests of a solver: solves run side by side, an update after all earlier requests and before all later ones. */
export class SolverLock {
  /** Requests that have not ended. */
  readonly #open = new Set<Promise<unknown>>();
  #updated: Promise<unknown> = Promise.resolve();

  solve<T>(run: () => Promise<T>): Promise<T> {
    return this.#opened(this.#updated.then(run));
  }

  update<T>(run: () => Promise<T>): Promise<T> {
    const updating = this.#opened(Promise.allSettled(this.#open).then(run));
    this.#updated = updating.catch(() => {});
    return updating;
  }

  #opened<T>(result: Promise<T>): Promise<T> {
    this.#open.add(result);
    const end = () => this.#open.delete(result);
    result.then(end, end);
    return result;
  }
}
