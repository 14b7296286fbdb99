/**
 * The control block: words of shared memory. Through them, rank 0 (the caller) commands the members of its team.
 *
 *     line 0   EPOCH      the current command; SLEEPERS, members asleep on this word
 *     line 1   FINISHED   parts finished in all; WAITING, rank 0 asleep on this word; ARRIVED, members that arrived
 *     line 2   KERNEL HEADER X Y PARTS, ALPHA BETA (f64)
 *     then     CLAIMS     a word per part: its state, see below
 *              BOUNDS     units: part p is the range BOUNDS[p] … BOUNDS[p + 1] − 1
 *              RANKS      the rank that claimed the part
 *              CARRIES    a line per part: `carries.ts`
 *
 * An epoch is a multiple of 4; EPOCH is epoch − 1 while a command is being written. A part's claim goes
 * epoch (open) → epoch + 1 (taken) → epoch + 2 (done) or epoch + 3 (fault), each step a compare-and-exchange.
 *
 * A late member is harmless. It reads EPOCH, then the command, then EPOCH again, so the command belongs to one epoch (a
 * sequence lock). It accesses x, y and the matrix only after its claim has changed open(epoch) to taken(epoch). After
 * the product is complete this claim fails, because no part of that epoch is open. If the claim succeeds, the caller is
 * still inside the product, so x, y and the matrix cannot have been freed or changed.
 */
import type { Kernel } from '../kernels/abi.js';
import { CARRIES_BYTES, Carries, MAX_PARTS } from './carries.js';

const EPOCH = 0;
const SLEEPERS = 1;
const FINISHED = 16;
const WAITING = 17;
const ARRIVED = 18;
const KERNEL = 32;
const HEADER = 33;
const X = 34;
const Y = 35;
const PARTS = 36;
const ALPHA = 40 / 2; // in f64
const BETA = 42 / 2;
const CLAIMS = 48;
const BOUNDS = CLAIMS + MAX_PARTS;
const RANKS = BOUNDS + MAX_PARTS + 16;
const WORDS = RANKS + MAX_PARTS;

export const CONTROL_BYTES: number = 4 * WORDS + CARRIES_BYTES;

const EPOCH_STEP = 4;
const TAKEN = 1;
const DONE = 2;
const FAULT = 3;

/** Any wait that reaches the operating system is long enough: its only purpose is to leave the core. */
const YIELD_MS = 0.02;

/** Length of one wait of rank 0 for the members' parts. */
export const WAIT_MS = 100;

/** Orders in place of a kernel's index: no work, stay; or no work, leave. */
const AT_EASE = -1;
const STAND_DOWN = -2;

/** A product without its vectors: the kernel, the matrix and the parts. */
export interface Task {
  /** Index of the kernel in the module's list. */
  readonly kernel: number;
  readonly header: number;
  /** parts + 1 ascending units, at most MAX_PARTS parts. */
  readonly bounds: Uint32Array;
}

/** `pause` informs the core of a spin loop. Only newer engines have it. */
const pause: () => void = (Atomics as { pause?: () => void }).pause ?? (() => {});

export class Control {
  readonly #words: Int32Array;
  readonly #reals: Float64Array;
  readonly carries: Carries;
  #task: Task | undefined;

  constructor(memory: WebAssembly.Memory, address: number) {
    this.#words = new Int32Array(memory.buffer, address, WORDS);
    this.#reals = new Float64Array(memory.buffer, address, WORDS >> 1);
    this.carries = new Carries(memory, address + 4 * WORDS);
  }

  // ---- rank 0

  /** Before the first member arrives: the memory of the block may have been used before. */
  clear(): void {
    this.#words.fill(0);
    this.#words[KERNEL] = AT_EASE;
  }

