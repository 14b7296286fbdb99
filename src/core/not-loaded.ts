/** Code that a page loads when it is first needed. */

/** Thrown, before anything has changed, by a function whose code is not here yet. The caller may load it and call again. */
export class NotLoaded extends Error {
  readonly load: () => Promise<void>;

  constructor(what: string, load: () => Promise<void>) {
    super(`${what}: not loaded yet`);
    this.load = load;
  }
}

/** The result of `call`, which is called again after each load that it needs. */
export async function loading<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof NotLoaded)) throw error;
      await error.load();
    }
  }
}
