/**
 * The exports of the addon. Every call that waits lets other processes have the core. It waits for some 100 ms at most, and returns whether it is complete:
 * if not, `goOn` waits for a collective call, and `finish` again for an exchange. Until then no other collective call may begin, and the arrays must stay.
 *
 * An exchange is a number; `release` frees it. So is a group of ranks: 0 are all. Ranks are those of the group.
 */
export interface Addon {
  /** What MPI says that it is; before `init`, too. */
  library(): string;
  /**
   * `neighbours`: ranks that share memory with this one, itself included; `place`: its number among them. `tags`: exchanges have so many, from 0 on, of those
   * that every MPI allows.
   */
  init(): { rank: number; size: number; place: number; neighbours: number; tags: number };
  /**
   * Makes groups of the ranks of a group. Called by all of these; it waits for them.
   *
   * @param color the same for the ranks of one group; −1: this rank is in none
   * @param rank the number of this rank in its group
   * @returns the group; −1: none. It is there until `finalize`
   */
  split(group: number, color: number, rank: number): number;
  /** Whether waits give the core away at once, because there are more threads than cores. */
  setCrowded(isCrowded: boolean): void;
  /** all ← as many bytes of every rank, in order. */
  gather(group: number, mine: Uint8Array, all: Uint8Array): boolean;
  /** The same with `counts[r]` bytes of rank r. */
  gatherCounts(group: number, mine: Uint8Array, counts: Int32Array, all: Uint8Array): boolean;
  broadcast(group: number, bytes: Uint8Array, root: number): boolean;
  goOn(): boolean;
  /** Begins a `gather`, and waits for nothing. A group may have one under way, beside other calls; `finishGather` waits for it. Until then the arrays must stay. */
  startGather(group: number, mine: Uint8Array, all: Uint8Array): void;
  finishGather(group: number): boolean;
  /**
   * Persistent messages to and from neighbours. The memory must stay where it is until `release`; a shared WebAssembly memory may grow.
   *
   * @param tag less than `tags`, the same on both sides
   */
  exchange(
    group: number,
    tag: number,
    sendRanks: Int32Array,
    sends: readonly Uint8Array[],
    receiveRanks: Int32Array,
    receives: readonly Uint8Array[],
  ): number;
  start(exchange: number): void;
  finish(exchange: number): boolean;
  /** Messages that are not complete, by their places: those that are received come first, then those that are sent. */
  unfinished(exchange: number): Int32Array;
  release(exchange: number): void;
  /**
   * Tells some ranks a count, and finds out which ranks have told this one any. Called by all ranks.
   *
   * @returns whether it is complete; if not, `goOnCounts` waits
   */
  tellCounts(group: number, ranks: Int32Array, counts: Int32Array): boolean;
  goOnCounts(): boolean;
  /** Returns the ranks that have told this one a count, each before its count, in any order, when `tellCounts` is complete. */
  foundCounts(): Int32Array;
  /**
   * Sends a message to a rank, of all, that may hear it at any time. It waits for nothing.
   *
   * @param kind 0, 1 or 2
   * @returns false if it was not sent, because the rank has not heard the one before of the same kind
   */
  tell(rank: number, kind: number, message: Uint8Array): boolean;
  /** The next message that was told to this rank, if one has come. */
  hear(): Uint8Array<ArrayBuffer> | undefined;
  /** Sends a copy of the bytes to another rank, and waits for nothing. Those to one rank arrive in their order. @param message less than 2³¹ bytes */
  send(group: number, rank: number, message: Uint8Array): void;
  /** The next bytes that another rank has sent, by `send`; undefined if none have come for some 100 ms. */
  receive(group: number, rank: number): Uint8Array<ArrayBuffer> | undefined;
  /** Makes memory for the last call of this rank. @returns a file of it, for the guard */
  openLastCall(): number;
  /** Notes the call in which this rank is; nothing before `openLastCall`. @param call of which 127 bytes are kept */
  noteCall(call: string): void;
  /**
   * Connects this rank with the guard of all ranks, after `init`. Where the guard does not answer, the rank goes on without it.
   *
   * @param word of the guard
   * @param name of this rank's host
   * @param reports the host of rank 0, if this rank says that rank 0 and the guard are lost, after `openLastCall`; or ''
   * @param signals their numbers: they end all ranks, and no rank is lost then
   * @param ends whether this process ends when a rank is lost, or a host does not answer; false: the launcher sees to that
   */
  joinGuard(
    host: string,
    port: string,
    word: string,
    name: string,
    reports: string,
    signals: Int32Array,
    ends: boolean,
  ): void;
  /** Called by all ranks. */
  finalize(): void;
  abort(code: number): void;
}

/** The program of the guard. */
export declare function guardPath(): string;

/** @param library default: openmpi */
export declare function loadAddon(library?: 'openmpi' | 'mpich'): Addon;
