/**
 * Claims: who computes which part of a stage, and whether all parts are done. Words of shared memory, in a tree of cache
 * lines: a word per part, above each line of them a word for the line, and so on up to the root.
 *
 * A stage has an epoch, a multiple of 4, later than that of every stage before. The word of a part is
 *
 *     of an earlier epoch   open: it may be taken
 *     epoch + 1             taken
 *     epoch + 2, epoch + 3  done, or ended in a fault
 *
 * and each step is a compare-and-exchange from the value read. So a stage is opened without a write. Whoever finishes
 * the last part of a line writes done or fault to the word of the line, and goes on to the line in which that word is.
 * So a stage of any number of parts is complete when one word is. The lines above those of the parts have few words each,
 * because all threads write them at the same time: with 4 instead of 16, an empty product on 32 threads took 5.3 to 6.5
 * µs instead of 8.8 to 20 (32 cores of an Intel Xeon, Node 24, November 2026). To leave the claims of the others alone for some
 * microseconds before a search for open parts made it 11 to 20.
 *
 * The parts of one thread's share are in lines of their own: threads that do not take each other's parts share only
 * the words of lines.
 *
 * A late thread is harmless. All parts of a stage are done before the caller goes on, so the words it finds are done or
 * later. If a thread ends between its part and the word of the line, `sweep` of the caller completes the line.
 *
 * Epochs are 32 bits and wrap, in an hour of very small products. So the order of two epochs is the sign of their
 * difference, and `refresh` renews words that no stage has used for long.
 */

export const EPOCH_STEP = 4;
export const DONE = 2;
const TAKEN = 1;
const FAULT = 3;

/** Of a line. */
const WORDS = 16;
/** Words in use of a line above the parts. */
const FAN = 4;

/** A word is open if it is at most this much older than the epoch. */
const OPEN_WITHIN = 2 ** 29;
/** `refresh` must come at least once in as many epochs. */
export const REFRESH_WITHIN: number = 2 ** 28;

/** Lines for `parts` parts in `workers` shares: as many for each share as its parts need. */
function linesFor(parts: number, workers: number): number {
  return workers * Math.ceil(Math.ceil(parts / workers) / WORDS);
}

/** For each level of the tree, the lines that it needs at most. */
function levelsFor(maxParts: number, ranks: number): number[] {
  const lines = [Math.ceil(maxParts / WORDS) + 2 * ranks];
  while (lines.at(-1)! > 1) lines.push(Math.ceil(lines.at(-1)! / FAN));
  return lines;
}

/** Size of the tree in bytes, root included. */
export function claimsBytes(maxParts: number, ranks: number): number {
  return 64 * levelsFor(maxParts, ranks).reduce((sum, lines) => sum + lines, 1);
}

/** The claims as one thread sees them, for one stage at a time. */
export class Claims {
  /** The root and, in the same line, the caller's other words. */
  readonly #words: Int32Array;
  /** First word of each level. */
  readonly #levels: readonly number[];
  /** By place of a part's word: the rank that took it. */
  readonly #ranks: Int32Array;
  #epoch = 0;
  #parts = 0;
  #workers = 1;
  #lines = 1;