  /** Members that have arrived so far, including those that have left. */
  get arrived(): number {
    return Atomics.load(this.#words, ARRIVED);
  }

  /** The rank that claimed a part of the last product. */
  rankOf(part: number): number {
    return this.#words[RANKS + part]!;
  }

  /** Whether a part of the last product ended in a trap. */
  isFault(epoch: number, part: number): boolean {
    return Atomics.load(this.#words, CLAIMS + part) === epoch + FAULT;
  }

  /** Opens a product to all members; returns its epoch. The previous product must be complete. */
  publish(task: Task, x: number, y: number, alpha: number, beta: number): number {
    const words = this.#words;
    const parts = task.bounds.length - 1;
    const epoch = this.#beginCommand();
    words[X] = x;
    words[Y] = y;
    this.#reals[ALPHA] = alpha;
    this.#reals[BETA] = beta;
    if (this.#task !== task) {
      this.#task = task;
      words[KERNEL] = task.kernel;
      words[HEADER] = task.header;
      words[PARTS] = parts;
      words.set(task.bounds, BOUNDS);
    }
    for (let part = 0; part < parts; part++) words[CLAIMS + part] = epoch;
    this.#endCommand(epoch);
    return epoch;
  }

  /** Members that arrive from now on wait for a product. Those that have left may be called back. */
  atEase(): void {
    this.#order(AT_EASE);
  }

  /**
   * Leaves the core for a moment. A woken member may be queued on the core that the caller keeps busy, although another
   * core is idle. The operating system corrects this only every few milliseconds. After this call it moves the member
   * at once.
   */
  yieldCore(): void {
    Atomics.wait(this.#words, WAITING, 0, YIELD_MS);
  }

  /** Members leave as soon as they read this order. */
  standDown(): void {
    this.#order(STAND_DOWN);
  }

  #order(order: number): void {
    const epoch = this.#beginCommand();
    this.#task = undefined;
    this.#words[KERNEL] = order;
    this.#words[PARTS] = 0;
    this.#endCommand(epoch);
  }

  #beginCommand(): number {
    const epoch = (Atomics.load(this.#words, EPOCH) + EPOCH_STEP) | 0;
    // Before any word of the command changes: a member that reads a changed word also reads an epoch that is not a
    // multiple of 4.
    Atomics.store(this.#words, EPOCH, epoch - 1);
    return epoch;
  }

  #endCommand(epoch: number): void {
    // Releases the command: a member that loads this epoch sees all its words.
    Atomics.store(this.#words, EPOCH, epoch);
    // Sequentially consistent with the member's add and load: either the member sees the epoch, or rank 0 sees it
    // asleep.
    if (Atomics.load(this.#words, SLEEPERS) > 0) Atomics.notify(this.#words, EPOCH);
  }

  /**
   * Waits until every part is finished, spinning first.
   *
   * Patience is counted in waits, not in clock time. A process that is stopped, for a second or for a night, uses up
   * only one wait. After it resumes, its other threads have all remaining waits to resume too.
   *
   * @param patience allowed number of consecutive waits of WAIT_MS without another finished part; called after each
   *   wait
   * @returns the first part that is not done: `parts` if all are done, else a part that faulted or is given up.
   */
  join(epoch: number, spins: number, patience: () => number): number {
    const words = this.#words;
    const parts = words[PARTS]!;
    let part = 0;
    let fault = parts;
    let silentWaits = 0;
    for (let spin = 0; ; spin++) {
      const finished = Atomics.load(words, FINISHED);
      // Acquires the part: the member's stores to y happen before it marks the part as done.
      for (; part < parts; part++) {
        const claim = Atomics.load(words, CLAIMS + part);
        if (claim === epoch + FAULT) fault = Math.min(fault, part);
        else if (claim !== epoch + DONE) break;
      }
      if (part === parts) return fault;
      if (spin < spins) {
        pause();
        continue;
      }
      Atomics.store(words, WAITING, 1);
      // Returns at once if a part was finished after `finished` was read.
      const news = Atomics.wait(words, FINISHED, finished, WAIT_MS);
      Atomics.store(words, WAITING, 0);
      if (news !== 'timed-out' || Atomics.load(words, FINISHED) !== finished) silentWaits = 0;
      else if (++silentWaits >= patience()) return part;
    }
  }

  // ---- every rank

  /**
   * Claims parts of a product and computes them: first the rank's own share, then the remaining parts, the last one
   * first, because an owner reaches the end of its share last.
   *
   * @returns the number of parts it computed
   * @throws the error of a kernel, after the part has been marked as faulty
   */
  work(epoch: number, rank: number, ranks: number, kernels: readonly Kernel[]): number {
    const words = this.#words;
    const parts = words[PARTS]!;
    const header = words[HEADER]! >>> 0;
    const x = words[X]! >>> 0;
    const y = words[Y]! >>> 0;
    const alpha = this.#reals[ALPHA]!;
    const beta = this.#reals[BETA]!;
    const kernel = kernels[words[KERNEL]!];
    // Second read of the sequence lock: the command read above belongs to this epoch, or is not used.
    if (Atomics.load(words, EPOCH) !== epoch || kernel === undefined) return 0;
    const firstOwn = Math.floor((rank * parts) / ranks);
    const endOfOwn = Math.floor(((rank + 1) * parts) / ranks);
    let taken = 0;
    for (let n = firstOwn - endOfOwn; n < parts; n++) {
      const part = n < 0 ? endOfOwn + n : parts - 1 - n;
      // The caller's share of a large product is done, and rank 1 has not started.
      if (n === 0 && rank === 0 && taken > 1 && Atomics.load(words, CLAIMS + endOfOwn) === epoch) this.yieldCore();
      if (Atomics.load(words, CLAIMS + part) !== epoch) continue;
      // Acquires the part: the caller stays inside this product until the part is finished.
      if (Atomics.compareExchange(words, CLAIMS + part, epoch, epoch + TAKEN) !== epoch) continue;
      words[RANKS + part] = rank;
      taken++;
      let outcome = FAULT;
      try {
        const begin = words[BOUNDS + part]! >>> 0;
        const end = words[BOUNDS + part + 1]! >>> 0;
        kernel(header, x, y, begin, end, this.carries.slotOf(part), alpha, beta);
        outcome = DONE;
      } finally {
        this.#finish(epoch, part, outcome);
      }
    }
    return taken;
  }

  #finish(epoch: number, part: number, outcome: number): void {
    const words = this.#words;
    // Releases the part's stores to y to rank 0. Fails if rank 0 has given up this rank as dead.
    Atomics.compareExchange(words, CLAIMS + part, epoch + TAKEN, epoch + outcome);
    Atomics.add(words, FINISHED, 1);
    if (Atomics.load(words, WAITING) > 0) Atomics.notify(words, FINISHED);
  }

  // ---- members

  /**
   * The loop of a member: waits for commands and executes them until the order to stand down.
   *
   * @throws the error of a kernel.
   */
  standBy(rank: number, ranks: number, spins: number, kernels: readonly Kernel[]): void {
    Atomics.add(this.#words, ARRIVED, 1);
    for (let seen = 1; ; ) {
      seen = this.#awaitCommand(seen, spins);
      const order = this.#words[KERNEL];
      if (order === STAND_DOWN && Atomics.load(this.#words, EPOCH) === seen) return;
      this.work(seen, rank, ranks, kernels);
    }
  }

  /** Waits for an epoch other than `seen`. */
  #awaitCommand(seen: number, spins: number): number {
    const words = this.#words;
    for (let spin = 0; spin < spins; spin++) {
      const epoch = Atomics.load(words, EPOCH);
      if (epoch !== seen && epoch % EPOCH_STEP === 0) return epoch;
      pause();
    }
    Atomics.add(words, SLEEPERS, 1);
    let epoch = Atomics.load(words, EPOCH);
    while (epoch === seen || epoch % EPOCH_STEP !== 0) {
      Atomics.wait(words, EPOCH, epoch);
      epoch = Atomics.load(words, EPOCH);
    }
    Atomics.sub(words, SLEEPERS, 1);
    return epoch;
  }
}
