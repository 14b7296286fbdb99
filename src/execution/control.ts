/**
 * The control block: words of shared memory. Through them, rank 0 (the caller) commands the members of its team.
 *
 *     COMMAND    a list of stages: `command.ts`
 *     CLAIMS     whether parts are open, taken, done: `claims.ts`; WAITING, threads asleep on the root
 *     RANKS      the rank that took each part
 *     CARRIES    a line per part: `carries.ts`
 *     OWN        a line per rank: the operands that it passes to the kernel
 *
 * A part of a stage may be computed when all parts of the stage before are done; the root of the claims says so to
 * everybody at once. A rank that finds no open part waits for that, and no rank waits while it holds a part. After a
 * fault, the later stages are not computed.
 *
 * A late member is harmless. It accesses x, y, the bounds and the matrix only after it has taken a part of the command
 * that it has read. After the command is complete, no part of it is open. If it could take one, the caller is still
 * inside the command, so x, y and the matrix cannot have been freed or changed. It goes on to a later stage only if the
 * root says that exactly the stage before is done: the caller is then inside that stage, or it is complete.
 *
 * A kernel reads its operands from the line of the rank that runs it. The rank copies the stage's operands there, and
 * then writes only the carry slot of each part that it has claimed. No other rank uses this line, so it needs no
 * ordering.
 */
import { type Kernel, OPERANDS_BYTES } from '../kernels/abi.js';
import { OperandBlock } from '../kernels/operands.js';
import { CARRIES_BYTES, Carries, MAX_PARTS } from './carries.js';
import { Claims, claimsBytes, DONE, EPOCH_STEP, REFRESH_WITHIN } from './claims.js';
import { AT_EASE, COMMAND_BYTES, Command, epochOf, MOVE, type Post, STAND_DOWN, type StageRead } from './command.js';
import { Signal } from './signal.js';
import type { TaskStage } from './task.js';

/** Addresses, in bytes after that of the block. */
function layoutOf(ranks: number): { claims: number; ranks: number; carries: number; own: number; bytes: number } {
  const claims = COMMAND_BYTES;
  const ranksAt = claims + claimsBytes(MAX_PARTS, ranks);
  const carries = ranksAt + claimsBytes(MAX_PARTS, ranks);
  const own = carries + CARRIES_BYTES;
  return { claims, ranks: ranksAt, carries, own, bytes: own + OPERANDS_BYTES * ranks };
}

/** Size of the block of a team of `ranks` threads. */
export function controlBytes(ranks: number): number {
  return layoutOf(ranks).bytes;
}

/** Length of one wait of rank 0 for the members' parts. */
export const WAIT_MS = 100;

/** Words of the claims. */
const ROOT = 0;
const WAITING = 1;

/** No word of a command. */
const NONE = -1;

export class Control {
  readonly #memory: WebAssembly.Memory;
  readonly #rank: number;
  readonly #spinMs: number;
  readonly #command: Command;
  readonly #claims: Claims;
  readonly #root: Signal;
  readonly carries: Carries;
  /** The operands of the stage, for the kernels of this rank. */
  readonly #own: OperandBlock;
  readonly #stage: StageRead = { kernel: 0, header: 0, parts: 0, workers: 0, bounds: 0, count: 0 };
  /** The shared memory, as this thread has last seen its length. */
  #heap: Uint32Array;

  /** @param rank of `ranks`: the thread that uses this object @param spinMs time to spin before a sleep; 0: none */
  constructor(memory: WebAssembly.Memory, address: number, rank: number, ranks: number, spinMs = 0) {
    const layout = layoutOf(ranks);
    this.#memory = memory;
    this.#rank = rank;
    this.#spinMs = spinMs;
    this.#command = new Command(memory, address, ranks);
    this.#claims = new Claims(memory, address + layout.claims, address + layout.ranks, MAX_PARTS, ranks);
    this.#root = new Signal(this.#claims.words, ROOT, WAITING);
    this.carries = new Carries(memory, address + layout.carries);
    this.#own = new OperandBlock(memory, address + layout.own + OPERANDS_BYTES * rank);
    this.#heap = new Uint32Array(memory.buffer);
  }

  // ---- rank 0

