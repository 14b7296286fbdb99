/** Ranks load something one by one, and need it on all of them. */
import type { Communicator } from './communicator.js';

/** Loads something on every rank; an error of one is thrown on all. */
export async function loadTogether<T>(comm: Pick<Communicator, 'together'>, load: () => Promise<T>): Promise<T> {
  const loaded = await load().then(
    (value) => () => value,
    (error) => (): T => {
      throw error;
    },
  );
  return comm.together(loaded);
}
