/** Orders the requests of a solver: solves run side by side, an update after all earlier requests and before all later ones. */
export class SolverLock {
  /** Requests that have not ended. */
  readonly #open = new Set<Promise<unknown>>();
  #updated: Promise<unknown> = Promise.resolve();

  /** @param signal ends the wait for an update, with its reason; `run` is then not called */
  solve<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#opened(Promise.race([this.#updated, abortOf(signal)]).then(run));
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

function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
