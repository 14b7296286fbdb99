/**
 * The waits of one rank for others of the same process. A rank that has a core to itself looks for a while, then it sleeps until it is woken. It throws
 * if what it waits for will never come: a rank has failed, or ended, or the ranks are out of step, which those that wait for long find out.
 */
import type { SparlaneError } from '../core/errors.js';
import { areDifferent, awaitsMessage, type Calls, heldForEver, isHeld, outOfStep, type Position } from './calls.js';
import { ALL_OTHERS } from './notice.js';
import { type Bed, endOf, type SharedControl } from './shared-control.js';

/** Time after which a sleeping rank looks for trouble by itself, and tells others what it waits for. */
const PATIENCE_MS = 100;

/** Time for which a rank that has a core to itself looks before it sleeps: some wake-ups of a thread. */
const SPIN_MS = 0.1;
const LOOKS_PER_CLOCK = 64;

/** Waits without a look after several looks in vain. */
const MOST_UNSEEN = 63;

export class SharedWaits {
  /** Whether this rank may look for a while before it sleeps. */
  maySpin = false;
  readonly #control: SharedControl;
  readonly #rank: number;
  readonly #calls: Calls;
  readonly #bell: Bed;
  readonly #others: readonly number[];
  /**
   * Waits without a look: none after a look with success, and after each one in vain twice as many as before. Where other programs have the cores,
   * the rank that is waited for needs this one's: with four busy processes beside two ranks on two cores, solves take half the time.
   */
  #unseen = 0;
  #unseenLeft = 0;

  constructor(control: SharedControl, rank: number, calls: Calls) {
    this.#control = control;
    this.#rank = rank;
    this.#calls = calls;
    this.#bell = control.atBell(rank);
    this.#others = Array.from({ length: control.size }, (_, r) => r).filter((r) => r !== rank);
  }

  /** Waits until all ranks have called it. What a rank wrote before is then visible to all. */
  meet(): void {
    const control = this.#control;
    // Whoever meets again after an error must not be counted twice.
    if (control.hasTrouble) this.#checkAll(this.#others);
    const { epoch } = control;
    if (!control.arrive()) this.#wait(control.atMeeting, this.#others, () => control.epoch !== epoch);
  }

  /**
   * Waits until a condition holds that a neighbour brings about before it rings this rank's bell.
   *
   * @param until the neighbour has come to the call of this number before it does so; default: the present one
   */
  await(neighbour: number, holds: () => boolean, until?: number): void {
    this.#wait(this.#bell, [neighbour], holds, until);
  }

  /** @throws SparlaneError `backend` if a rank has failed or the ranks are out of step */
  check(): void {
    this.#checkAll([]);
  }

  /** @throws SparlaneError `backend` if any rank has failed, one of `needed` has ended or the ranks are out of step: the condition will never hold */
  #wait({ words, index }: Bed, needed: readonly number[], holds: () => boolean, until?: number): void {
    if (this.maySpin && this.#unseenLeft-- <= 0 && this.#looks(holds)) return;
    const begin = performance.now();
    let isPosted = false;
    for (;;) {
      const before = Atomics.load(words, index);
      if (holds()) return;
      this.#checkAll(needed, holds);
      if (isPosted) this.#compare(needed, holds);
      Atomics.wait(words, index, before, PATIENCE_MS);
      if (isPosted || performance.now() - begin < PATIENCE_MS) continue;
      const at = this.#calls.position;
      const of = needed === this.#others ? ALL_OTHERS : needed[0]!;
      this.#control.post(this.#rank, { at, of, until: until ?? at.number });
      isPosted = true;
    }
  }

  /** @throws SparlaneError `backend` if there is trouble, and what this rank waits for has not come */
  #checkAll(needed: readonly number[], holds?: () => boolean): void {
    const control = this.#control;
    if (!control.hasTrouble) return;
    const { failure } = control;
    const gone = control.goneOf(needed);
    const ended = () =>
      gone === undefined
        ? undefined
        : endOf(gone, ` and ${this.#calls.position.what} on rank ${this.#rank}`, this.#rank);
    const problem = failure ?? control.outOfStep ?? ended();
    if (problem === undefined || (failure === undefined && holds?.())) return;
    this.#fail(problem);
  }

  /** Compares the calls of this rank with those of the ranks that it waits for, where they wait for long, too. */
  #compare(needed: readonly number[], holds: () => boolean): void {
    const { position } = this.#calls;
    if (awaitsMessage(position)) {
      const there = this.#held(position).get(needed[0]!);
      if (there !== undefined && !holds()) this.#fail(heldForEver(this.#rank, position.what, needed[0]!, there.what));
      return;
    }
    for (const other of needed) {
      const there = this.#control.posted(other)?.at;
      if (there === undefined) continue;
      // Whoever has passed this call has done its part before it posted a later one.
      const hasPassed = there.number > position.number && !holds();
      if (hasPassed || areDifferent(position, there)) this.#fail(outOfStep(this.#rank, position, other, there));
    }
  }

  /**
   * Finds the ranks that wait for this one, or for others that do. None of them goes on before this one does, so what they have posted, and sent, stays as
   * it is found.
   */
  #held(position: Position): Map<number, Position> {
    const held = new Map([[this.#rank, position]]);
    const needs = this.#others.map((rank) => ({ rank, need: this.#control.posted(rank) }));
    // Ranks that are added meanwhile are visited, too.
    for (const [of, { number }] of held)
      for (const { rank, need } of needs) {
        if (need === undefined || held.has(rank) || (need.of !== ALL_OTHERS && need.of !== of)) continue;
        if (isHeld(need, number, this.#control.sent(of, rank))) held.set(rank, need.at);
      }
    return held;
  }

  /** This rank gives its call up, so all others learn of it. */
  #fail(problem: SparlaneError): never {
    this.#control.breakUp(problem);
    throw problem;
  }

  #looks(holds: () => boolean): boolean {
    const end = performance.now() + SPIN_MS;
    do {
      for (let look = 0; look < LOOKS_PER_CLOCK; look++) {
        if (!holds()) continue;
        this.#unseen = 0;
        return true;
      }
    } while (performance.now() < end);
    this.#unseen = Math.min(2 * this.#unseen + 1, MOST_UNSEEN);
    this.#unseenLeft = this.#unseen;
    return false;
  }
}