  /**
   * Before the first member arrives: the memory of the block may have been used before.
   *
   * @param epoch a multiple of 4, from which epochs are counted
   */
  clear(epoch = 0): void {
    this.#command.clear(epoch);
    this.#claims.words.fill(0);
    this.#claims.refresh(epoch);
  }

  /** Tells how many members have arrived so far, including those that have left, and how many are asleep until the next command. */
  get members(): Pick<Command, 'arrived' | 'sleepers'> {
    return this.#command;
  }

  /** The rank that took a part of the latest stage. */
  rankOf(part: number): number {
    return this.#claims.rankOf(part);
  }

  /** Whether a part of the latest stage ended in a trap. */
  isFault(part: number): boolean {
    return this.#claims.isFault(part);
  }

  /** Opens the first `count` stages to all members; returns their epoch. The previous command must be complete. */
  publish(stages: readonly TaskStage[], count: number): number {
    const epoch = this.#nextEpoch();
    this.#command.publish(stages, count);
    return epoch;
  }

  /** Members that arrive from now on wait for a product. Those that have left may be called back. */
  atEase(): void {
    this.#nextEpoch();
    this.#command.order(AT_EASE);
  }

  /** Members leave as soon as they read this order. */
  standDown(): void {
    this.#nextEpoch();
    this.#command.order(STAND_DOWN);
  }

  /**
   * Members stand by at another control block as soon as they read this order. A late member that reads it when the team has moved on finds
   * the next order to move there: each block that was left leads to the one that was used next. The present one, at ease, leads nowhere.
   */
  move(to: Post): void {
    this.#nextEpoch();
    this.#command.order(MOVE, to);
  }

