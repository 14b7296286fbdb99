/** The source of a team's threads: worker threads in Node (`pool.node.ts`), module workers in a page (`pool.browser.ts`). */

/** The data that a member needs. Sent to its thread by structured clone, with the modules and the memory shared. */
export interface Orders {
  readonly modules: readonly WebAssembly.Module[];
  readonly memory: WebAssembly.Memory;
  /** Address of the control block. */
  readonly control: number;
  readonly rank: number;
  readonly ranks: number;
  /** Time to spin before a sleep; 0: none. */
  readonly spinMs: number;
}

export interface Pool {
  /**
   * Orders one thread to stand by. Settles only when the thread returns: resolves if it has stood down, rejects if it
   * died. At most one order per thread of the pool at a time.
   */
  enlist(orders: Orders): Promise<void>;
  /** Whether threads that stand by do not keep the program alive. They are then never ordered to stand down. */
  readonly mayRest?: boolean;
  /**
   * Whether a thread has ended unexpectedly. The answer must not need a turn of the event loop; the member is undefined
   * on platforms that need one.
   */
  hasLost?(): boolean;
  /**
   * Gives another memory to all threads, those that start later too. They get the memories in this order, and without a turn of their event
   * loop. Undefined on platforms where a thread that stands by gets nothing.
   */
  lend?(memory: WebAssembly.Memory): void;
  /** Ends all threads, even busy ones. Resolves when all have stopped. */
  close(): Promise<void>;
}

/** `member`: the URL of the threads' script, if it is not next to this module. */
export type CreatePool = (threads: number, member?: URL) => Promise<Pool>;

/** Threads that start before there is a team. */
export interface EarlyPool {
  /** The first call returns the pool of these threads, a later one starts others. */
  readonly createPool: CreatePool;
  /** Ends the threads unless a team has them. */
  discard(): Promise<void>;
}

/** Starts the threads of a team that is made later, with as many of them. */
export function startEarly(createPool: CreatePool, threads: number, member?: URL): EarlyPool {
  const started = createPool(threads, member);
  // The team reports it.
  started.catch(() => {});
  let first: Promise<Pool> | undefined = started;
  const take = (): Promise<Pool> | undefined => {
    const pool = first;
    first = undefined;
    return pool;
  };
  return {
    createPool: (...asked) => take() ?? createPool(...asked),
    discard: async () => (await take()?.catch(() => undefined))?.close(),
  };
}
