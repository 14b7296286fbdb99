/**
 * Detects in a page that a worker has ended. Browsers do not report it: `terminate` has no answer, and a worker that
 * dies causes no event. But browsers release the Web Locks of an ended worker. So each worker holds its own lock while
 * it runs. If another holder is granted that lock, the worker has ended.
 */

/**
 * Acquires the worker's lock. Returns its name, or undefined without locks (a page without https, an opaque origin).
 */
export function holdLifeline(): Promise<string | undefined> {
  const { locks } = navigator as { locks?: LockManager };
  if (locks === undefined) return Promise.resolve(undefined);
  const name = `sparlane-${crypto.randomUUID()}`;
  return new Promise((resolve) => {
    const forever = (): Promise<never> => {
      resolve(name);
      return new Promise(() => {});
    };
    locks.request(name, forever).catch(() => resolve(undefined));
  });
}

/** Resolves when the worker that holds the lock has ended. Never resolves for a worker without a lock. */
export function lifelineEnd(name: string | undefined): Promise<void> {
  const never = new Promise<void>(() => {});
  if (name === undefined) return never;
  return navigator.locks.request(name, () => {}).catch(() => never);
}

/** Waiting time for the end of a worker without a lock. Chromium gives a busy worker 2 s. */
const END_MS = 3_000;

/** Ends a worker, even a busy one. Resolves when it has stopped. @param ended its `lifelineEnd` */
export async function terminate(worker: Worker, ended: Promise<void>): Promise<void> {
  worker.terminate();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, END_MS);
  });
  await Promise.race([ended, late]);
  clearTimeout(timer);
}