  /** The epoch of the next command. The command before is complete, so no member needs the claims as they are. */
  #nextEpoch(): number {
    const { epoch, next } = this.#command;
    if (Math.floor(epoch / REFRESH_WITHIN) !== Math.floor(next / REFRESH_WITHIN)) this.#claims.refresh(next);
    return next;
  }

  /**
   * Leaves the core for a moment. A woken member may be queued on the core that the caller keeps busy, although another
   * core is idle. The operating system corrects this only every few milliseconds. After this call it moves the member
   * at once.
   */
  yieldCore(): void {
    this.#command.nap();
  }

  /**
   * Waits until every part of the stage that `work` was called for is finished, spinning first.
   *
   * Patience is counted in waits, not in clock time. A process that is stopped, for a second or for a night, uses up
   * only one wait. After it resumes, its other threads have all remaining waits to resume too.
   *
   * @param epoch of the command
   * @param patience allowed number of consecutive waits of WAIT_MS without another finished part; called after each
   *   wait
   * @returns the first part that is not done: the number of parts if all are done, else a part that faulted or is given
   *   up
   */
  join(epoch: number, stage: number, patience: () => number): number {
    const claims = this.#claims;
    const done = (epoch + EPOCH_STEP * stage + DONE) | 0;
    let finished = -1;
    let silentWaits = 0;
    for (let spin = this.#spinMs; ; spin = 0) {
      // Acquires all parts: their stores to y happen before the root is complete.
      let root = this.#root.load();
      if (((root - done) | 0) < 0) root = this.#root.awaitChange(root, spin, spin > 0 ? 0 : WAIT_MS);
      if (root === done) return claims.parts;
      if (((root - done) | 0) > 0) return claims.findPart((part) => claims.isFault(part));
      const before = finished;
      finished = claims.sweep();
      this.#root.wake();
      if (finished > before) silentWaits = 0;
      else if (++silentWaits >= patience() && claims.giveUp()) {
        this.#root.wake();
        return claims.findPart((part) => !claims.isFinished(part));
      }
    }
  }

  // ---- every rank

  /**
   * Takes parts of a stage and computes them: first the rank's own share, then those of its neighbours, the last part
   * first, because an owner reaches the end of its share last.
   *
   * @param epoch of the command
   * @returns the number of parts it computed
   * @throws the error of a kernel, after the part has been marked as faulty
   */
  work(epoch: number, stage: number, kernels: readonly Kernel[]): number {
    if (!this.#command.read(epoch, stage, this.#stage, this.#own)) return 0;
    return this.#takeParts(epoch, stage, kernels);
  }

  /** The same for the stage that this rank has read. */
  #takeParts(epoch: number, stage: number, kernels: readonly Kernel[]): number {
    const read = this.#stage;
    const kernel = kernels[read.kernel];
    if (kernel === undefined) return 0;
    const claims = this.#claims;
    const rank = this.#rank;
    claims.choose((epoch + EPOCH_STEP * stage) | 0, read.parts, read.workers);
    const { workers, linesOfShare } = claims;
    if (rank >= workers || !this.#reaches(read.bounds + 4 * (read.parts + 1))) return 0;
    let taken = 0;
    for (let line = rank * linesOfShare; line < (rank + 1) * linesOfShare; line++) {
      const end = claims.firstOf(line + 1);
      for (let part = claims.firstOf(line); part < end; part++) if (this.#compute(part, line, kernel)) taken++;
    }
    // The caller's share of a large product is done, and rank 1 has not started.
    if (rank === 0 && taken > 1 && workers > 1 && claims.isOpen(claims.firstOf(linesOfShare))) this.yieldCore();
    // The lines of the others stay with them as soon as there is nothing to take.
    for (let next = 1; next < workers && !claims.isOver; next++) {
      const owner = (rank + next) % workers;
      for (let line = (owner + 1) * linesOfShare - 1; line >= owner * linesOfShare; line--) {
        if (claims.isComplete(line)) continue;
        const first = claims.firstOf(line);
        for (let part = claims.firstOf(line + 1) - 1; part >= first; part--)
          if (this.#compute(part, line, kernel)) taken++;
      }
    }
    return taken;
  }

  /** Whether this thread sees the memory up to an address. A member may see it grow later than the caller has it. */
  #reaches(end: number): boolean {
    if (end > this.#heap.byteLength) this.#heap = new Uint32Array(this.#memory.buffer);
    return end <= this.#heap.byteLength;
  }

  /** Computes a part of the stage if it is open. @returns whether it was */
  #compute(part: number, line: number, kernel: Kernel): boolean {
    if (!this.#claims.take(part, line, this.#rank)) return false;
    const { header, bounds } = this.#stage;
    const at = bounds / 4 + part;
    let isDone = false;
    try {
      this.#own.carry = this.carries.slotOf(part);
      kernel(header, this.#own.address, this.#heap[at]!, this.#heap[at + 1]!);
      isDone = true;
    } finally {
      if (this.#claims.finish(part, line, isDone)) this.#root.wake();
    }
    return true;
  }

  // ---- members

  /** Tells rank 0 that this thread has started. */
  arrive(): void {
    this.#command.arrive();
  }

  /**
   * The loop of a member: waits for commands and executes them until the order to stand down, or to stand by elsewhere.
   *
   * @returns the other control block, if the order was to move
   * @throws the error of a kernel.
   */
  standBy(kernels: readonly Kernel[]): Post | undefined {
    const { signal } = this.#command;
    const read = this.#stage;
    for (let seen = NONE; ; ) {
      let word = signal.load();
      while (word === seen) word = signal.awaitChange(word, this.#spinMs);
      seen = word;
      const epoch = epochOf(word);
      for (let stage = 0; this.#command.read(epoch, stage, read, this.#own); ) {
        if (read.kernel === STAND_DOWN) return undefined;
        if (read.kernel === MOVE) return { memory: read.header, address: read.bounds };
        const { count } = read;
        this.#takeParts(epoch, stage, kernels);
        stage = this.#awaitStage(epoch, stage, count);
        if (stage === count) break;
      }
    }
  }

  /** Waits until a stage is complete. @returns the stage that is now open, or `count` if none of this command is */
  #awaitStage(epoch: number, stage: number, count: number): number {
    if (stage + 1 === count) return count;
    let root = this.#root.load();
    while (((root - epoch - EPOCH_STEP * stage - DONE) | 0) < 0) root = this.#root.awaitChange(root, this.#spinMs);
    const complete = (root - epoch - DONE) | 0;
    return complete % EPOCH_STEP === 0 ? Math.min(complete / EPOCH_STEP + 1, count) : count;
  }
}