  /** @param address `claimsBytes` bytes, on a cache line @param ranksAddress as many for the ranks */
  constructor(memory: WebAssembly.Memory, address: number, ranksAddress: number, maxParts: number, ranks: number) {
    const words = claimsBytes(maxParts, ranks) / 4;
    this.#words = new Int32Array(memory.buffer, address, words);
    this.#ranks = new Int32Array(memory.buffer, ranksAddress, words);
    let next = WORDS;
    this.#levels = levelsFor(maxParts, ranks).map((lines) => {
      const first = next;
      next += WORDS * lines;
      return first;
    });
  }

  /** The words: the root is word 0, and words 1 to 15 are free. */
  get words(): Int32Array {
    return this.#words;
  }

  get parts(): number {
    return this.#parts;
  }

  get workers(): number {
    return this.#workers;
  }

  /** Lines of a worker's share. Worker w has the lines from w × this on. */
  get linesOfShare(): number {
    return this.#lines / this.#workers;
  }

  /** The stage of the calls that follow. @param workers threads that have a share */
  choose(epoch: number, parts: number, workers: number): void {
    this.#epoch = epoch;
    this.#parts = parts;
    this.#workers = Math.max(1, Math.min(workers, parts));
    this.#lines = linesFor(parts, this.#workers);
  }

  /** Sets all words to one that is done, older than every epoch to come and later than all before. */
  refresh(epoch: number): void {
    for (let word = 0; word < this.#words.length; word += word === 0 ? WORDS : 1)
      Atomics.store(this.#words, word, epoch - EPOCH_STEP + DONE);
  }

  /** The first part of a line; the parts of all lines follow each other. */
  firstOf(line: number): number {
    return Math.floor((line * this.#parts) / this.#lines);
  }

  #lineOf(part: number): number {
    return Math.floor(((part + 1) * this.#lines - 1) / this.#parts);
  }

  #wordOf(part: number, line: number): number {
    return this.#levels[0]! + WORDS * line + part - this.firstOf(line);
  }

  /** The word of level `level`, 1 or above, for line `line` of the level below. */
  #wordAbove(level: number, line: number): number {
    return this.#levels[level]! + WORDS * Math.floor(line / FAN) + (line % FAN);
  }

  /** The rank that took a part of the latest stage. */
  rankOf(part: number): number {
    return this.#ranks[this.#wordOf(part, this.#lineOf(part))]!;
  }

  /** Whether a part may be taken. */
  isOpen(part: number): boolean {
    return this.#isOpen(Atomics.load(this.#words, this.#wordOf(part, this.#lineOf(part))));
  }

  #isOpen(state: number): boolean {
    return (this.#epoch - state - 1) >>> 0 < OPEN_WITHIN;
  }

  /** Whether all parts of a line are known to be finished. */
  isComplete(line: number): boolean {
    return this.#lines > 1 && ((Atomics.load(this.#words, this.#wordAbove(1, line)) - this.#epoch) | 0) >= DONE;
  }

  /** Whether all parts of the stage are known to be finished, or it was given up. */
  get isOver(): boolean {
    return ((Atomics.load(this.#words, 0) - this.#epoch) | 0) >= DONE;
  }

  /** Takes a part if it is open. Acquires it: the caller stays inside this stage until the part is finished. */
  take(part: number, line: number, rank: number): boolean {
    const words = this.#words;
    const word = this.#wordOf(part, line);
    const state = Atomics.load(words, word);
    if (!this.#isOpen(state)) return false;
    if (Atomics.compareExchange(words, word, state, this.#epoch + TAKEN) !== state) return false;
    this.#ranks[word] = rank;
    return true;
  }

  /**
   * Marks a part that this thread has taken as finished. Releases its stores to y to whoever sees the root complete.
   *
   * @returns whether the stage is complete by that
   */
  finish(part: number, line: number, isDone: boolean): boolean {
    const epoch = this.#epoch;
    const word = this.#wordOf(part, line);
    Atomics.compareExchange(this.#words, word, (epoch + TAKEN) | 0, epoch + (isDone ? DONE : FAULT));
    return this.#complete(line);
  }

  /** Completes the line if all its parts are finished, and then the line above. @returns whether the root is complete by that */
  #complete(line: number): boolean {
    const words = this.#words;
    const epoch = this.#epoch;
    let begin = this.#wordOf(this.firstOf(line), line);
    let end = begin + this.firstOf(line + 1) - this.firstOf(line);
    let lines = this.#lines;
    for (let at = line, level = 1; ; level++) {
      let outcome = DONE;
      // Backwards, because the owner of a share computes its last part last. Acquires the parts of the other threads.
      for (let word = end - 1; word >= begin; word--) {
        const state = (Atomics.load(words, word) - epoch) | 0;
        if (state === FAULT) outcome = FAULT;
        else if (state !== DONE) return false;
      }
      const isRoot = lines === 1;
      const above = isRoot ? 0 : this.#wordAbove(level, at);
      if (!this.#raise(above, epoch + outcome)) return false;
      if (isRoot) return true;
      at = Math.floor(at / FAN);
      begin = this.#wordAbove(level, FAN * at);
      end = begin + Math.min(FAN, lines - FAN * at);
      lines = Math.ceil(lines / FAN);
    }
  }

  /**
   * Sets the word of a line unless it is as late already, or another thread does. The word is expected as the stage before has left it:
   * then its cache line is asked for once, to be written, and not first to be read.
   */
  #raise(word: number, outcome: number): boolean {
    const words = this.#words;
    const guess = (this.#epoch - EPOCH_STEP + DONE) | 0;
    const state = Atomics.compareExchange(words, word, guess, outcome);
    if (state === guess) return true;
    if (((state - this.#epoch) | 0) >= DONE) return false;
    return Atomics.compareExchange(words, word, state, outcome) === state;
  }

  /** Completes what threads have left undone that ended after their parts. @returns the number of finished parts */
  sweep(): number {
    let finished = 0;
    for (let line = 0; line < this.#lines; line++) {
      this.#complete(line);
      for (let part = this.firstOf(line); part < this.firstOf(line + 1); part++) if (this.isFinished(part)) finished++;
    }
    return finished;
  }

  isFinished(part: number): boolean {
    return this.#stateOf(part) >= DONE;
  }

  isFault(part: number): boolean {
    return this.#stateOf(part) === FAULT;
  }

  #stateOf(part: number): number {
    return (Atomics.load(this.#words, this.#wordOf(part, this.#lineOf(part))) - this.#epoch) | 0;
  }

  /** The first part for which `test` holds, else the number of parts. */
  findPart(test: (part: number) => boolean): number {
    let part = 0;
    while (part < this.#parts && !test(part)) part++;
    return part;
  }

  /** Ends a stage as one with a fault. @returns false if it is complete */
  giveUp(): boolean {
    const state = Atomics.load(this.#words, 0);
    if (((state - this.#epoch) | 0) >= DONE) return false;
    return Atomics.compareExchange(this.#words, 0, state, this.#epoch + FAULT) === state;
  }
}
