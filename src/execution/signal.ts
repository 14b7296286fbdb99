/** A word of shared memory that threads wait on: for a short time spinning, which ends 0.2 µs after a change, then asleep. */

/** Loads of the word between two looks at the clock: 2 to 4 µs. */
const LOADS_PER_LOOK = 64;

/** `pause` informs the core of a spin loop. Only newer engines have it. */
const pause: () => void = (Atomics as { pause?: () => void }).pause ?? (() => {});

export class Signal {
  readonly #words: Int32Array;
  readonly #word: number;
  readonly #sleepers: number;

  /** @param sleepers the place of a word that counts the threads asleep */
  constructor(words: Int32Array, word: number, sleepers: number) {
    this.#words = words;
    this.#word = word;
    this.#sleepers = sleepers;
  }

  /** Acquires what was written before the value. */
  load(): number {
    return Atomics.load(this.#words, this.#word);
  }

  /**
   * Wakes the sleepers, after the word was changed. The change, and the load here, are sequentially consistent with the
   * sleeper's add and its wait: either it finds the word changed, or it is seen here.
   */
  wake(): void {
    if (Atomics.load(this.#words, this.#sleepers) > 0) Atomics.notify(this.#words, this.#word);
  }

  /**
   * Waits until the word is not `from`.
   *
   * @param spinMs time to spin; 0: none
   * @param sleepMs time to sleep then
   * @returns the word, which is `from` if the time is over
   */
  awaitChange(from: number, spinMs: number, sleepMs: number = Number.POSITIVE_INFINITY): number {
    for (let end = spinMs > 0 ? Number.POSITIVE_INFINITY : 0, now = 0; now < end; ) {
      for (let load = 0; load < LOADS_PER_LOOK; load++) {
        const value = this.load();
        if (value !== from) return value;
        pause();
      }
      now = performance.now();
      if (end === Number.POSITIVE_INFINITY) end = now + spinMs;
    }
    Atomics.add(this.#words, this.#sleepers, 1);
    Atomics.wait(this.#words, this.#word, from, sleepMs);
    Atomics.sub(this.#words, this.#sleepers, 1);
    return this.load();
  }
}
