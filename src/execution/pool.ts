/** Where a team gets its threads: Piscina in Node (`pool.node.ts`), module workers in a page (`pool.browser.ts`). */

/** What a member needs to find its place; travels to its thread by structured clone, module and memory shared. */
export interface Orders {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  /** Address of the control block. */
  readonly control: number;
  readonly rank: number;
  readonly ranks: number;
  readonly spins: number;
}

export interface Pool {
  /**
   * Sends one thread to stand by. Settles only when it is back: resolves when it was stood down, rejects when it died.
   * At most as many at a time as the pool has threads.
   */
  enlist(orders: Orders): Promise<void>;
  /**
   * Whether a thread has ended that nobody told to, as the platform knows without a turn of the event loop. Left out where
   * it knows only with one.
   */
  hasLost?(): boolean;
  /** Ends all threads, whatever they are doing; resolves when none runs any more. */
  close(): Promise<void>;
}

/** `member`: where the script of the threads is, instead of beside this module. */
export type CreatePool = (threads: number, member?: URL) => Promise<Pool>;
