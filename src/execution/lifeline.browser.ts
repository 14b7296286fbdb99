/**
 * How a page learns that a worker has ended. Browsers say nothing of it: `terminate` has no answer, and a worker that dies
 * makes no event. But they release its Web Locks; so a worker holds a lock of its own for as long as it lives, and whoever
 * is granted that lock next knows that the worker is no more.
 */

/** Takes the worker's lock; its name, or undefined where there are no locks (a page without https, an opaque origin). */
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

/** Resolves when the worker that holds the lock has ended; never for one that holds none. */
export function lifelineEnd(name: string | undefined): Promise<void> {
  const never = new Promise<void>(() => {});
  if (name === undefined) return never;
  return navigator.locks.request(name, () => {}).catch(() => never);
}

/** How long to wait for an end that no lock announces; Chromium gives a busy worker 2 s. */
const END_MS = 3_000;

/** Ends a worker, whatever it does; resolves when it runs no more. @param ended its `lifelineEnd` */
export async function terminate(worker: Worker, ended: Promise<void>): Promise<void> {
  worker.terminate();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, END_MS);
  });
  await Promise.race([ended, late]);
  clearTimeout(timer);
}
