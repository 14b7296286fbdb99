/** The exports of the addon. Every call that waits lets other processes have the core. An exchange is a number; `release` frees it. */
export interface Addon {
  /** What MPI says that it is; before `init`, too. */
  library(): string;
  /** `neighbours`: ranks that share memory with this one, itself included. */
  init(): { rank: number; size: number; neighbours: number };
  /** Whether waits give the core away at once, because there are more threads than cores. */
  setCrowded(isCrowded: boolean): void;
  /** all ← as many bytes of every rank, in order. */
  gather(mine: Uint8Array, all: Uint8Array): void;
  /** The same with `counts[r]` bytes of rank r. */
  gatherCounts(mine: Uint8Array, counts: Int32Array, all: Uint8Array): void;
  broadcast(bytes: Uint8Array, root: number): void;
  /**
   * Persistent messages to and from neighbours. The memory must stay where it is until `release`; a shared WebAssembly memory may grow.
   *
   * @param tag 0 to 32767, the same on both sides
   */
  exchange(
    tag: number,
    sendRanks: Int32Array,
    sends: readonly Uint8Array[],
    receiveRanks: Int32Array,
    receives: readonly Uint8Array[],
  ): number;
  start(exchange: number): void;
  finish(exchange: number): void;
  release(exchange: number): void;
  finalize(): void;
  abort(code: number): void;
}

/** @param library default: openmpi */
export declare function loadAddon(library?: 'openmpi' | 'mpich'): Addon;
